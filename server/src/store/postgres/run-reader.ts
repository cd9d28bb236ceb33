/** Reads of runs: rows, events, attachments and jobs. Each is one statement, and so one snapshot. */
import type { AttachmentId, WorkflowId } from '@tutti/manifests';
import { RUN_GROUP, type RunGroup, type RunGroupQuery } from '../run-groups.ts';
import type {
  AttachmentRow,
  EventPage,
  FoldingEvent,
  JobRow,
  ListedRun,
  RunEnd,
  RunPortion,
  WorkflowRow,
} from '../store.ts';
import { SEPARATOR } from './batch-statement.ts';
import type { PostgresLimits } from './limits.ts';
import { fromPlain, fromPlainOrNull, toPlain } from './plain-text.ts';
import type { Read } from './read.ts';

interface StoredRun extends Omit<WorkflowRow, 'workers'> {
  readonly workers: string;
}

const RUN = `r.workflow_id AS "workflowId", r.name, r.namespace, r.status, r.live, r.workers,
  r.created_at AS "createdAt", r.completed_at AS "completedAt"`;

/** Texts of a read up to a size; the first one whatever its size. Sizes are read of headers, without the texts. */
const within = (columns: string, order: string, max: string): string =>
  `sum(octet_length(${columns})) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - octet_length(${columns}) < ${max}`;

export function createRunReader(read: Read, limits: PostgresLimits) {
  return {
    async workflow(workflowId: WorkflowId): Promise<WorkflowRow | null> {
      const [row] = await read<StoredRun>(`SELECT ${RUN} FROM runs r WHERE workflow_id = $1`, [
        workflowId,
      ]);
      return row === undefined ? null : workflowRowOf(row);
    },
    async workflows({
      after,
      limit,
      isLive = false,
    }: RunPortion = ALL): Promise<readonly ListedRun[]> {
      const live = isLive ? 'AND live' : '';
      const rows = await read<ListedRun>(
        `SELECT place, workflow_id AS "workflowId", namespace, status, workers <> '[]' AS "hasWorkers",
           masks_size AS masks
         FROM runs WHERE place > $1 ${live} ORDER BY place LIMIT $2`,
        [after, limit],
      );
      return rows.map((row) => ({ ...row, namespace: fromPlain(row.namespace) }));
    },
    runGroups: createGroupsQuery(read),
    ...createEventReader(read, limits),
    ...createFoldingReader(read, limits),
    ...createEndsReader(read),
    ...createPartsReader(read),
  };
}

const GROUP_PARTS = { id: `'"' || workflow_id || '"'`, state: 'place || status || masks_size' };
/** Places of the groups that are read together. */
const PLACES = 10 * RUN_GROUP;

function createGroupsQuery(read: Read) {
  return ({ after, namespaces, part }: RunGroupQuery): Promise<readonly RunGroup[]> =>
    read<RunGroup>(
      `SELECT min(place) AS first, max(place) AS last, coalesce(string_agg(${GROUP_PARTS[part]}, ',' ORDER BY place)
         FILTER (WHERE $2::text[] IS NULL OR namespace = ANY ($2)), '') AS text
       FROM runs WHERE place > $1 AND place <
         ((SELECT min(place) FROM runs WHERE place > $1) / ${PLACES} + 1) * ${PLACES}
       GROUP BY place / ${RUN_GROUP} ORDER BY first`,
      [after, namespaces?.map(toPlain) ?? null],
    );
}

const ALL: RunPortion = { after: 0, limit: Number.MAX_SAFE_INTEGER };
const INT_MAX = 2 ** 31 - 1;
const intOf = (number: number): number => Math.max(0, Math.min(number, INT_MAX));

function createEventReader(read: Read, { eventsLengthMax }: PostgresLimits) {
  const events = async (
    workflowId: WorkflowId,
    fromSeq: number,
    limit: number,
  ): Promise<EventPage | null> => {
    const [row] = await read<StoredRun & { readonly total: number; readonly texts: string | null }>(
      `SELECT ${RUN}, r.events AS total, (
         SELECT string_agg(e.json, $5 ORDER BY e.seq) FROM (
           SELECT seq, json, ${within('json', 'seq', '$4::bigint')} AS fits FROM events
           WHERE workflow_id = $1 AND seq >= $2 ORDER BY seq LIMIT $3
         ) e WHERE e.fits) AS texts
       FROM runs r WHERE r.workflow_id = $1`,
      [workflowId, intOf(Math.max(1, fromSeq)), intOf(limit), eventsLengthMax, SEPARATOR],
    );
    if (row === undefined) return null;
    const { texts, total, ...run } = row;
    const items = texts === null ? [] : texts.split(SEPARATOR);
    return { items, total, workflow: workflowRowOf(run) };
  };
  return {
    events,
    history: events,
    async firstEvents(
      workflowIds: readonly WorkflowId[],
      length: number,
    ): Promise<readonly (string | null)[]> {
      const rows = await read<{ readonly json: string | null }>(
        `SELECT f.json FROM (
           SELECT t.nr, e.json, coalesce(sum(octet_length(e.json)) OVER (
             ORDER BY t.nr ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
           FROM unnest($1::uuid[]) WITH ORDINALITY AS t(workflow_id, nr)
           LEFT JOIN events e ON e.workflow_id = t.workflow_id AND e.seq = 1
         ) f WHERE f.nr = 1 OR f.before < $2::bigint ORDER BY f.nr`,
        [workflowIds, length],
      );
      return rows.map(({ json }) => json);
    },
  };
}

function createFoldingReader(read: Read, { eventsLengthMax, foldingEventsMax }: PostgresLimits) {
  const select = (runs: string, events: string) =>
    `SELECT f."workflowId", f.seq, f.json, f.total, f.size FROM (
       SELECT r.place, r.workflow_id AS "workflowId", e.seq, e.json, r.events AS total, r.events_size AS size,
         ${within('e.json', 'r.place, e.seq', '$1::bigint')} AS fits
       FROM runs r CROSS JOIN LATERAL (
         SELECT seq, json FROM events WHERE workflow_id = r.workflow_id AND folds AND ${events} ORDER BY seq LIMIT $2
       ) e WHERE ${runs} ORDER BY r.place, e.seq LIMIT $2
     ) f WHERE f.fits ORDER BY f.place, f.seq`;
  const bounds = [eventsLengthMax, foldingEventsMax];
  return {
    async liveEvents(after: FoldingEvent | null): Promise<readonly FoldingEvent[]> {
      if (after === null) return await read(select('r.live', 'true'), bounds);
      const { workflowId, seq } = after;
      const place = '(SELECT place FROM runs WHERE workflow_id = $3)';
      return await read(
        select(
          `r.live AND r.place >= coalesce(${place}, 0)`,
          'seq > CASE WHEN r.workflow_id = $3 THEN $4::int ELSE 0 END',
        ),
        [...bounds, workflowId, seq],
      );
    },
    /** As one text, which is read faster than a row for each run. */
    async liveLengths(): Promise<ReadonlyMap<WorkflowId, number>> {
      const [row] = await read<{ readonly text: string | null }>(
        `SELECT string_agg(workflow_id || ' ' || events, ',' ORDER BY place) AS text FROM runs WHERE live`,
      );
      return new Map(
        row?.text?.split(',').map((each) => {
          const [workflowId = '', length] = each.split(' ');
          return [workflowId as WorkflowId, Number(length)];
        }),
      );
    },
    foldingEvents: (workflowId: WorkflowId, fromSeq: number): Promise<readonly FoldingEvent[]> =>
      read(select('r.workflow_id = $3', 'seq >= $4'), [...bounds, workflowId, intOf(fromSeq)]),
  };
}

/** In the order of `ended_runs`, of which the conditions have to be the same. */
function createEndsReader(read: Read) {
  const ended =
    'FROM runs WHERE NOT live AND completed_at IS NOT NULL AND (completed_at, place) <= ($1, $2::bigint)';
  return {
    async endBefore({ at, place }: RunEnd, ends: number): Promise<RunEnd | null> {
      const [end] = await read<RunEnd>(
        `SELECT completed_at AS at, place ${ended} ORDER BY completed_at DESC, place DESC LIMIT 1 OFFSET $3`,
        [at, place, ends],
      );
      return end ?? null;
    },
    async endedWorkflowIds({ at, place }: RunEnd, limit: number): Promise<readonly WorkflowId[]> {
      const rows = await read<{ readonly id: WorkflowId }>(
        `SELECT workflow_id AS id ${ended} AND unfolded = 0 ORDER BY completed_at, place LIMIT $3`,
        [at, place, limit],
      );
      return rows.map(({ id }) => id);
    },
  };
}

function createPartsReader(read: Read) {
  return {
    async attachment(
      workflowId: WorkflowId,
      attachmentId: AttachmentId,
    ): Promise<AttachmentRow | null> {
      const [row] = await read<AttachmentRow>(
        `SELECT a.attachment_id AS "attachmentId", a.name, a.type FROM attachments a
         JOIN runs r ON r.workflow_id = a.workflow_id WHERE a.workflow_id = $1 AND a.attachment_id = $2`,
        [workflowId, attachmentId],
      );
      if (row === undefined) return null;
      return { attachmentId, name: fromPlain(row.name), type: fromPlainOrNull(row.type) };
    },
    jobs: (workflowId: WorkflowId): Promise<readonly JobRow[]> =>
      read(
        `SELECT j.job_id AS "jobId", j.json FROM jobs j JOIN runs r ON r.workflow_id = j.workflow_id
         WHERE j.workflow_id = $1 ORDER BY j.place`,
        [workflowId],
      ),
    async brokenReports(workflowId: WorkflowId, limit: number) {
      const rows = await read<{ readonly json: string; readonly total: number }>(
        `SELECT b.json, count(*) OVER () AS total FROM broken_reports b
         JOIN runs r ON r.workflow_id = b.workflow_id WHERE b.workflow_id = $1 ORDER BY b.place LIMIT $2`,
        [workflowId, Math.max(1, limit)],
      );
      const items = rows.map(({ json }) => json).slice(0, limit);
      return { items, total: rows[0]?.total ?? 0 };
    },
  };
}

function workflowRowOf(stored: StoredRun): WorkflowRow {
  const { workflowId, status, live, workers, createdAt, completedAt } = stored;
  return {
    workflowId,
    name: fromPlain(stored.name),
    namespace: fromPlain(stored.namespace),
    status,
    live,
    workers: JSON.parse(workers),
    createdAt,
    completedAt,
  };
}

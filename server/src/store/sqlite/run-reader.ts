/** Reads of runs: rows, events, logs, attachments and jobs. Each call is one snapshot. */
import type { DatabaseSync } from 'node:sqlite';
import type { AttachmentId, WorkflowId } from '@tutti/manifests';
import { RUN_GROUP, type RunGroup } from '../run-groups.ts';
import type {
  AttachmentRow,
  FoldingEvent,
  JobRow,
  ListedRun,
  RunEnd,
  WorkflowRow,
} from '../store.ts';
import type { SqliteLimits } from './limits.ts';
import { createLogReader, createPlaceReader } from './log-reader.ts';
import { prepareListQuery, prepareQuery, type Reads } from './query.ts';
import { ROWS_PER_RUN, rowId, rowIdRange, rowNumber } from './row-ids.ts';
import type { Snapshot } from './snapshot.ts';

interface StoredRun extends Omit<WorkflowRow, 'live' | 'workers'> {
  readonly run: number;
  readonly events: number;
  readonly logBytes: number;
  readonly partBytes: number;
  readonly logLines: number | null;
  readonly live: 0 | 1;
  readonly workers: string;
}

/** A row of `selectRuns`. */
type ListedColumns = readonly [
  place: number,
  workflowId: WorkflowId,
  namespace: string,
  status: WorkflowRow['status'],
  hasWorkers: 0 | 1,
  masks: number,
];

const selectRuns = (condition: string): string =>
  `SELECT id, workflow_id, namespace, status, workers <> '[]', masks_size FROM workflows
   WHERE id > ? ${condition} ORDER BY id LIMIT ?`;
const SELECT_RUN = `SELECT id AS run, workflow_id AS workflowId, name, namespace, status, live, workers,
  created_at AS createdAt, completed_at AS completedAt, events, log_bytes AS logBytes,
  part_bytes AS partBytes, log_lines AS logLines FROM workflows`;

const ALL_RUNS = { after: 0, limit: Number.MAX_SAFE_INTEGER };

export interface RunReader
  extends Reads<
    | (
        | 'workflow'
        | 'workflows'
        | 'runGroups'
        | 'liveEvents'
        | 'liveLengths'
        | 'foldingEvents'
        | 'endBefore'
        | 'endedWorkflowIds'
        | 'events'
        | 'firstEvents'
      )
    | ('log' | 'logPlace' | 'attachment' | 'jobs' | 'brokenReports')
  > {
  /** True when rows of forgotten runs are still there, or indexes of runs that are over have parts. */
  hasUntidyRuns(): boolean;
}

export function createRunReader(
  db: DatabaseSync,
  snapshot: Snapshot,
  limits: Pick<SqliteLimits, 'eventsLengthMax'>,
): RunReader {
  const one = prepareQuery<StoredRun>(db, `${SELECT_RUN} WHERE workflow_id = ?`);
  const listed = prepareListQuery<ListedColumns>(db, selectRuns(''));
  const listedLive = prepareListQuery<ListedColumns>(db, selectRuns('AND live = 1'));
  const untidy = prepareQuery(
    db,
    'SELECT id FROM forgotten_runs UNION ALL SELECT id FROM unmerged_runs LIMIT 1',
  );
  const readEvents = createEventQuery(db, limits.eventsLengthMax);
  const readLog = createLogReader(db);
  const findPlace = createPlaceReader(db);
  const find = (workflowId: WorkflowId): StoredRun | null => one.get(workflowId) ?? null;
  const ofRun = <Result>(workflowId: WorkflowId, read: (run: StoredRun) => Result) =>
    snapshot(() => {
      const run = find(workflowId);
      return run === null ? null : read(run);
    });
  return {
    workflow(workflowId) {
      const run = find(workflowId);
      return run === null ? null : toWorkflowRow(run);
    },
    workflows: ({ after, limit, isLive = false } = ALL_RUNS) =>
      (isLive ? listedLive : listed).all(after, limit).map(listedRow),
    runGroups: createGroupsQuery(db),
    events: (workflowId, fromSeq, limit) =>
      ofRun(workflowId, (run) => ({
        items: readEvents(run.run, fromSeq, limit),
        total: run.events,
        workflow: toWorkflowRow(run),
      })),
    log: (workflowId, start, end) => ofRun(workflowId, (run) => readLog(run, start, end)),
    logPlace: (workflowId, line) =>
      ofRun(workflowId, (run) => ({
        ...findPlace(run, line),
        lines: run.logLines,
        bytes: run.logBytes,
      })),
    ...createFoldingQueries(db, limits.eventsLengthMax),
    firstEvents: createFirstEventQuery(db, snapshot),
    hasUntidyRuns: () => untidy.get() !== undefined,
    ...createPartsReader(db),
    brokenReports: createBrokenReportsQuery(db, snapshot),
    ...createEndsReader(db),
  };
}

/** Groups that are read together: less than a millisecond. */
const GROUPS = 10;

function createGroupsQuery(db: DatabaseSync): RunReader['runGroups'] {
  // A query for each group: one for several would sort their rows.
  const select = (part: string) =>
    prepareListQuery<readonly [first: number | null, last: number, text: string | null]>(
      db,
      `SELECT min(id), max(id), group_concat(${part}) FILTER
         (WHERE ?2 IS NULL OR namespace IN (SELECT value FROM json_each(?2)))
       FROM (SELECT * FROM workflows WHERE id > ?1 AND id <
         ((SELECT min(id) FROM workflows WHERE id > ?1) / ${RUN_GROUP} + 1) * ${RUN_GROUP} ORDER BY id)`,
    );
  const parts = {
    id: select(`'"' || workflow_id || '"'`),
    state: select(`id || status || masks_size`),
  };
  return ({ after, namespaces, part }) => {
    const wanted = namespaces === null ? null : JSON.stringify(namespaces);
    const found: RunGroup[] = [];
    for (let before = after; found.length < GROUPS; ) {
      const [first, last, text] = parts[part].get(before, wanted) ?? [null, 0, null];
      if (first === null) break;
      found.push({ first, last, text: text ?? '' });
      before = last;
    }
    return found;
  };
}

/** In the order of `ended_workflows`, of which the conditions have to be the same. */
function createEndsReader(db: DatabaseSync) {
  const ended =
    'FROM workflows WHERE live = 0 AND completed_at IS NOT NULL AND (completed_at, id) <= (?, ?)';
  const before = prepareQuery<RunEnd>(
    db,
    `SELECT completed_at AS at, id AS place ${ended} ORDER BY completed_at DESC, id DESC LIMIT 1 OFFSET ?`,
  );
  const upTo = prepareListQuery<readonly [WorkflowId]>(
    db,
    `SELECT workflow_id ${ended} AND unfolded = 0 ORDER BY completed_at, id LIMIT ?`,
  );
  return {
    endBefore: ({ at, place }: RunEnd, ends: number) => before.get(at, place, ends) ?? null,
    endedWorkflowIds: ({ at, place }: RunEnd, limit: number) =>
      upTo.all(at, place, limit).map(([workflowId]) => workflowId),
  };
}

function createEventQuery(db: DatabaseSync, lengthMax: number) {
  const query = prepareListQuery<readonly [json: string]>(
    db,
    'SELECT json FROM events WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?',
  );
  return (run: number, fromSeq: number, limit: number): readonly string[] => {
    const { first, last } = rowIdRange(run);
    const from = first + Math.max(1, fromSeq);
    const items: string[] = [];
    let length = 0;
    for (const [json] of query.iterate(from, last, Math.max(0, limit))) {
      items.push(json);
      length += json.length;
      if (length >= lengthMax) break;
    }
    return items;
  };
}

/** Columns of a `FoldingEvent`, in their order, but with the key of the row for the number. */
type FoldingColumns = readonly [
  workflowId: WorkflowId,
  id: number,
  json: string,
  total: number,
  size: number,
];

function createFoldingQueries(
  db: DatabaseSync,
  lengthMax: number,
): Pick<RunReader, 'liveEvents' | 'liveLengths' | 'foldingEvents'> {
  // CROSS JOIN keeps this order of the tables: run by run, each by the index of its folding events.
  const select = (runs: string) =>
    prepareListQuery<FoldingColumns>(
      db,
      `SELECT w.workflow_id, e.id, e.json, w.events, w.events_size
       FROM workflows w CROSS JOIN events e INDEXED BY folding_events ON e.folds = 1
         AND e.id BETWEEN max(w.id * ${ROWS_PER_RUN}, ?1) AND w.id * ${ROWS_PER_RUN} + ${ROWS_PER_RUN - 1}
       WHERE ${runs} ORDER BY w.id, e.id`,
    );
  const ofLive = select('w.live = 1 AND w.id >= ?2');
  const ofOne = select('w.id = ?2');
  const find = prepareQuery<{ readonly run: number }>(
    db,
    'SELECT id AS run FROM workflows WHERE workflow_id = ?',
  );
  const lengths = prepareListQuery<readonly [WorkflowId, number]>(
    db,
    'SELECT workflow_id, events FROM workflows WHERE live = 1 ORDER BY id',
  );
  const runOf = (workflowId: WorkflowId) => find.get(workflowId)?.run ?? 0;
  const read = (rows: Iterable<FoldingColumns>): readonly FoldingEvent[] => {
    const found: FoldingEvent[] = [];
    let length = 0;
    for (const [workflowId, id, json, total, size] of rows) {
      found.push({ workflowId, seq: rowNumber(id), json, total, size });
      length += json.length;
      if (length >= lengthMax) break;
    }
    return found;
  };
  return {
    liveEvents: (after) => {
      const run = after === null ? 0 : runOf(after.workflowId);
      return read(ofLive.iterate(rowId(run, after?.seq ?? 0) + 1, run));
    },
    liveLengths: () => new Map(lengths.all()),
    foldingEvents: (workflowId, fromSeq) => {
      const run = runOf(workflowId);
      return read(ofOne.iterate(rowId(run, Math.max(1, fromSeq)), run));
    },
  };
}

function createFirstEventQuery(db: DatabaseSync, snapshot: Snapshot): RunReader['firstEvents'] {
  const query = prepareListQuery<readonly [json: string]>(
    db,
    `SELECT e.json FROM workflows w JOIN events e ON e.id = w.id * ${ROWS_PER_RUN} + 1 WHERE w.workflow_id = ?`,
  );
  return (workflowIds, length) =>
    snapshot(() => {
      const found: (string | null)[] = [];
      let read = 0;
      for (const workflowId of workflowIds) {
        const [json = null] = query.get(workflowId) ?? [];
        found.push(json);
        read += json?.length ?? 0;
        if (read >= length) break;
      }
      return found;
    });
}

function createPartsReader(db: DatabaseSync) {
  const attachment = prepareQuery<AttachmentRow>(
    db,
    `SELECT a.attachment_id AS attachmentId, a.name, a.type
     FROM attachments a JOIN workflows w ON w.id = a.run WHERE w.workflow_id = ? AND a.attachment_id = ?`,
  );
  const jobs = prepareQuery<JobRow>(
    db,
    `SELECT j.job_id AS jobId, j.json FROM jobs j JOIN workflows w ON w.id = j.run
     WHERE w.workflow_id = ? ORDER BY j.id`,
  );
  return {
    attachment: (workflowId: WorkflowId, attachmentId: AttachmentId) =>
      attachment.get(workflowId, attachmentId) ?? null,
    jobs: (workflowId: WorkflowId) => jobs.all(workflowId),
  };
}

function createBrokenReportsQuery(
  db: DatabaseSync,
  snapshot: Snapshot,
): RunReader['brokenReports'] {
  const ofRun = 'FROM broken_reports b JOIN workflows w ON w.id = b.run WHERE w.workflow_id = ?';
  const count = prepareQuery<{ readonly total: number }>(db, `SELECT count(*) AS total ${ofRun}`);
  const first = prepareQuery<{ readonly json: string }>(
    db,
    `SELECT b.json ${ofRun} ORDER BY b.id LIMIT ?`,
  );
  return (workflowId, limit) =>
    snapshot(() => ({
      items: first.all(workflowId, limit).map(({ json }) => json),
      total: count.get(workflowId)?.total ?? 0,
    }));
}

function toWorkflowRow(stored: StoredRun): WorkflowRow {
  const { workflowId, name, namespace, status, createdAt, completedAt } = stored;
  const workers = parseWorkers(stored.workers);
  const live = stored.live === 1;
  return { workflowId, name, namespace, status, live, workers, createdAt, completedAt };
}

function listedRow(columns: ListedColumns): ListedRun {
  const [place, workflowId, namespace, status, hasWorkers, masks] = columns;
  return { place, workflowId, namespace, status, hasWorkers: hasWorkers === 1, masks };
}

const NO_WORKERS: readonly string[] = [];

/** Nearly all runs have none. */
function parseWorkers(json: string): readonly string[] {
  return json === '[]' ? NO_WORKERS : JSON.parse(json);
}

/** Reads of runs: rows, events, logs, attachments and jobs. Each call is one snapshot. */
import type { DatabaseSync } from 'node:sqlite';
import type { AttachmentId, Timestamp, WorkflowId } from '@tutti/manifests';
import type { AttachmentRow, JobRow, ListedRun, LogSlice, WorkflowRow } from '../store.ts';
import type { SqliteLimits } from './limits.ts';
import { LOG_PAGE_BYTES, logPageOf } from './log-pages.ts';
import { prepareListQuery, prepareQuery, type Reads } from './query.ts';
import { ROWS_PER_RUN, rowId, rowIdRange } from './row-ids.ts';
import type { Snapshot } from './snapshot.ts';

interface StoredRun extends Omit<WorkflowRow, 'live' | 'workers'> {
  readonly run: number;
  readonly events: number;
  readonly logBytes: number;
  readonly live: 0 | 1;
  readonly workers: string;
}

/** A row of `SELECT_RUNS`. */
type ListedColumns = readonly [
  workflowId: WorkflowId,
  namespace: string,
  status: WorkflowRow['status'],
  hasWorkers: 0 | 1,
];

const SELECT_RUNS =
  "SELECT workflow_id, namespace, status, workers <> '[]' FROM workflows ORDER BY id";
const SELECT_RUN = `SELECT id AS run, workflow_id AS workflowId, name, namespace, status, live, workers,
  created_at AS createdAt, completed_at AS completedAt, events, log_bytes AS logBytes FROM workflows`;

export interface RunReader
  extends Reads<
    | (
        | 'workflow'
        | 'workflows'
        | 'liveWorkflowIds'
        | 'surplusWorkflowIds'
        | 'events'
        | 'firstEvents'
      )
    | ('log' | 'attachment' | 'jobs' | 'brokenReports')
  > {
  /** True when runs were forgotten whose rows are still there. */
  hasForgottenRuns(): boolean;
}

export function createRunReader(
  db: DatabaseSync,
  snapshot: Snapshot,
  limits: Pick<SqliteLimits, 'eventsLengthMax'>,
): RunReader {
  const one = prepareQuery<StoredRun>(db, `${SELECT_RUN} WHERE workflow_id = ?`);
  const all = prepareListQuery<ListedColumns>(db, SELECT_RUNS);
  const live = prepareQuery<{ readonly workflowId: WorkflowId }>(
    db,
    'SELECT workflow_id AS workflowId FROM workflows WHERE live = 1 ORDER BY id',
  );
  const forgotten = prepareQuery(db, 'SELECT id FROM forgotten_runs LIMIT 1');
  const readEvents = createEventQuery(db, limits.eventsLengthMax);
  const readLog = createLogQuery(db);
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
    workflows: () => all.all().map(listedRow),
    liveWorkflowIds: () => live.all().map((row) => row.workflowId),
    events: (workflowId, fromSeq, limit) =>
      ofRun(workflowId, (run) => ({
        items: readEvents(run.run, fromSeq, limit),
        total: run.events,
        workflow: toWorkflowRow(run),
      })),
    log: (workflowId, start, end) => ofRun(workflowId, (run) => readLog(run, start, end)),
    firstEvents: createFirstEventQuery(db, snapshot),
    hasForgottenRuns: () => forgotten.get() !== undefined,
    ...createPartsReader(db),
    brokenReports: createBrokenReportsQuery(db, snapshot),
    surplusWorkflowIds: createSurplusQuery(db, snapshot),
  };
}

/** In the order of `ended_workflows`, of which the conditions have to be the same. */
function createSurplusQuery(db: DatabaseSync, snapshot: Snapshot): RunReader['surplusWorkflowIds'] {
  const ended = 'FROM workflows WHERE live = 0 AND completed_at IS NOT NULL';
  const newestSurplus = prepareQuery<{ readonly at: Timestamp; readonly id: number }>(
    db,
    `SELECT completed_at AS at, id ${ended} ORDER BY completed_at DESC, id DESC LIMIT 1 OFFSET ?`,
  );
  const upTo = prepareListQuery<readonly [WorkflowId]>(
    db,
    `SELECT workflow_id ${ended} AND (completed_at, id) <= (?, ?) ORDER BY completed_at, id LIMIT ?`,
  );
  return ({ before, kept, limit }) =>
    snapshot(() => {
      const { at, id } = newestSurplus.get(kept) ?? { at: before, id: 0 };
      // Numbers of runs begin at 1, so that this is all that ended before the time.
      const last = at < before ? ([before, 0] as const) : ([at, id] as const);
      return upTo.all(...last, limit).map(([workflowId]) => workflowId);
    });
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

function createLogQuery(db: DatabaseSync) {
  const query = prepareQuery<{ readonly bytes: Uint8Array }>(
    db,
    'SELECT bytes FROM log_pages WHERE id BETWEEN ? AND ? ORDER BY id',
  );
  return ({ run, logBytes }: StoredRun, start: number, end: number): LogSlice => {
    const from = Math.max(0, start);
    const to = Math.min(end, logBytes);
    if (from >= to) return { bytes: new Uint8Array(), total: logBytes };
    const first = logPageOf(from);
    const last = logPageOf(to - 1);
    const pages = new Uint8Array((last.page - first.page + 1) * LOG_PAGE_BYTES);
    for (const [index, row] of query.all(rowId(run, first.page), rowId(run, last.page)).entries()) {
      pages.set(row.bytes, index * LOG_PAGE_BYTES);
    }
    return { bytes: pages.subarray(first.within, first.within + to - from), total: logBytes };
  };
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

function listedRow([workflowId, namespace, status, hasWorkers]: ListedColumns): ListedRun {
  return { workflowId, namespace, status, hasWorkers: hasWorkers === 1 };
}

const NO_WORKERS: readonly string[] = [];

/** Nearly all runs have none. */
function parseWorkers(json: string): readonly string[] {
  return json === '[]' ? NO_WORKERS : JSON.parse(json);
}

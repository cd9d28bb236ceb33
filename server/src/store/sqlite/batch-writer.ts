/** Applies batches of operations, each batch as one transaction. An append is the fence, the events, and the projections. */
import type { DatabaseSync } from 'node:sqlite';
import { durationOf } from '../run-duration.ts';
import { type DocumentWrite, type Projection, RUN_MASKS, type WorkflowRow } from '../store.ts';
import type { AppendAnswer, WriterAnswer } from '../writes/operations.ts';
import { isDamagedPage } from './damaged-page.ts';
import { createForgetWriter } from './forget-writer.ts';
import { isFullDisk } from './full-disk.ts';
import { createIndexMerger } from './index-merger.ts';
import type { SqliteLimits } from './limits.ts';
import { createLogWriter } from './log-writer.ts';
import { prepareQuery } from './query.ts';
import { createRecordWriter } from './record-writer.ts';
import { rowId } from './row-ids.ts';
import { createSummaryWriter } from './summary-writer.ts';
import { createTestCaseWriter } from './test-case-writer.ts';
import { createHistoryWriter } from './test-history-writer.ts';
import { inSavepoint, inTransaction } from './transaction.ts';
import type { WrittenAppend, WrittenOperation } from './writer-protocol.ts';

/** State of a run that the writer needs to append to it. */
interface Head {
  readonly run: number;
  readonly events: number;
  readonly eventsSize: number;
  /** Length of the log. */
  readonly logBytes: number;
  /** Bytes of it whose text is in events. */
  readonly partBytes: number;
  /** Null where an earlier version began the log. */
  readonly logLines: number | null;
  readonly testCases: number;
}

type ApplyAppend = (append: WrittenAppend) => AppendAnswer;

export function createAppendWriter(db: DatabaseSync, limits: SqliteLimits): ApplyAppend {
  const heads = createHeads(db);
  const writeParts = createPartsWriter(db);
  const writeLog = createLogWriter(db);
  const testCases = createTestCaseWriter(db, limits);
  const records = createRecordWriter(db);
  const summaries = createSummaryWriter(db);
  const merger = createIndexMerger(db);
  const insertEvent = db.prepare(
    'INSERT INTO events (id, kind, json, folds) VALUES (?, ?, CAST(? AS TEXT), ?)',
  );

  return (append) => {
    const { workflowId, projection } = append;
    const known = heads.read(workflowId);
    const length = known?.events ?? 0;
    if (length !== append.expectedSeq) return { outcome: 'conflict', seq: length };
    const head = known ?? heads.create(workflowId, projection.workflow);
    let seq = length;
    let { eventsSize } = head;
    for (const { kind, json, folds = true } of append.events) {
      seq += 1;
      eventsSize += json.length;
      insertEvent.run(rowId(head.run, seq), kind, json, folds ? 1 : 0);
    }
    const log = writeLog(head, projection);
    const added = testCases.writeCases(head.run, head.testCases, projection.testCases);
    testCases.writeErrors(head.run, projection.testErrors ?? []);
    writeParts(head.run, projection);
    if (projection.summary) summaries.put(head.run, projection.summary, head.logLines);
    heads.update({
      ...head,
      ...log,
      events: seq,
      eventsSize,
      testCases: head.testCases + added,
    });
    // A new run was created with its row.
    if (known !== null && projection.workflow !== null) heads.show(head.run, projection.workflow);
    if (projection.testCases.length > 0) heads.noteResults(head.run);
    if (projection.workflow?.live === false) merger.end(head.run);
    const masks = append.documents.find(({ collection }) => collection === RUN_MASKS);
    if (masks !== undefined) heads.mask(head.run, masks);
    return { outcome: 'appended', seq, logBytes: log.logBytes, ...records.write(append) };
  };
}

function createHeads(db: DatabaseSync) {
  const find = prepareQuery<Head>(
    db,
    `SELECT id AS run, events, events_size AS eventsSize, log_bytes AS logBytes, part_bytes AS partBytes,
       log_lines AS logLines, test_cases AS testCases
     FROM workflows WHERE workflow_id = ?`,
  );
  const insert = db.prepare(
    `INSERT INTO workflows (workflow_id, name, namespace, status, live, workers, created_at, completed_at,
       duration_ms, events, log_bytes, log_lines, test_cases)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0)`,
  );
  const count = db.prepare(
    `UPDATE workflows SET events = ?, events_size = ?, log_bytes = ?, part_bytes = ?, log_lines = ?, test_cases = ?
     WHERE id = ?`,
  );
  const replace = db.prepare(
    `UPDATE workflows SET name = ?, namespace = ?, status = ?, live = ?, workers = ?, created_at = ?,
       completed_at = ?, duration_ms = ? WHERE id = ?`,
  );
  const noteResults = db.prepare(
    `UPDATE workflows SET unfolded = events, failures = (SELECT coalesce(sum(count), 0) FROM test_case_counts
       WHERE run = ?1 AND outcome IN ('failure', 'error')) WHERE id = ?1`,
  );
  const mask = db.prepare('UPDATE workflows SET masks_size = ? WHERE id = ?');
  return {
    read: (workflowId: string): Head | null => find.get(workflowId) ?? null,
    create(workflowId: string, row: WorkflowRow | null): Head {
      if (row === null) throw new Error('The first append of a run comes with its row.');
      const run = Number(insert.run(workflowId, ...columns(row)).lastInsertRowid);
      const nothing = { eventsSize: 0, logBytes: 0, partBytes: 0, logLines: 0, testCases: 0 };
      return { run, events: 0, ...nothing };
    },
    update({ run, events, eventsSize, logBytes, partBytes, logLines, testCases }: Head): void {
      count.run(events, eventsSize, logBytes, partBytes, logLines, testCases, run);
    },
    show(run: number, row: WorkflowRow): void {
      replace.run(...columns(row), run);
    },
    /** Counts failures, and lets the run wait to be folded. */
    noteResults(run: number): void {
      noteResults.run(run);
    },
    mask(run: number, { json }: DocumentWrite): void {
      mask.run(Buffer.byteLength(json ?? ''), run);
    },
  };
}

function columns(row: WorkflowRow) {
  return [
    row.name,
    row.namespace,
    row.status,
    row.live ? 1 : 0,
    JSON.stringify(row.workers),
    row.createdAt,
    row.completedAt,
    durationOf(row),
  ] as const;
}

function createPartsWriter(db: DatabaseSync) {
  const putAttachment = db.prepare(
    `INSERT INTO attachments (run, attachment_id, name, type) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET name = excluded.name, type = excluded.type`,
  );
  const putJob = db.prepare(
    `INSERT INTO jobs (run, job_id, json) VALUES (?, ?, ?)
     ON CONFLICT (run, job_id) DO UPDATE SET json = excluded.json`,
  );
  const putBrokenReport = db.prepare(
    `INSERT INTO broken_reports (run, attachment_id, json) VALUES (?, ?, ?)
     ON CONFLICT (run, attachment_id) DO NOTHING`,
  );
  return (run: number, { attachments, jobs, brokenReports = [] }: Projection): void => {
    for (const { attachmentId, name, type } of attachments) {
      putAttachment.run(run, attachmentId, name, type);
    }
    for (const job of jobs) putJob.run(run, job.jobId, job.json);
    for (const { attachmentId, json } of brokenReports) {
      putBrokenReport.run(run, attachmentId, json);
    }
  };
}

type ApplyBatch = (operations: readonly WrittenOperation[]) => readonly WriterAnswer[];

type Apply = (operation: WrittenOperation) => WriterAnswer;

/**
 * Answers in the order of the operations; each answer but `failed` is durable. An operation that fails takes nothing else with it: the
 * batch is done again, each operation under a savepoint. Batches without a failure need none.
 */
export function createBatchWriter(db: DatabaseSync, limits: SqliteLimits): ApplyBatch {
  const apply = createApply(db, limits);
  return (operations) => {
    try {
      return inTransaction(db, () => operations.map(apply));
    } catch {
      return applyApart(db, apply, operations);
    }
  };
}

function createApply(db: DatabaseSync, limits: SqliteLimits): Apply {
  const append = createAppendWriter(db, limits);
  const records = createRecordWriter(db);
  const summaries = createSummaryWriter(db);
  const history = createHistoryWriter(db, limits);
  const forget = createForgetWriter(db, limits);
  const merger = createIndexMerger(db);
  const tidy = (rowsMax: number) => forget.purge(rowsMax) || merger.merge(rowsMax);
  return (operation) => {
    switch (operation.kind) {
      case 'append':
        return append(operation.append);
      case 'write':
        for (const added of operation.write.summaries ?? []) summaries.add(added);
        if (operation.write.testHistory !== undefined) history(operation.write.testHistory);
        return { outcome: 'done', ...records.write(operation.write) };
      case 'forget':
        forget.hide(operation.workflowIds);
        return { outcome: 'done' };
      case 'forget-executions':
        forget.hideExecutions(operation.before);
        return { outcome: 'done' };
      case 'purge':
        return { outcome: tidy(limits.purgeRowsMax) ? 'more' : 'done' };
    }
  };
}

function applyApart(
  db: DatabaseSync,
  apply: Apply,
  operations: readonly WrittenOperation[],
): readonly WriterAnswer[] {
  try {
    return inTransaction(db, () => operations.map((operation) => attempt(db, apply, operation)));
  } catch (error) {
    return operations.map(() => failed(error));
  }
}

function attempt(db: DatabaseSync, apply: Apply, operation: WrittenOperation): WriterAnswer {
  try {
    return inSavepoint(db, () => apply(operation));
  } catch (error) {
    // The full disk undid the whole transaction, with the earlier operations of the batch.
    if (!db.isTransaction) throw error;
    return failed(error);
  }
}

function failed(error: unknown): WriterAnswer {
  const why = error instanceof Error ? error.message : String(error);
  const [isDiskFull, isDamaged] = [isFullDisk(error), isDamagedPage(error)];
  return { outcome: 'failed', why, isDiskFull, isDamaged };
}

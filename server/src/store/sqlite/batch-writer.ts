/** Applies batches of operations, each batch as one transaction. */
import type { DatabaseSync } from 'node:sqlite';
import { createAppendWriter } from './append-writer.ts';
import { isDamagedPage } from './damaged-page.ts';
import { createForgetWriter } from './forget-writer.ts';
import { isFullDisk } from './full-disk.ts';
import type { SqliteLimits } from './limits.ts';
import { createRecordWriter } from './record-writer.ts';
import { inSavepoint, inTransaction } from './transaction.ts';
import type { WriterAnswer, WriterOperation } from './writer-protocol.ts';

export type ApplyBatch = (operations: readonly WriterOperation[]) => readonly WriterAnswer[];

type Apply = (operation: WriterOperation) => WriterAnswer;

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
  const forget = createForgetWriter(db, limits);
  return (operation) => {
    switch (operation.kind) {
      case 'append':
        return append(operation.append);
      case 'write':
        return { outcome: 'done', ...records.write(operation.write) };
      case 'forget':
        forget.hide(operation.workflowIds);
        return { outcome: 'done' };
      case 'forget-executions':
        forget.hideExecutions(operation.before);
        return { outcome: 'done' };
      case 'purge':
        return { outcome: forget.purge(limits.purgeRowsMax) ? 'more' : 'done' };
    }
  };
}

function applyApart(
  db: DatabaseSync,
  apply: Apply,
  operations: readonly WriterOperation[],
): readonly WriterAnswer[] {
  try {
    return inTransaction(db, () => operations.map((operation) => attempt(db, apply, operation)));
  } catch (error) {
    return operations.map(() => failed(error));
  }
}

function attempt(db: DatabaseSync, apply: Apply, operation: WriterOperation): WriterAnswer {
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

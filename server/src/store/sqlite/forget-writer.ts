/**
 * Forgetting a run has two parts. It is hidden at once, in one small transaction; its rows, which can be millions, go in small
 * portions between other writes. What is left when the server stops goes after the next start.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { WorkflowId } from '@tutti/manifests';
import { RUN_MASKS } from '../store.ts';
import { prepareQuery } from './query.ts';
import { rowIdRange } from './row-ids.ts';

export interface ForgetWriter {
  hide(workflowIds: readonly WorkflowId[]): void;
  /** Removes some rows of hidden runs, about `rowsMax`; true when there are more. */
  purge(rowsMax: number): boolean;
}

export function createForgetWriter(db: DatabaseSync): ForgetWriter {
  const remember = db.prepare(
    'INSERT INTO forgotten_runs (id) SELECT id FROM workflows WHERE workflow_id = ?',
  );
  const forgetMasks = db.prepare('DELETE FROM documents WHERE collection = ? AND key = ?');
  const hide = db.prepare('DELETE FROM workflows WHERE workflow_id = ?');
  const next = prepareQuery<{ readonly run: number }>(
    db,
    'SELECT id AS run FROM forgotten_runs ORDER BY id LIMIT 1',
  );
  const finish = db.prepare('DELETE FROM forgotten_runs WHERE id = ?');
  const removeRows = createRowRemover(db);
  return {
    hide(workflowIds) {
      for (const workflowId of workflowIds) {
        remember.run(workflowId);
        hide.run(workflowId);
        forgetMasks.run(RUN_MASKS, workflowId);
      }
    },
    purge(rowsMax) {
      let left = rowsMax;
      while (left > 0) {
        const run = next.get()?.run;
        if (run === undefined) return false;
        left -= removeRows(run, left);
        if (left > 0) finish.run(run);
      }
      return true;
    },
  };
}

/** Removes at most `rowsMax` rows of a run, and answers how many; fewer than that means that nothing is left. */
function createRowRemover(db: DatabaseSync) {
  const byRange = [
    ...['events', 'log_pages', 'test_cases'].map((table) =>
      db.prepare(
        `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE id BETWEEN ? AND ? LIMIT ?)`,
      ),
    ),
    db.prepare(
      `DELETE FROM test_case_history WHERE (test_case, execution) IN
         (SELECT test_case, execution FROM test_case_history WHERE test_case BETWEEN ? AND ? LIMIT ?)`,
    ),
  ];
  const byRun = [
    ['attachments', 'attachment_id'],
    ['jobs', 'job_id'],
    ['test_case_counts', 'job_id, outcome'],
  ].map(([table, key]) =>
    db.prepare(
      `DELETE FROM ${table} WHERE (run, ${key}) IN (SELECT run, ${key} FROM ${table} WHERE run = ? LIMIT ?)`,
    ),
  );
  return (run: number, rowsMax: number): number => {
    const { first, last } = rowIdRange(run);
    let removed = 0;
    for (const remove of byRange) {
      removed += Number(remove.run(first, last, rowsMax - removed).changes);
    }
    for (const remove of byRun) removed += Number(remove.run(run, rowsMax - removed).changes);
    return removed;
  };
}

/**
 * Forgetting a run has two parts. It is hidden at once, in one small transaction. Its rows, which can be millions, go in small portions
 * between other writes. Rows that are left when the server stops go after the next start. The executions of its test cases are kept as long
 * as `test_runs` has the run.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Timestamp, WorkflowId } from '@tutti/manifests';
import { SELECT_EXPIRED } from '../kept-executions.ts';
import { RUN_MASKS } from '../store.ts';
import type { SqliteLimits } from './limits.ts';
import { prepareQuery } from './query.ts';
import { rowIdRange } from './row-ids.ts';

export interface ForgetWriter {
  hide(workflowIds: readonly WorkflowId[]): void;
  /** Executions of test cases of runs that are forgotten and were made before that time. */
  hideExecutions(before: Timestamp): void;
  /** Removes some rows of hidden runs, about `rowsMax`; true when there are more. */
  purge(rowsMax: number): boolean;
}

interface FoundRun {
  readonly run: number;
}

export function createForgetWriter(db: DatabaseSync, limits: SqliteLimits): ForgetWriter {
  const remember = db.prepare('INSERT OR IGNORE INTO forgotten_runs (id) VALUES (?)');
  const next = prepareQuery<FoundRun>(
    db,
    'SELECT id AS run FROM forgotten_runs ORDER BY id LIMIT 1',
  );
  const finish = db.prepare('DELETE FROM forgotten_runs WHERE id = ?');
  const removeRows = createRowRemover(db);
  return {
    hide: createHiding(db, limits, remember),
    hideExecutions: createExecutionsHiding(db, remember),
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

type Statement = ReturnType<DatabaseSync['prepare']>;

function createHiding(db: DatabaseSync, limits: SqliteLimits, remember: Statement) {
  const find = prepareQuery<FoundRun>(db, 'SELECT id AS run FROM workflows WHERE workflow_id = ?');
  const forgetMasks = db.prepare('DELETE FROM documents WHERE collection = ? AND key = ?');
  const hide = db.prepare('DELETE FROM workflows WHERE id = ?');
  // A run that is no longer among the newest of its name keeps nothing.
  const hideSurplus = db.prepare(
    `DELETE FROM test_runs WHERE run = ? AND EXISTS (SELECT 1 FROM test_runs newer
       WHERE newer.namespace = test_runs.namespace AND newer.name = test_runs.name
         AND newer.run > test_runs.run LIMIT 1 OFFSET ?)`,
  );
  return (workflowIds: readonly WorkflowId[]): void => {
    for (const workflowId of workflowIds) {
      const run = find.get(workflowId)?.run;
      if (run === undefined) continue;
      remember.run(run);
      hide.run(run);
      hideSurplus.run(run, limits.testRunsMax - 1);
      forgetMasks.run(RUN_MASKS, workflowId);
    }
  };
}

function createExecutionsHiding(db: DatabaseSync, remember: Statement) {
  const expired = prepareQuery<FoundRun>(db, SELECT_EXPIRED);
  const hide = db.prepare('DELETE FROM test_runs WHERE run = ?');
  return (before: Timestamp): void => {
    for (const { run } of expired.all(before)) {
      remember.run(run);
      hide.run(run);
    }
  };
}

/** Removes at most `rowsMax` rows of a run, and answers how many; fewer than that means that nothing is left. */
function createRowRemover(db: DatabaseSync) {
  const isKept = prepareQuery<FoundRun>(db, 'SELECT run FROM test_runs WHERE run = ?');
  const ofRun = [
    ...['events', 'log_pages', 'test_cases'].map((table) => inRange(db, table, 'id')),
    inRange(db, 'test_case_history', 'test_case, execution'),
    ofRunNumber(db, 'log_parts', 'start'),
    ofRunNumber(db, 'log_marks', 'line'),
    ofRunNumber(db, 'attachments', 'attachment_id'),
    ofRunNumber(db, 'jobs', 'job_id'),
    ofRunNumber(db, 'broken_reports', 'attachment_id'),
    ofRunNumber(db, 'test_case_counts', 'job_id, outcome'),
    ofRunNumber(db, 'run_summaries', 'json'),
  ];
  const ofExecutions = [
    inRange(db, 'test_executions', 'test_case, execution'),
    ofRunNumber(db, 'test_case_keys', 'key'),
  ];
  return (run: number, rowsMax: number): number => {
    let removed = 0;
    const isHistory = isKept.get(run) !== undefined;
    for (const remove of isHistory ? ofRun : [...ofRun, ...ofExecutions]) {
      removed += remove(run, rowsMax - removed);
    }
    return removed;
  };
}

type RemoveRows = (run: number, rowsMax: number) => number;

/** Removes rows of a table whose key begins with the number of a row of the run. */
function inRange(db: DatabaseSync, table: string, key: string): RemoveRows {
  const [first = key] = key.split(', ');
  const remove = db.prepare(
    `DELETE FROM ${table} WHERE (${key}) IN
       (SELECT ${key} FROM ${table} WHERE ${first} BETWEEN ? AND ? LIMIT ?)`,
  );
  return (run, rowsMax) => {
    const range = rowIdRange(run);
    return Number(remove.run(range.first, range.last, rowsMax).changes);
  };
}

/** Removes rows of a table whose key begins with the number of the run. */
function ofRunNumber(db: DatabaseSync, table: string, key: string): RemoveRows {
  const remove = db.prepare(
    `DELETE FROM ${table} WHERE (run, ${key}) IN (SELECT run, ${key} FROM ${table} WHERE run = ? LIMIT ?)`,
  );
  return (run, rowsMax) => Number(remove.run(run, rowsMax).changes);
}

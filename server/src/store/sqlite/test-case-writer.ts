/** Test cases of a run, with their counts per job and outcome, and the history of test cases over all runs. */
import type { DatabaseSync } from 'node:sqlite';
import type { TestAttemptRow, TestCaseRow } from '../store.ts';
import type { SqliteLimits } from './limits.ts';
import { prepareQuery } from './query.ts';
import { rowId } from './row-ids.ts';
import { createErrorsWriter, type WriteErrors } from './test-errors-writer.ts';

interface KnownTestCase {
  readonly id: number;
  readonly jobId: string;
  readonly outcome: string;
  readonly json: string;
  readonly executions: number;
}

export interface TestCaseWriter {
  /** Writes executions into a run that has `count` test cases; answers how many of them are new test cases. */
  writeCases(run: number, count: number, cases: readonly TestCaseRow[]): number;
  /** After the cases of the same append. */
  readonly writeErrors: WriteErrors;
  writeAttempts(attempts: readonly TestAttemptRow[]): void;
}

export function createTestCaseWriter(db: DatabaseSync, limits: SqliteLimits): TestCaseWriter {
  const writeCase = createCaseWriter(db, limits);
  const writeAttempt = createAttemptWriter(db, limits);
  return {
    writeCases(run, count, cases) {
      let added = 0;
      for (const row of cases) if (writeCase(run, count + added, row)) added += 1;
      return added;
    },
    writeErrors: createErrorsWriter(db),
    writeAttempts(attempts) {
      for (const attempt of attempts) writeAttempt(attempt);
    },
  };
}

/** True when the key was new; it then gets this number, which is its place in the list. */
function createCaseWriter(db: DatabaseSync, limits: SqliteLimits) {
  const find = prepareQuery<KnownTestCase>(
    db,
    'SELECT id, job_id AS jobId, outcome, json, executions FROM test_cases WHERE run = ? AND key = ?',
  );
  const insert = db.prepare(
    `INSERT INTO test_cases (id, run, key, job_id, outcome, json, executions)
     VALUES (?, ?, ?, ?, ?, ?, 1)`,
  );
  const replace = createReplace(db, limits);
  const addToCount = createCounter(db);

  return (run: number, number: number, row: TestCaseRow): boolean => {
    addToCount(run, row.jobId, row.outcome, 1);
    const known = find.get(run, row.key);
    if (known === undefined) {
      insert.run(rowId(run, number), run, row.key, row.jobId, row.outcome, row.json);
      return true;
    }
    addToCount(run, known.jobId, known.outcome, -1);
    replace(known, row);
    return false;
  };
}

function createReplace(db: DatabaseSync, limits: SqliteLimits) {
  const update = db.prepare(
    'UPDATE test_cases SET job_id = ?, outcome = ?, json = ?, executions = ? WHERE id = ?',
  );
  const keep = db.prepare(
    'INSERT INTO test_case_history (test_case, execution, json) VALUES (?, ?, ?)',
  );
  const drop = db.prepare('DELETE FROM test_case_history WHERE test_case = ? AND execution = ?');
  return (known: KnownTestCase, row: TestCaseRow): void => {
    keep.run(known.id, known.executions, known.json);
    drop.run(known.id, known.executions - limits.testCaseHistoryMax);
    update.run(row.jobId, row.outcome, row.json, known.executions + 1, known.id);
  };
}

/** Counts are kept, because counting ten thousand test cases at every request is too slow. */
function createCounter(db: DatabaseSync) {
  const add = db.prepare(
    `INSERT INTO test_case_counts (run, job_id, outcome, count) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  );
  return (run: number, jobId: string, outcome: string, difference: 1 | -1): void => {
    add.run(run, jobId, outcome, difference);
  };
}

function createAttemptWriter(db: DatabaseSync, limits: SqliteLimits) {
  const count = prepareQuery<{ readonly test: number; readonly attempts: number }>(
    db,
    `INSERT INTO test_identities (identity, attempts) VALUES (?, 1)
     ON CONFLICT (identity) DO UPDATE SET attempts = attempts + 1
     RETURNING id AS test, attempts`,
  );
  const insert = db.prepare(
    'INSERT INTO test_attempts (test, at, attempt, outcome, duration_ms) VALUES (?, ?, ?, ?, ?)',
  );
  const dropOldest = db.prepare(
    `DELETE FROM test_attempts WHERE (test, at, attempt) IN
       (SELECT test, at, attempt FROM test_attempts WHERE test = ? ORDER BY at, attempt LIMIT 1)`,
  );
  return ({ identity, at, outcome, durationMs }: TestAttemptRow): void => {
    const known = count.get(identity);
    if (known === undefined) throw new Error('An upsert returned no row.');
    insert.run(known.test, at, known.attempts, outcome, durationMs);
    if (known.attempts > limits.testAttemptsMax) dropOldest.run(known.test);
  };
}

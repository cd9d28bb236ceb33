/** Test cases of a run, with their counts per job and outcome. */
import type { DatabaseSync } from 'node:sqlite';
import type { TestCaseRow } from '../store.ts';
import type { SqliteLimits } from './limits.ts';
import { prepareQuery } from './query.ts';
import { rowId } from './row-ids.ts';
import { createKeyHash } from './test-case-keys.ts';
import { createErrorsWriter, type WriteErrors } from './test-errors-writer.ts';
import { createExecutionWriter } from './test-execution-writer.ts';

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
}

export function createTestCaseWriter(db: DatabaseSync, limits: SqliteLimits): TestCaseWriter {
  const hashKey = createKeyHash();
  const writeCase = createCaseWriter(db, limits);
  const executions = createExecutionWriter(db, limits);
  const counts = createCounter(db);
  return {
    writeCases(run, count, cases) {
      if (cases.length === 0) return 0;
      if (count === 0) executions.begin(run);
      let added = 0;
      for (const row of cases) {
        const { id, execution, previous } = writeCase(run, count + added, hashKey(row.key), row);
        if (previous === null) added += 1;
        else counts.add(previous.jobId, previous.outcome, -1);
        counts.add(row.jobId, row.outcome, 1);
        executions.write(id, execution, row);
      }
      counts.write(run);
      return added;
    },
    writeErrors: createErrorsWriter(db, hashKey),
  };
}

interface WrittenCase {
  readonly id: number;
  /** Number of the execution, from 1. */
  readonly execution: number;
  /** Null when the key was new; the test case then got the number, which is its place in the list. */
  readonly previous: KnownTestCase | null;
}

function createCaseWriter(db: DatabaseSync, limits: SqliteLimits) {
  const find = prepareQuery<KnownTestCase>(
    db,
    `SELECT c.id, c.job_id AS jobId, c.outcome, c.json, c.executions
     FROM test_case_keys k JOIN test_cases c ON c.id = k.test_case WHERE k.run = ? AND k.key = ?`,
  );
  const insert = db.prepare(
    `INSERT INTO test_cases (id, key, job_id, outcome, executions, json) VALUES (?, ?, ?, ?, 1, ?)`,
  );
  const insertKey = db.prepare(
    'INSERT INTO test_case_keys (run, key, test_case) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const replace = createReplace(db, limits);
  return (run: number, number: number, key: Uint8Array, row: TestCaseRow): WrittenCase => {
    const id = rowId(run, number);
    if (insertKey.run(run, key, id).changes === 1) {
      insert.run(id, key, row.jobId, row.outcome, row.json);
      return { id, execution: 1, previous: null };
    }
    const known = find.get(run, key);
    if (known === undefined) throw new Error('A test case has a key and no row.');
    replace(known, row);
    return { id: known.id, execution: known.executions + 1, previous: known };
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

/**
 * Counts are kept, because counting ten thousand test cases at every request is too slow. Those of one append are added up first: they
 * are nearly all of one job.
 */
function createCounter(db: DatabaseSync) {
  const add = db.prepare(
    `INSERT INTO test_case_counts (run, job_id, outcome, count) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET count = count + excluded.count`,
  );
  const differences = new Map<string, Map<string, number>>();
  return {
    add(jobId: string, outcome: string, difference: 1 | -1): void {
      const ofJob = differences.get(jobId) ?? new Map<string, number>();
      ofJob.set(outcome, (ofJob.get(outcome) ?? 0) + difference);
      differences.set(jobId, ofJob);
    },
    write(run: number): void {
      for (const [jobId, ofJob] of differences) {
        for (const [outcome, difference] of ofJob) add.run(run, jobId, outcome, difference);
      }
      differences.clear();
    },
  };
}

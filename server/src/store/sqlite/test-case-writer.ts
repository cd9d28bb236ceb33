/** Test cases of a run, with their counts per job and outcome. */
import type { DatabaseSync } from 'node:sqlite';
import type { TestCaseRow } from '../store.ts';
import { firstKept } from './kept-executions.ts';
import type { SqliteLimits } from './limits.ts';
import { prepareQuery } from './query.ts';
import { rowId } from './row-ids.ts';
import { createKeyHash } from './test-case-keys.ts';
import { createErrorsWriter, type WriteErrors } from './test-errors-writer.ts';
import { createExecutionWriter, type ExecutionPlace } from './test-execution-writer.ts';

interface KnownTestCase {
  readonly id: number;
  readonly jobId: string;
  readonly outcome: string;
  readonly json: string;
  readonly executions: number;
  readonly precedence: number;
  /** Number of the execution that counts; null for the newest. */
  readonly counting: number | null;
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
        const written = writeCase(run, count + added, hashKey(row.key), row);
        const { previous } = written;
        if (previous === null) added += 1;
        if (written.counting === written.execution) {
          if (previous !== null) counts.add(previous.jobId, previous.outcome, -1);
          counts.add(row.jobId, row.outcome, 1);
        }
        executions.write(written, row);
      }
      counts.write(run);
      return added;
    },
    writeErrors: createErrorsWriter(db, hashKey),
  };
}

interface WrittenCase extends ExecutionPlace {
  /** Null when the key was new; the test case then got the number, which is its place in the list. */
  readonly previous: KnownTestCase | null;
}

function createCaseWriter(db: DatabaseSync, limits: SqliteLimits) {
  const find = prepareQuery<KnownTestCase>(
    db,
    `SELECT c.id, c.job_id AS jobId, c.outcome, c.json, c.executions, c.precedence, c.counting
     FROM test_case_keys k JOIN test_cases c ON c.id = k.test_case WHERE k.run = ? AND k.key = ?`,
  );
  const insert = db.prepare(
    `INSERT INTO test_cases (id, key, job_id, outcome, executions, json, precedence)
     VALUES (?, ?, ?, ?, 1, ?, ?)`,
  );
  const insertKey = db.prepare(
    'INSERT INTO test_case_keys (run, key, test_case) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const repeat = createRepeat(db, limits);
  return (run: number, number: number, key: Uint8Array, row: TestCaseRow): WrittenCase => {
    const id = rowId(run, number);
    if (insertKey.run(run, key, id).changes === 1) {
      insert.run(id, key, row.jobId, row.outcome, row.json, row.precedence);
      return { id, execution: 1, counting: 1, previous: null };
    }
    const known = find.get(run, key);
    if (known === undefined) throw new Error('A test case has a key and no row.');
    return { ...repeat(known, row), previous: known };
  };
}

/** A further execution takes the place of the one that counts, or goes to the others. */
function createRepeat(db: DatabaseSync, limits: SqliteLimits) {
  const replace = db.prepare(
    `UPDATE test_cases SET job_id = ?, outcome = ?, json = ?, executions = ?, precedence = ?, counting = NULL
     WHERE id = ?`,
  );
  const pass = db.prepare('UPDATE test_cases SET executions = ?, counting = ? WHERE id = ?');
  const keep = db.prepare(
    'INSERT INTO test_case_history (test_case, execution, json) VALUES (?, ?, ?)',
  );
  const drop = db.prepare('DELETE FROM test_case_history WHERE test_case = ? AND execution < ?');
  return (known: KnownTestCase, row: TestCaseRow): ExecutionPlace => {
    const { id } = known;
    const execution = known.executions + 1;
    const before = known.counting ?? known.executions;
    const counting = row.precedence >= known.precedence ? execution : before;
    if (counting === execution) {
      keep.run(id, before, known.json);
      replace.run(row.jobId, row.outcome, row.json, execution, row.precedence, id);
    } else {
      keep.run(id, execution, row.json);
      pass.run(execution, counting, id);
    }
    const first = firstKept({ execution, counting }, limits.testCaseHistoryMax);
    if (first > 1) drop.run(id, first);
    return { id, execution, counting };
  };
}

/**
 * Counts are kept, because counting ten thousand test cases at every request is too slow. The counts of one append are added up first: they
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

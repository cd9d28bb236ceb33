/** Test cases of a run, with their counts per job and outcome. */
import type { DatabaseSync } from 'node:sqlite';
import { firstKept } from '../kept-executions.ts';
import type { TestCaseRow } from '../store.ts';
import { createKeyHash } from '../test-case-keys.ts';
import type { SqliteLimits } from './limits.ts';
import { prepareQuery } from './query.ts';
import { rowId } from './row-ids.ts';
import { createTestCaseIndex, textOf } from './test-case-index.ts';
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
  const writeNew = createNew(db);
  const writeRepeat = createRepeat(db, limits);
  const index = createTestCaseIndex(db, limits);
  const executions = createExecutionWriter(db, limits);
  const counts = createCounter(db);
  return {
    writeCases(run, count, cases) {
      if (cases.length === 0) return 0;
      if (count === 0) executions.begin(run);
      const keyed = cases.map((row) => keyedBy(hashKey(row.key), row));
      const ids = index.find(
        run,
        keyed.map(({ text }) => text),
      );
      let added = 0;
      for (const { row, key, text } of keyed) {
        const known = ids.get(text);
        const written =
          known === undefined
            ? writeNew(rowId(run, count + added), key, row)
            : writeRepeat(known, row);
        const { previous } = written;
        if (previous === null) {
          index.add(run, count + added, key);
          ids.set(text, written.id);
          added += 1;
        }
        if (written.counting === written.execution) {
          if (previous !== null) counts.add(previous.jobId, previous.outcome, -1);
          counts.add(row.jobId, row.outcome, 1);
        }
        executions.write(written, row);
      }
      index.settle(run, count, count + added);
      counts.write(run);
      return added;
    },
    writeErrors: createErrorsWriter(db, hashKey, index),
  };
}

const keyedBy = (key: Uint8Array, row: TestCaseRow) => ({ key, text: textOf(key), row });

interface WrittenCase extends ExecutionPlace {
  /** Null when the key was new; the test case then got the number, which is its place in the list. */
  readonly previous: KnownTestCase | null;
}

function createNew(db: DatabaseSync) {
  const insert = db.prepare(
    `INSERT INTO test_cases (id, key, job_id, outcome, executions, json, precedence)
     VALUES (?, ?, ?, ?, 1, ?, ?)`,
  );
  return (id: number, key: Uint8Array, row: TestCaseRow): WrittenCase => {
    insert.run(id, key, row.jobId, row.outcome, row.json, row.precedence);
    return { id, execution: 1, counting: 1, previous: null };
  };
}

/** A further execution takes the place of the one that counts, or goes to the others. */
function createRepeat(db: DatabaseSync, limits: SqliteLimits) {
  const find = prepareQuery<KnownTestCase>(
    db,
    `SELECT id, job_id AS jobId, outcome, json, executions, precedence, counting
     FROM test_cases WHERE id = ?`,
  );
  const replace = db.prepare(
    `UPDATE test_cases SET job_id = ?, outcome = ?, json = ?, executions = ?, precedence = ?, counting = NULL
     WHERE id = ?`,
  );
  const pass = db.prepare('UPDATE test_cases SET executions = ?, counting = ? WHERE id = ?');
  const keep = db.prepare(
    'INSERT INTO test_case_history (test_case, execution, json) VALUES (?, ?, ?)',
  );
  const drop = db.prepare('DELETE FROM test_case_history WHERE test_case = ? AND execution < ?');
  return (id: number, row: TestCaseRow): WrittenCase => {
    const known = find.get(id);
    if (known === undefined) throw new Error('A test case has a key and no row.');
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
    return { id, execution, counting, previous: known };
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

/** Executions of test cases for later runs. They are kept beyond the retention of their run, for the newest runs of each name. */
import type { DatabaseSync } from 'node:sqlite';
import { parseTimestamp } from '@tutti/manifests';
import { firstKept } from '../kept-executions.ts';
import type { TestCaseRow, TestExecutionRow } from '../store.ts';
import type { SqliteLimits } from './limits.ts';

/** Which execution of which test case one is, and which of them counts now; numbers are from 1. */
export interface ExecutionPlace {
  /** Row of the test case. */
  readonly id: number;
  readonly execution: number;
  readonly counting: number;
}

export interface ExecutionWriter {
  /** Before the first execution of a run: its executions count for later runs from now on. */
  begin(run: number): void;
  /** Keeps the executions of a test case in the history of its run, and the one that counts. */
  write(place: ExecutionPlace, row: WrittenExecution): void;
}

type WrittenExecution = TestExecutionRow & Pick<TestCaseRow, 'precedence'>;

export function createExecutionWriter(db: DatabaseSync, limits: SqliteLimits): ExecutionWriter {
  const insert = db.prepare(
    `INSERT INTO test_executions (test_case, execution, outcome, duration_ms, started_us, ended_us, precedence)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const drop = db.prepare(
    'DELETE FROM test_executions WHERE test_case = ? AND execution < ? AND execution <> ?',
  );
  const toMicroseconds = createTimestampReader();
  return {
    begin: createBeginning(db, limits),
    write(place, { outcome, durationMs, startedAt, endedAt, precedence }) {
      const { id, execution, counting } = place;
      const times = [toMicroseconds(startedAt), toMicroseconds(endedAt)] as const;
      insert.run(id, execution, outcome, durationMs, ...times, precedence);
      const first = firstKept(place, limits.testCaseHistoryMax);
      if (first > 1) drop.run(id, first, counting);
    },
  };
}

/**
 * Replaces the run that is no longer among the newest of its name, if only its history is left. Older runs went before, or go
 * when they are forgotten. So only the newest runs of the name are read, however many there are.
 */
function createBeginning(db: DatabaseSync, limits: SqliteLimits): (run: number) => void {
  const insert = db.prepare(
    `INSERT INTO test_runs (run, workflow_id, namespace, name, created_at)
     SELECT id, workflow_id, namespace, name, created_at FROM workflows WHERE id = ?`,
  );
  const surplus = `SELECT t.run FROM test_runs n CROSS JOIN test_runs t
      ON t.namespace = n.namespace AND t.name = n.name
    WHERE n.run = ? ORDER BY t.run DESC LIMIT 1 OFFSET ?`;
  const forget = db.prepare(
    `INSERT OR IGNORE INTO forgotten_runs (id) SELECT run FROM (${surplus})
     WHERE run NOT IN (SELECT id FROM workflows)`,
  );
  const hide = db.prepare(
    `DELETE FROM test_runs WHERE run IN (${surplus}) AND run NOT IN (SELECT id FROM workflows)`,
  );
  return (run) => {
    insert.run(run);
    for (const statement of [forget, hide]) statement.run(run, limits.testRunsMax);
  };
}

/** Test cases of one report have one time, so the last ones are kept. */
function createTimestampReader(): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = Math.round((parseTimestamp(text) ?? 0) * 1_000);
    if (known.size >= TIMESTAMPS_MAX) known.clear();
    known.set(text, value);
    return value;
  };
}

const TIMESTAMPS_MAX = 64;

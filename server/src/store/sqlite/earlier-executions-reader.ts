/** Executions of the test cases of a run in the runs of its namespace and name that began before it. */
import type { DatabaseSync } from 'node:sqlite';
import { formatTimestamp, type Timestamp, type WorkflowId } from '@tutti/manifests';
import type { EarlierExecution } from '../store.ts';
import type { SqliteLimits } from './limits.ts';
import { prepareQuery } from './query.ts';
import { rowId, rowNumber } from './row-ids.ts';
import type { Snapshot } from './snapshot.ts';
import { IDENTITY_BYTES } from './test-case-keys.ts';

/** Of a test case `c`; a key with any reference lies between it, and it with the last reference. */
const IDENTITY = `substr(c.key, 1, ${IDENTITY_BYTES})`;

type ByPlace = ReadonlyMap<number, readonly EarlierExecution[]>;

export interface EarlierExecutionsReader {
  earlierExecutions(workflowId: WorkflowId, places: readonly number[]): ByPlace;
}

interface EarlierRun {
  readonly run: number;
  readonly workflowId: WorkflowId;
}

interface FoundExecution {
  /** Row of the test case of the later run. */
  readonly id: number;
  readonly isSameReference: 0 | 1;
  readonly outcome: EarlierExecution['outcome'];
  readonly durationMs: number;
  readonly startedUs: number;
  readonly endedUs: number;
}

export function createEarlierExecutionsReader(
  db: DatabaseSync,
  snapshot: Snapshot,
  { testRunsMax, earlierExecutionsMax }: SqliteLimits,
): EarlierExecutionsReader {
  const runOf = prepareQuery<{ readonly run: number }>(
    db,
    'SELECT id AS run FROM workflows WHERE workflow_id = ?',
  );
  const earlierRuns = prepareQuery<EarlierRun>(
    db,
    `SELECT e.run, e.workflow_id AS workflowId FROM test_runs t JOIN test_runs e
       ON e.namespace = t.namespace AND e.name = t.name AND e.run < t.run
     WHERE t.run = ? ORDER BY e.run DESC LIMIT ?`,
  );
  const readRun = createRunQuery(db);
  return {
    earlierExecutions: (workflowId, places) =>
      snapshot(() => {
        const run = runOf.get(workflowId)?.run;
        if (run === undefined || places.length === 0) return new Map();
        const ids = JSON.stringify(places.map((place) => rowId(run, place)));
        const runs = earlierRuns.all(run, testRunsMax - 1).toReversed();
        const found = new Map<number, EarlierExecution[]>();
        for (const earlier of runs) collect(found, earlier, readRun(earlier.run, ids));
        for (const list of found.values()) list.splice(0, list.length - earlierExecutionsMax);
        return found;
      }),
  };
}

/** Nested loops in this order: test cases of the later run, their keys in the earlier one, executions. */
function createRunQuery(db: DatabaseSync) {
  const query = prepareQuery<FoundExecution>(
    db,
    `SELECT c.id, k.key = c.key AS isSameReference, e.outcome, e.duration_ms AS durationMs,
       e.started_us AS startedUs, e.ended_us AS endedUs
     FROM json_each(?) AS place
       CROSS JOIN test_cases AS c ON c.id = place.value
       CROSS JOIN test_case_keys AS k ON k.run = ?
         AND k.key BETWEEN ${IDENTITY} AND CAST(${IDENTITY} || x'ffffffff' AS BLOB)
       CROSS JOIN test_executions AS e ON e.test_case = k.test_case
     ORDER BY c.id, k.test_case, e.execution`,
  );
  return (run: number, ids: string): readonly FoundExecution[] => query.all(ids, run);
}

/** Adds what one run has to what older ones have; of each test case the rows come one after the other. */
function collect(
  all: Map<number, EarlierExecution[]>,
  { workflowId }: EarlierRun,
  found: readonly FoundExecution[],
): void {
  // Test cases of one report have the same times.
  const timestamps = new Map<number, Timestamp>();
  const timestampOf = (us: number): Timestamp => {
    const text = timestamps.get(us) ?? formatTimestamp(us / 1_000);
    timestamps.set(us, text);
    return text;
  };
  const exact = new Set(found.filter((each) => each.isSameReference === 1).map(({ id }) => id));
  for (const { id, isSameReference, outcome, durationMs, startedUs, endedUs } of found) {
    if (isSameReference === 0 && exact.has(id)) continue;
    const [startedAt, endedAt] = [timestampOf(startedUs), timestampOf(endedUs)];
    const execution = { workflowId, outcome, durationMs, startedAt, endedAt };
    const list = all.get(rowNumber(id));
    if (list === undefined) all.set(rowNumber(id), [execution]);
    else list.push(execution);
  }
}

/** Executions of the test cases of a run in the runs of its namespace and name that began before it. */
import type { DatabaseSync } from 'node:sqlite';
import { formatTimestamp, type Timestamp, type WorkflowId } from '@tutti/manifests';
import { SELECT_EXPIRED } from '../kept-executions.ts';
import type { EarlierExecution } from '../store.ts';
import { IDENTITY_BYTES } from '../test-case-keys.ts';
import { PARTS_OF_RUN } from './index-parts.ts';
import type { SqliteLimits } from './limits.ts';
import { prepareListQuery, prepareQuery, type Reads } from './query.ts';
import { rowId, rowNumber } from './row-ids.ts';
import type { Snapshot } from './snapshot.ts';

/** Identity of a test case `c`; keys with a reference sort between it and itself with the last reference. */
const IDENTITY = `substr(c.key, 1, ${IDENTITY_BYTES})`;

export interface EarlierExecutionsReader extends Reads<'earlierExecutions'> {
  /** True when there are executions of forgotten runs that were made before that time. */
  hasExpiredExecutions(before: Timestamp): boolean;
}

interface EarlierRun {
  readonly run: number;
  readonly workflowId: WorkflowId;
}

type FoundExecution = readonly [
  /** Row of the test case of the later run. */
  id: number,
  isSameReference: 0 | 1,
  outcome: EarlierExecution['outcome'],
  durationMs: number,
  startedUs: number,
  endedUs: number,
  precedence: number,
  /** Row of the test case of the earlier run. */
  earlierId: number,
];

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
  const expired = prepareQuery(db, `${SELECT_EXPIRED} LIMIT 1`);
  return {
    hasExpiredExecutions: (before) => expired.get(before) !== undefined,
    earlierExecutions: (workflowId, places) =>
      snapshot(() => {
        const run = runOf.get(workflowId)?.run;
        if (run === undefined || places.length === 0) return new Map();
        const found = new Map<number, EarlierExecution[]>();
        const isOpen = (place: number) => (found.get(place)?.length ?? 0) < earlierExecutionsMax;
        let open = places;
        // The newest run first: an older one need not be read for a test case that has enough.
        for (const earlier of earlierRuns.all(run, testRunsMax - 1)) {
          const ids = JSON.stringify(open.map((place) => rowId(run, place)));
          collect(found, earlier, readRun(earlier.run, ids));
          open = open.filter(isOpen);
          if (open.length === 0) break;
        }
        for (const list of found.values()) list.splice(earlierExecutionsMax);
        for (const list of found.values()) list.reverse();
        return found;
      }),
  };
}

/** Nested loops in this order: parts of the earlier run, test cases of the later one, keys, executions. */
function createRunQuery(db: DatabaseSync) {
  const query = prepareListQuery<FoundExecution>(
    db,
    `${PARTS_OF_RUN} SELECT c.id, k.key = c.key, e.outcome, e.duration_ms, e.started_us, e.ended_us, e.precedence, k.test_case
     FROM parts
       CROSS JOIN json_each(?2) AS place
       CROSS JOIN test_cases AS c ON c.id = place.value
       CROSS JOIN test_case_keys AS k ON k.run = ?1 AND k.part = parts.part
         AND k.key BETWEEN ${IDENTITY} AND CAST(${IDENTITY} || x'ffffffff' AS BLOB)
       CROSS JOIN test_executions AS e ON e.test_case = k.test_case
     WHERE parts.part IS NOT NULL ORDER BY c.id, k.test_case, e.execution`,
  );
  return (run: number, ids: string): readonly FoundExecution[] => query.all(run, ids);
}

/** Adds what one run has to what newer ones have, the newest first. The rows of one test case come one after the other. */
function collect(
  all: Map<number, EarlierExecution[]>,
  { workflowId }: EarlierRun,
  found: readonly FoundExecution[],
): void {
  const timestampOf = createTimestampWriter();
  for (const each of countingLast(withoutOtherReferences(found)).toReversed()) {
    const [id, , outcome, durationMs, startedUs, endedUs] = each;
    const [startedAt, endedAt] = [timestampOf(startedUs), timestampOf(endedUs)];
    const execution = { workflowId, outcome, durationMs, startedAt, endedAt };
    const list = all.get(rowNumber(id));
    if (list === undefined) all.set(rowNumber(id), [execution]);
    else list.push(execution);
  }
}

/** Nearly always there are none at all. */
function withoutOtherReferences(found: readonly FoundExecution[]): readonly FoundExecution[] {
  if (found.every(([, isSameReference]) => isSameReference === 1)) return found;
  const exact = new Set(found.filter(([, isSame]) => isSame === 1).map(([id]) => id));
  return found.filter(([id, isSame]) => isSame === 1 || !exact.has(id));
}

/** Test cases of one report have the same times. */
function createTimestampWriter(): (us: number) => Timestamp {
  const known = new Map<number, Timestamp>();
  return (us) => {
    const text = known.get(us) ?? formatTimestamp(us / 1_000);
    known.set(us, text);
    return text;
  };
}

/** Executions of one test case in one run come one after the other, oldest first. The one that counts goes behind the others. */
function countingLast(found: readonly FoundExecution[]): readonly FoundExecution[] {
  // Nearly always each has one.
  if (found.every(([id], index) => id !== found[index + 1]?.[0])) return found;
  let all: FoundExecution[] | null = null;
  let counting = 0;
  for (const [index, each] of found.entries()) {
    const next = found[index + 1];
    let best = found[counting] ?? each;
    if (precedenceOf(each) >= precedenceOf(best)) [best, counting] = [each, index];
    if (next !== undefined && earlierIdOf(next) === earlierIdOf(each) && next[0] === each[0])
      continue;
    if (counting < index) {
      all ??= [...found];
      all.copyWithin(counting, counting + 1, index + 1);
      all[index] = best;
    }
    counting = index + 1;
  }
  return all ?? found;
}

const precedenceOf = (found: FoundExecution): number => found[6];
const earlierIdOf = (found: FoundExecution): number => found[7];

/** Executions of the test cases of a run in the runs of its namespace and name that began before it. */
import { formatTimestamp, type WorkflowId } from '@tutti/manifests';
import type { EarlierExecution } from '../store.ts';
import { IDENTITY_BYTES } from '../test-case-keys.ts';
import type { PostgresLimits } from './limits.ts';
import type { Read, Snapshot } from './read.ts';

interface FoundExecution {
  /** Place of the test case in the later run. */
  readonly place: number;
  readonly isSameReference: boolean;
  readonly outcome: EarlierExecution['outcome'];
  readonly durationMs: number;
  readonly startedUs: number;
  readonly endedUs: number;
  readonly precedence: number;
  /** Place of the test case in the earlier run. */
  readonly earlierPlace: number;
}

/** Keys with a reference sort between their identity and itself with the last reference. */
const SELECT = `SELECT c.place, e.key = c.key AS "isSameReference", e.outcome, e.duration_ms AS "durationMs",
    e.started_us AS "startedUs", e.ended_us AS "endedUs", e.precedence, e.place AS "earlierPlace"
  FROM test_cases c JOIN test_executions e ON e.workflow_id = $2
    AND e.key BETWEEN substr(c.key, 1, ${IDENTITY_BYTES}) AND substr(c.key, 1, ${IDENTITY_BYTES}) || '\\xffffffff'::bytea
  WHERE c.workflow_id = $1 AND c.place = ANY ($3) ORDER BY c.place, e.place, e.execution`;

export function createEarlierExecutionsReader(
  snapshot: Snapshot,
  { testRunsMax, earlierExecutionsMax }: PostgresLimits,
) {
  return {
    earlierExecutions: (
      workflowId: WorkflowId,
      places: readonly number[],
    ): Promise<ReadonlyMap<number, readonly EarlierExecution[]>> =>
      snapshot(async (read) => {
        const found = new Map<number, EarlierExecution[]>();
        if (places.length === 0) return found;
        const isOpen = (place: number) => (found.get(place)?.length ?? 0) < earlierExecutionsMax;
        let open = places;
        // The newest run first: an older one need not be read for a test case that has enough.
        for (const earlier of await earlierRuns(read, workflowId, testRunsMax - 1)) {
          collect(found, earlier, await read<FoundExecution>(SELECT, [workflowId, earlier, open]));
          open = open.filter(isOpen);
          if (open.length === 0) break;
        }
        for (const list of found.values()) list.splice(earlierExecutionsMax);
        for (const list of found.values()) list.reverse();
        return found;
      }),
  };
}

async function earlierRuns(read: Read, workflowId: WorkflowId, limit: number) {
  const rows = await read<{ readonly id: WorkflowId }>(
    `SELECT e.workflow_id AS id FROM runs r JOIN test_runs t ON t.workflow_id = r.workflow_id
       JOIN test_runs e ON e.name_hash = t.name_hash AND e.run < t.run
     WHERE r.workflow_id = $1 ORDER BY e.run DESC LIMIT $2`,
    [workflowId, limit],
  );
  return rows.map(({ id }) => id);
}

/** Adds what one run has to what newer ones have, the newest first. */
function collect(
  all: Map<number, EarlierExecution[]>,
  workflowId: WorkflowId,
  found: readonly FoundExecution[],
): void {
  for (const [place, executions] of Map.groupBy(found, (each) => each.place)) {
    const counted = countingLast(withoutOtherReferences(executions));
    const list = all.get(place) ?? [];
    all.set(place, list);
    for (const { outcome, durationMs, startedUs, endedUs } of counted.toReversed()) {
      const startedAt = formatTimestamp(startedUs / 1_000);
      const endedAt = formatTimestamp(endedUs / 1_000);
      list.push({ workflowId, outcome, durationMs, startedAt, endedAt });
    }
  }
}

/** Executions with the same key, if the earlier run has some. */
function withoutOtherReferences(found: readonly FoundExecution[]): readonly FoundExecution[] {
  const exact = found.filter(({ isSameReference }) => isSameReference);
  return exact.length > 0 ? exact : found;
}

/** The execution that counts goes behind the others of its test case. */
function countingLast(found: readonly FoundExecution[]): readonly FoundExecution[] {
  return [...Map.groupBy(found, ({ earlierPlace }) => earlierPlace).values()].flatMap(
    (executions) => {
      const highest = Math.max(...executions.map(({ precedence }) => precedence));
      const counting = executions.findLastIndex(({ precedence }) => precedence === highest);
      return [...executions.toSpliced(counting, 1), ...executions.slice(counting, counting + 1)];
    },
  );
}

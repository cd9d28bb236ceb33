/** Runs of a list, as they are shown. */
import { parseTimestamp, type Timestamp } from '@tutti/manifests';
import { cutText, type FirstFailure, type RunSummary } from '@tutti/workflow';
import type { RunName, Store, SummarizedRun } from '../../../store/store.ts';

/** Characters of a name in a list: it may be as long as a document. */
const NAME_LENGTH_MAX = 1_000;

const NO_SUMMARY = {
  canceled: false,
  started_by: null,
  started: null,
  labels: {},
  rerun_of: null,
  jobs: null,
  waiting: null,
};

const NO_TESTS = { success: 0, failure: 0, error: 0, skipped: 0 };

/** `usual` is the usual duration of its name in milliseconds; null where none is known. */
export function runItem(run: SummarizedRun, usual: number | null) {
  const { workflowId, name, namespace, status, createdAt, completedAt } = run;
  const summary: RunSummary | null = run.summary === null ? null : JSON.parse(run.summary);
  const failure: FirstFailure | null = run.failure === null ? null : JSON.parse(run.failure);
  return {
    workflow_id: workflowId,
    name: cutText(name, NAME_LENGTH_MAX),
    namespace,
    status,
    created: createdAt,
    ended: completedAt,
    duration: completedAt === null ? null : durationMs(createdAt, completedAt),
    usual_duration: usual,
    ...(summary ?? NO_SUMMARY),
    tests: { ...NO_TESTS, ...run.tests },
    first_failure: failure === null ? null : { ...failure, line: run.failureLine },
  };
}

export type RunItem = ReturnType<typeof runItem>;

/** To the microsecond. A clock that was set back gives 0. */
function durationMs(from: Timestamp, to: Timestamp): number {
  const ms = (parseTimestamp(to) ?? 0) - (parseTimestamp(from) ?? 0);
  return Math.max(0, Math.round(ms * 1_000) / 1_000);
}

/** A run as selectors see it: its labels are also in its metadata, as in manifests. */
export const selectable = ({ labels, ...item }: RunItem): object => ({
  ...item,
  labels,
  metadata: { name: item.name, namespace: item.namespace, workflow_id: item.workflow_id, labels },
});

const keyOf = ({ namespace, name }: RunName): string => `${namespace}\0${name}`;

/** Usual durations of the names of these runs: the median of the last ones that succeeded. */
export async function usualDurations(
  store: Pick<Store, 'recentDurations'>,
  runs: readonly RunName[],
): Promise<(run: RunName) => number | null> {
  const names = [...new Map(runs.map((run) => [keyOf(run), run])).values()];
  const durations = await store.recentDurations(names);
  const usual = new Map(names.map((name, index) => [keyOf(name), medianOf(durations[index])]));
  return (run) => usual.get(keyOf(run)) ?? null;
}

function medianOf(values: readonly number[] = []): number | null {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

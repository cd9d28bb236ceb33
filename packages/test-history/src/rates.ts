/** Rates over the newest executions of a variant. */
import { type Counted, DAY_MS } from './strip.ts';

export const RATE_WINDOW = { executionsMax: 100, daysMax: 30 } as const;

/** The quantile of a 95 % interval. */
const Z = 1.96;

/** A rate from counts, with Wilson's 95 % interval. */
export interface Rate {
  readonly count: number;
  readonly of: number;
  readonly rate: number;
  readonly interval: readonly [low: number, high: number];
}

/** Null without any execution. */
export function rateOf(count: number, of: number): Rate | null {
  if (of === 0) return null;
  const middle = count + Z ** 2 / 2;
  const spread = Z * Math.sqrt((count * (of - count)) / of + Z ** 2 / 4);
  const within = (value: number) => Math.min(Math.max(value / (of + Z ** 2), 0), 1);
  return {
    count,
    of,
    rate: count / of,
    interval: [within(middle - spread), within(middle + spread)],
  };
}

/** The newest executions, which are not too old. The oldest first, as they come. */
export const windowOf = <C extends Counted>(
  executions: readonly C[],
  nowMs: number,
): readonly C[] =>
  executions
    .filter(({ atMs }) => atMs >= nowMs - RATE_WINDOW.daysMax * DAY_MS)
    .slice(-RATE_WINDOW.executionsMax);

/** Failures of first attempts. */
export function failureRate(window: readonly Counted[]): Rate | null {
  const first = window.filter(({ isFirst }) => isFirst);
  return rateOf(first.filter(({ isFailed }) => isFailed).length, first.length);
}

/** Contradicted versions among those with two executions and more. All attempts count: a retry is the usual second one. */
export function contradictionRate(window: readonly Counted[]): Rate | null {
  const versions = repeatedVersions(window);
  return rateOf(versions.filter((failed) => failed > 0 && failed < 1).length, versions.length);
}

/** The mean over the same versions of the part that passed; null without such a version. */
export function passRateOnVersion(window: readonly Counted[]): number | null {
  const versions = repeatedVersions(window);
  if (versions.length === 0) return null;
  return versions.reduce((sum, failed) => sum + 1 - failed, 0) / versions.length;
}

/** The part that failed, of each version with two executions and more. */
function repeatedVersions(window: readonly Counted[]): readonly number[] {
  return [...Map.groupBy(window, ({ version }) => version).values()]
    .filter((executions) => executions.length > 1)
    .map((executions) => executions.filter(({ isFailed }) => isFailed).length / executions.length);
}

/** A run in which a test failed. */
export interface FailedRun {
  /** No retry fixed it. */
  readonly isLost: boolean;
  /** Other tests that no retry fixed. */
  readonly othersLost: number;
  /** The time of attempts of the test after the first. */
  readonly retriesMs: number;
  /** The time of the reruns of this run. */
  readonly rerunsMs: number;
}

export interface Impact {
  /** Runs that failed because of this test alone. */
  readonly runs: number;
  readonly minutes: number;
}

export function impactOf(failedRuns: readonly FailedRun[]): Impact {
  const alone = failedRuns.filter(({ isLost, othersLost }) => isLost && othersLost === 0);
  const retriesMs = failedRuns.reduce((sum, run) => sum + run.retriesMs, 0);
  const rerunsMs = alone.reduce((sum, run) => sum + run.rerunsMs, 0);
  return { runs: alone.length, minutes: (retriesMs + rerunsMs) / 60_000 };
}

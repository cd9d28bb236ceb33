/** Changes of the duration of a variant: a test became slower, or faster, and stays so. */
import { medianOf } from './durations.ts';

/** The newest durations that are compared with those before them: few for large changes, more for small ones. */
const WINDOWS = [
  { newest: 8, ratioMin: 1.25, zMin: 3.8 },
  { newest: 20, ratioMin: 1.15, zMin: 4.4 },
] as const;
const BEFORE_MAX = 50;
const DIFFERENCE_MS_MIN = 50;

/** A passed first attempt. */
export interface TimedExecution {
  readonly durationMs: number;
  /** The logarithm by which its run was slower than others; see `runEffect`. */
  readonly effect: number;
}

export interface Change {
  /** The index of the first execution with the new duration. */
  readonly at: number;
  /** Medians after the change by medians before it: 2 is twice as slow. */
  readonly ratio: number;
  /** The score of the test of Mann and Whitney at this point. */
  readonly z: number;
}

/**
 * The logarithm by which a run of a job was slower than others: the median over all of its tests. It removes slow machines and slow
 * hours. The usual duration of a test is the median of its earlier ones, without the effects of their runs.
 */
export const runEffect = (
  tests: readonly { readonly durationMs: number; readonly usualMs: number }[],
): number => medianOf(tests.map(({ durationMs, usualMs }) => logOf(durationMs) - logOf(usualMs)));

/** Very short times are mostly noise of the clock. */
const logOf = (durationMs: number): number => Math.log(Math.max(durationMs, 0.1));

/** All changes, in the order of executions. Each is found as soon as the executions after it suffice. */
export function changesOf(executions: readonly TimedExecution[]): readonly Change[] {
  const logs = Float64Array.from(
    executions,
    ({ durationMs, effect }) => logOf(durationMs) - effect,
  );
  const changes: Change[] = [];
  let from = 0;
  for (let end = 1; end <= logs.length; end++) {
    const change = newestChange(logs.subarray(from, end));
    if (change === null) continue;
    changes.push({ ...change, at: from + change.at });
    from += change.at;
  }
  return changes;
}

/** A change that the newest of these logarithms show, which have no other change before. */
export function newestChange(logs: Float64Array): Change | null {
  for (const { newest, ratioMin, zMin } of WINDOWS) {
    const window = logs.subarray(-(newest + BEFORE_MAX));
    const before = window.length - newest;
    if (before < 1) return null;
    if (!differs(mediansAt(window, before), ratioMin)) continue;
    const ranks = ranksOf(window);
    if (Math.abs(scoreAt(ranks, before)) < zMin) continue;
    const split = bestSplit(ranks);
    const medians = mediansAt(window, split);
    // A larger change may just begin, and its first values make a smaller one look real, at a wrong place.
    if (!differs(medians, ratioMin)) continue;
    return {
      at: logs.length - window.length + split,
      ratio: Math.exp(medians[1] - medians[0]),
      z: scoreAt(ranks, split),
    };
  }
  return null;
}

type Medians = readonly [before: number, after: number];

const mediansAt = (window: Float64Array, split: number): Medians => [
  middleOf(window.subarray(0, split)),
  middleOf(window.subarray(split)),
];

function differs([before, after]: Medians, ratioMin: number): boolean {
  return (
    Math.abs(after - before) >= Math.log(ratioMin) &&
    Math.abs(Math.exp(after) - Math.exp(before)) >= DIFFERENCE_MS_MIN
  );
}

/** The number of values before the change: where the score is largest. */
function bestSplit(ranks: Ranks): number {
  let best = 1;
  for (let split = 2; split < ranks.sums.length - 1; split++) {
    if (Math.abs(scoreAt(ranks, split)) > Math.abs(scoreAt(ranks, best))) best = split;
  }
  return best;
}

function middleOf(values: Float64Array): number {
  const sorted = values.toSorted();
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

interface Ranks {
  /** The sums of the ranks of the first values, for each number of values. */
  readonly sums: Float64Array;
  /** Equal values reduce the variance by this number. */
  readonly ties: number;
}

/** Equal values share the mean of their ranks. */
function ranksOf(values: Float64Array): Ranks {
  const order = Array.from(values.keys()).sort(
    (left, right) => (values[left] ?? 0) - (values[right] ?? 0),
  );
  const ranks = new Float64Array(values.length);
  let ties = 0;
  for (let from = 0, end = 0; from < order.length; from = end) {
    const value = values[order[from] ?? 0];
    while (end < order.length && values[order[end] ?? 0] === value) end++;
    for (const index of order.slice(from, end)) ranks[index] = (from + 1 + end) / 2;
    ties += (end - from) ** 3 - (end - from);
  }
  const sums = new Float64Array(values.length + 1);
  ranks.forEach((rank, at) => {
    sums[at + 1] = (sums[at] ?? 0) + rank;
  });
  return { sums, ties };
}

/** The standard score of the test of Mann and Whitney, with ties: positive if values after the split are larger. */
function scoreAt({ sums, ties }: Ranks, split: number): number {
  const all = sums.length - 1;
  const after = all - split;
  const rankSum = (sums[all] ?? 0) - (sums[split] ?? 0);
  const mean = (after * (all + 1)) / 2;
  const variance = ((split * after) / 12) * (all + 1 - ties / (all * (all - 1)));
  return variance <= 0 ? 0 : (rankSum - mean) / Math.sqrt(variance);
}

/** The same score for two lists of values. */
export function mannWhitney(before: readonly number[], after: readonly number[]): number {
  return scoreAt(ranksOf(Float64Array.of(...before, ...after)), before.length);
}

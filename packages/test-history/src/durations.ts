/** Durations of a variant: percentiles, estimates, and sixteen bits to store one. */

/** Steps of 0.04 % from a microsecond to a day. */
const CODES_PER_E = 2_500;
const CODE_MAX = 65_535;

export const durationCode = (durationMs: number): number =>
  Math.min(Math.round(Math.log1p(Math.max(durationMs, 0) * 1_000) * CODES_PER_E), CODE_MAX);

export const durationOfCode = (code: number): number => Math.expm1(code / CODES_PER_E) / 1_000;

/** The median of durations by their codes, which have the same order; null without any. */
export function medianOfCodes(codes: readonly number[]): number | null {
  const sorted = Uint16Array.from(codes).sort();
  const median = sorted[Math.ceil(sorted.length / 2) - 1];
  return median === undefined ? null : durationOfCode(median);
}

export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
}

/** The percentiles of the newest passed first attempts; null without any. */
export function percentilesOf(durations: readonly number[]): Percentiles | null {
  if (durations.length === 0) return null;
  const sorted = durations.toSorted((left, right) => left - right);
  return { p50: rankOf(sorted, 0.5), p90: rankOf(sorted, 0.9), p95: rankOf(sorted, 0.95) };
}

/** The smallest value that so large a part of the values does not exceed. */
const rankOf = (sorted: readonly number[], part: number): number =>
  sorted[Math.max(Math.ceil(sorted.length * part) - 1, 0)] ?? 0;

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

const ESTIMATED_FROM = 10;

/** The duration to expect next time; null without any. Durations are in the order of executions. */
export const estimateOf = (durations: readonly number[]): number | null =>
  durations.length === 0 ? null : medianOf(durations.slice(-ESTIMATED_FROM));

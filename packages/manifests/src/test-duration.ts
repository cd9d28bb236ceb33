/** Durations that reports and plugins tell of tests, in milliseconds. */

/** A year, which no test takes: the sum of all tests of a run can then be counted and shown. */
export const TEST_DURATION_MS_MAX = 366 * 24 * 60 * 60 * 1000;

/** The duration itself; 0, as where nothing is known, for what no test can take. */
export function testDuration(ms: number): number {
  return ms >= 0 && ms <= TEST_DURATION_MS_MAX ? ms : 0;
}

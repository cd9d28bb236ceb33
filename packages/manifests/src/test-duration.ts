/** Durations of tests in reports and events of plugins, in milliseconds. */

/** A year, which no test takes. The sum of all tests of a run stays a number that can be shown. */
export const TEST_DURATION_MS_MAX = 366 * 24 * 60 * 60 * 1000;

/** The duration, or 0 for an impossible one, as for an unknown one. */
export function testDuration(ms: number): number {
  return ms >= 0 && ms <= TEST_DURATION_MS_MAX ? ms : 0;
}

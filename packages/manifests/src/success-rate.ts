/** The success rate: the share of test cases that did not fail. Skipped ones count as not failed, as in quality gates (wire facts 9.4). */

/** The success rate in percent, without the sign. It is rounded down to two places, so that it reaches a threshold only if the tests do. */
export const successRate = (total: number, failed: number): string =>
  total === 0 ? '0' : String(Math.floor(((total - failed) * 10_000) / total) / 100);

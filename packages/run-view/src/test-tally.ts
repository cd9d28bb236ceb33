/** Counts passed, failed and skipped test cases of a run from its events. */
import { countOf, type TestResult } from '@tutti/manifests';
import { isAttempt } from '@tutti/workflow/facts';
import { resultPrecedence } from '@tutti/workflow/result-precedence';

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Origin of test results. */
export interface ResultsOrigin {
  /** Distinguishes test cases of one name: their job, and the function or the kind of report. */
  readonly scope: string;
  /** Order of the report; later reports have larger numbers. */
  readonly order: number;
}

export const NO_TESTS: TestCounts = { passed: 0, failed: 0, skipped: 0 };

const COUNTED = {
  SUCCESS: 'passed',
  FAILURE: 'failed',
  ERROR: 'failed',
  SKIPPED: 'skipped',
} as const satisfies Record<TestResult['status'], keyof TestCounts>;

interface Known {
  readonly precedence: number;
  readonly counted: keyof TestCounts;
}

/** Limit of test cases known by name, some dozens of megabytes; further ones count at each report. */
const KNOWN_MAX = 200_000;

/**
 * Counts each test case once, by the result that counts on the server. A tally passes its knowledge to the next one, so results
 * can be added only to the newest tally.
 */
export class TestTally {
  readonly counts: TestCounts;
  /** The last added test cases, with their present results. */
  readonly added: TestCounts;
  readonly #known: Map<string, Known> | null;

  constructor(counts = NO_TESTS, added = NO_TESTS, known: Map<string, Known> | null = null) {
    this.counts = counts;
    this.added = added;
    this.#known = known;
  }

  add(results: readonly TestResult[], originOf: (result: TestResult) => ResultsOrigin): TestTally {
    // Never the map of the empty tally, which starts many runs.
    const known = this.#known ?? new Map<string, Known>();
    const counts = { ...this.counts };
    const byCase = new Map<string, Known>();
    for (const result of results) {
      // A later result gives the outcome.
      if (isAttempt(result)) continue;
      const { scope, order } = originOf(result);
      const key = `${scope}/${result.name}`;
      const before = known.get(key);
      const found = {
        precedence: resultPrecedence(order, result),
        counted: COUNTED[result.status],
      };
      const after = before !== undefined && before.precedence > found.precedence ? before : found;
      if (before !== undefined) counts[before.counted] -= 1;
      counts[after.counted] += 1;
      if (before !== undefined || known.size < KNOWN_MAX) known.set(key, after);
      byCase.set(key, after);
    }
    return new TestTally(counts, countsOf(byCase.values()), known);
  }
}

export const addCounts = (one: TestCounts, other: TestCounts): TestCounts => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
});

/** `12 tests, 1 failed`; empty without tests. */
export function testText({ passed, failed, skipped }: TestCounts): string {
  const total = passed + failed + skipped;
  if (total === 0) return '';
  return `${countOf(total, 'test')}${failed > 0 ? `, ${failed} failed` : ''}`;
}

/** Difference of two counts; it is negative where a count fell. */
export const countsSince = (before: TestCounts, after: TestCounts): TestCounts => ({
  passed: after.passed - before.passed,
  failed: after.failed - before.failed,
  skipped: after.skipped - before.skipped,
});

function countsOf(all: Iterable<Known>): TestCounts {
  const counts = { ...NO_TESTS };
  for (const { counted } of all) counts[counted] += 1;
  return counts;
}

/** How many test cases of a run passed, failed and were skipped, as far as its events tell. */
import { countOf, type TestResult } from '@tutti/manifests';
import { isAttempt } from '@tutti/workflow/facts';
import { resultPrecedence } from '@tutti/workflow/result-precedence';

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Where results came from. */
export interface ResultsOrigin {
  /** What tells test cases of one name apart: their job, and the function or the kind of report. */
  readonly scope: string;
  /** Of the report; later ones have more. */
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

/** Test cases that are known by name, some dozens of megabytes; further ones count as often as they are told. */
const KNOWN_MAX = 200_000;

/**
 * Counts each test case once, by the result that counts on the server. What is known of them is passed on from one tally to the next, so
 * only the newest of a run can be added to.
 */
export class TestTally {
  readonly counts: TestCounts;
  /** The test cases that were added last, as they count now. */
  readonly added: TestCounts;
  readonly #known: Map<string, Known> | null;

  constructor(counts = NO_TESTS, added = NO_TESTS, known: Map<string, Known> | null = null) {
    this.counts = counts;
    this.added = added;
    this.#known = known;
  }

  add(results: readonly TestResult[], originOf: (result: TestResult) => ResultsOrigin): TestTally {
    // Never that of the empty tally, which begins many runs.
    const known = this.#known ?? new Map<string, Known>();
    const counts = { ...this.counts };
    const told = new Map<string, Known>();
    for (const result of results) {
      // What came of it is told by a later result.
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
      told.set(key, after);
    }
    return new TestTally(counts, countsOf(told.values()), known);
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

/** What came between; a count that became smaller is negative. */
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

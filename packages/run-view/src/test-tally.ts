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

interface KnownCase {
  readonly precedence: number;
  readonly counted: keyof TestCounts;
}

/** Limit of test cases known by name, some dozens of megabytes; further ones count at each report. */
const KNOWN_MAX = 200_000;

/** Results by test case, which all tallies of a run share, as they are after one of these tallies. */
type Known = Map<string, KnownCase>;

/** Test cases whose results were replaced, and what was known of them before. */
type Replaced = readonly (readonly [key: string, before: KnownCase | undefined])[];

/**
 * A version of the shared results. The newest one has them. An older one has the way to the next newer one, and what to put back. So the
 * fold of a run copies nothing, and older versions cost only their differences.
 */
class Version {
  #known: Known | null = new Map();
  #newer: { readonly version: Version; readonly replaced: Replaced } | null = null;

  /** The results of this version, which becomes the one that has them. */
  take(): Known {
    const way: Version[] = [];
    let holder: Version = this;
    for (; holder.#newer !== null; holder = holder.#newer.version) way.push(holder);
    for (const version of way.reverse()) version.#takeBack();
    return this.#known ?? new Map();
  }

  #takeBack(): void {
    if (this.#newer === null) return;
    const { version, replaced } = this.#newer;
    const known = version.#known ?? new Map();
    const undone = replaced.map(([key]) => [key, known.get(key)] as const);
    for (const [key, before] of replaced) put(known, key, before);
    version.#known = null;
    version.#newer = { version: this, replaced: undone };
    this.#known = known;
    this.#newer = null;
  }

  /** The version with these results, which has them from now on. */
  next(results: ReadonlyMap<string, KnownCase>): Version {
    const known = this.take();
    const next = new Version();
    const replaced: [key: string, before: KnownCase | undefined][] = [];
    for (const [key, result] of results) {
      const before = known.get(key);
      if (before === undefined && known.size >= KNOWN_MAX) continue;
      replaced.push([key, before]);
      known.set(key, result);
    }
    next.#known = known;
    this.#known = null;
    this.#newer = { version: next, replaced };
    return next;
  }
}

function put(known: Known, key: string, result: KnownCase | undefined): void {
  if (result === undefined) known.delete(key);
  else known.set(key, result);
}

/** Counts each test case once, by the result that counts on the server. A tally never changes. */
export class TestTally {
  readonly counts: TestCounts;
  /** The last added test cases, with their present results. */
  readonly added: TestCounts;
  readonly #version: Version | null;

  constructor(counts = NO_TESTS, added = NO_TESTS, version: Version | null = null) {
    this.counts = counts;
    this.added = added;
    this.#version = version;
  }

  add(results: readonly TestResult[], originOf: (result: TestResult) => ResultsOrigin): TestTally {
    // Never the version of the empty tally, which starts many runs.
    const version = this.#version ?? new Version();
    const known = version.take();
    const counts = { ...this.counts };
    const byCase = new Map<string, KnownCase>();
    for (const result of results) {
      // A later result gives the outcome.
      if (isAttempt(result)) continue;
      const { scope, order } = originOf(result);
      const key = `${scope}/${result.name}`;
      const before = byCase.get(key) ?? known.get(key);
      const found = {
        precedence: resultPrecedence(order, result),
        counted: COUNTED[result.status],
      };
      const after = before !== undefined && before.precedence > found.precedence ? before : found;
      if (before !== undefined) counts[before.counted] -= 1;
      counts[after.counted] += 1;
      byCase.set(key, after);
    }
    return new TestTally(counts, countsOf(byCase.values()), version.next(byCase));
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

function countsOf(all: Iterable<KnownCase>): TestCounts {
  const counts = { ...NO_TESTS };
  for (const { counted } of all) counts[counted] += 1;
  return counts;
}

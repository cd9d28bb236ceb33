/** Numbers of test cases per outcome, as jobs and tags show them (specification 2.7, 2.8). */
import type { TestOutcome } from './test-cases.ts';

/** Counts of test cases by outcome, with keys as the wire spells them. No test case ends as `cancelled`, but clients expect the entry. */
export interface TestCounts {
  readonly success: number;
  readonly failure: number;
  readonly error: number;
  readonly skipped: number;
  readonly cancelled: number;
}

export const NO_TESTS: TestCounts = { success: 0, failure: 0, error: 0, skipped: 0, cancelled: 0 };

export function addOutcome(counts: TestCounts, outcome: TestOutcome, count: number): TestCounts {
  return { ...counts, [outcome]: counts[outcome] + count };
}

export function addCounts(left: TestCounts, right: TestCounts): TestCounts {
  return {
    success: left.success + right.success,
    failure: left.failure + right.failure,
    error: left.error + right.error,
    skipped: left.skipped + right.skipped,
    cancelled: left.cancelled + right.cancelled,
  };
}

export function totalOf(counts: TestCounts): number {
  return counts.success + counts.failure + counts.error + counts.skipped + counts.cancelled;
}

/** The entries of a `status` that counts test cases. */
export interface TestCountStatus {
  readonly testCaseCount: number;
  readonly testCaseStatusSummary: TestCounts;
}

export function countStatus(counts: TestCounts): TestCountStatus {
  return { testCaseCount: totalOf(counts), testCaseStatusSummary: counts };
}

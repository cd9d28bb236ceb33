/** Which of the results of one test case in one run is what became of it. */
import type { TestResult, TestResultStatus } from '@tutti/manifests';
import { isAttempt } from '../facts/decode.ts';

/**
 * If reports of one step show a test case twice and name no repetition, two tests have one name. The worse result must not be lost. One
 * passed and one skipped result make a test case that passed. A part of it was tested, and nothing failed.
 */
const WEIGHTS = {
  ERROR: 4,
  FAILURE: 3,
  SUCCESS: 2,
  SKIPPED: 1,
} as const satisfies Record<TestResultStatus, number>;

/** Weight of an attempt: lower than any result, since a later execution of the same report replaced it. */
const ATTEMPT = 0;

const WEIGHTS_MAX = 8;

/** More than any order makes. So a case that ran in any step counts more than one that did not run. */
const RAN = 2 ** 40;

/**
 * The result with the highest number counts, among equals the newest. Results of later steps are higher (`order` of the attachment, from
 * 0), however late reports of earlier steps are read. In one step the worst result is highest. A skipped result does not hide the result of
 * another step that ran the test case. An attempt whose end is missing hides none, either.
 */
export function resultPrecedence(order: number, result: Pick<TestResult, 'status'>): number {
  const weight = isAttempt(result) ? ATTEMPT : WEIGHTS[result.status];
  return (weight > WEIGHTS.SKIPPED ? RAN : 0) + order * WEIGHTS_MAX + weight;
}

/** Which of the results of one test case in one run is what became of it. */
import type { TestResult, TestResultStatus } from '@tutti/manifests';
import { isAttempt } from '../facts/decode.ts';

/**
 * Reports of one step that show a test case twice without a word of repetitions have two tests of one name: the worse of them must not be lost.
 * One that passed and one that was skipped make a test case that passed, as a part of it was tested and nothing speaks against it.
 */
const WEIGHTS = {
  ERROR: 4,
  FAILURE: 3,
  SUCCESS: 2,
  SKIPPED: 1,
} as const satisfies Record<TestResultStatus, number>;

/** Of an execution after which the runner tried again: less than what came of that, whatever it was. */
const ATTEMPT = 0;

const WEIGHTS_MAX = 8;

/** More than any order makes, so that what ran in any step counts more than what did not in another one. */
const RAN = 2 ** 40;

/**
 * The result with the highest number counts, of equals the newest. So those of later steps do (`order` of the attachment, from 0),
 * however late the others are read; among those of one step the worst. A step that skipped a test case says nothing of what another
 * one found when it ran it, and neither do attempts of which the end is missing.
 */
export function resultPrecedence(order: number, result: Pick<TestResult, 'status'>): number {
  const weight = isAttempt(result) ? ATTEMPT : WEIGHTS[result.status];
  return (weight > WEIGHTS.SKIPPED ? RAN : 0) + order * WEIGHTS_MAX + weight;
}

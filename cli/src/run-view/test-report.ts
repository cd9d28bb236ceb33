/** Test cases for people: their names and times, and the verdict of the strict quality gate (specification 4.10). */

import type { TestCase } from '@tutti/client';
import { countOf, successRate } from '@tutti/manifests';
import { cleanLine, formatDuration } from '@tutti/run-view/text';
import { cutToWidth, type Paint } from '../terminal/style.ts';

export interface Verdict {
  readonly result: 'SUCCESS' | 'FAILURE' | 'NOTEST';
  /** Subject of the cancellation, as in `by you`; absent for any other run. */
  readonly canceled?: string | undefined;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const NAME_WIDTH_MAX = 72;

export const isFailed = ({ status }: TestCase): boolean =>
  status === 'FAILURE' || status === 'ERROR';

/** Strict: the run succeeded and no test case failed. Skipped ones are no failures. */
export function judge(isDone: boolean, testCases: readonly TestCase[]): Verdict {
  const failed = testCases.filter(isFailed).length;
  const skipped = testCases.filter(({ status }) => status === 'SKIPPED').length;
  const passed = testCases.length - failed - skipped;
  const succeeded = testCases.length === 0 ? 'NOTEST' : 'SUCCESS';
  return { result: isDone && failed === 0 ? succeeded : 'FAILURE', passed, failed, skipped };
}

/** `Result: FAILURE, 9 of 12 test cases passed, 2 failed, 1 skipped, success rate 83.33 %; others may be missing.` */
export function verdictLine(verdict: Verdict, paint: Paint, mayBeMissing: boolean): string {
  const { result, passed, failed, skipped, canceled } = verdict;
  const total = passed + failed + skipped;
  const style = result === 'SUCCESS' ? 'green' : result === 'FAILURE' ? 'red' : 'yellow';
  const head =
    canceled === undefined
      ? `Result: ${paint(style, paint('bold', result))}`
      : `Result: ${paint('yellow', paint('bold', 'canceled'))} ${canceled}`;
  const missing = mayBeMissing ? `; ${paint('yellow', 'others may be missing')}` : '';
  if (total === 0) {
    return `${head}, no test results${mayBeMissing ? ` could be ${paint('yellow', 'read')}` : ''}.`;
  }
  const rate = `${successRate(total, failed)} %`;
  const others = [
    ...(failed > 0 ? [`, ${failed} failed`] : []),
    ...(skipped > 0 ? [`, ${skipped} skipped`] : []),
  ];
  const passing = `${passed} of ${countOf(total, 'test case')} passed`;
  // Skipped test cases count in the rate, so it is not the share of those that passed.
  const counts =
    skipped === 0
      ? `${passing} (${rate})${others.join('')}`
      : `${passing}${others.join('')}, success rate ${rate}`;
  return `${head}, ${counts}${missing}.`;
}

/** The name of a test case in a list. */
export const shownName = (name: string): string => cutToWidth(cleanLine(name), NAME_WIDTH_MAX);

/** Test cases take milliseconds more often than seconds. */
export function durationText(ms: number | undefined): string {
  if (ms === undefined) return '';
  return ms < 1000 ? `${Math.round(ms)} ms` : formatDuration(ms);
}

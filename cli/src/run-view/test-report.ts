/** Test cases for people: a table, and the verdict of the strict quality gate (specification 4.10). */

import type { TestCase, TestCaseDetails } from '@tutti/client';
import { countOf, successRate } from '@tutti/manifests';
import { cleanOutput, cutToWidth, formatDuration, type Paint } from '../terminal/style.ts';

export interface Verdict {
  readonly result: 'SUCCESS' | 'FAILURE' | 'NOTEST';
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Number of listed test cases of each kind; the rest is a count. */
export const LISTED_FAILURES_MAX = 50;
export const LISTED_OTHERS_MAX = 20;
/** Lines of the message of one failure. */
const MESSAGE_LINES_MAX = 6;
const NAME_WIDTH_MAX = 72;

const isFailed = ({ status }: TestCase): boolean => status === 'FAILURE' || status === 'ERROR';

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
  const { result, passed, failed, skipped } = verdict;
  const total = passed + failed + skipped;
  const style = result === 'SUCCESS' ? 'green' : result === 'FAILURE' ? 'red' : 'yellow';
  const head = `Result: ${paint(style, paint('bold', result))}`;
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

/** The table of test cases: failed ones first, with messages; then the others. */
export function testTable(testCases: readonly TestCase[], paint: Paint): readonly string[] {
  if (testCases.length === 0) return [];
  const failed = testCases.filter(isFailed);
  const others = testCases.filter((testCase) => !isFailed(testCase));
  const listed = [...failed.slice(0, LISTED_FAILURES_MAX), ...others.slice(0, LISTED_OTHERS_MAX)];
  const longest = Math.max(...listed.map(({ metadata }) => [...metadata.name].length));
  const width = Math.min(NAME_WIDTH_MAX, longest);
  const rows = (cases: readonly TestCase[]) => cases.flatMap((one) => rowOf(one, width, paint));
  return [
    paint('bold', 'Test cases'),
    ...rows(failed.slice(0, LISTED_FAILURES_MAX)),
    ...moreLine(failed.length - LISTED_FAILURES_MAX, 'failed', paint),
    ...rows(others.slice(0, LISTED_OTHERS_MAX)),
    ...moreLine(others.length - LISTED_OTHERS_MAX, 'did not fail', paint),
  ];
}

function moreLine(count: number, what: string, paint: Paint): readonly string[] {
  return count > 0 ? [paint('dim', `  … and ${count} more that ${what}`)] : [];
}

const MARKS = {
  SUCCESS: ['green', '✓'],
  FAILURE: ['red', '✗'],
  ERROR: ['red', '✗'],
  SKIPPED: ['yellow', '–'],
} as const;

const STATUS_WIDTH = 'SUCCESS'.length;

function rowOf(testCase: TestCase, width: number, paint: Paint): readonly string[] {
  const { status, execution, metadata } = testCase;
  const [style, mark] = MARKS[status];
  const name = cutToWidth(cleanOutput(metadata.name, false), width).padEnd(width);
  const duration = durationText(execution.duration);
  const row = `  ${paint(style, mark)} ${name}  ${paint(style, status.padEnd(STATUS_WIDTH))}  ${duration}`;
  return [
    row.trimEnd(),
    ...messageLines(execution.failureDetails ?? execution.errorDetails, paint),
  ];
}

/** The name of a test case in a list. */
export const shownName = (name: string): string =>
  cutToWidth(cleanOutput(name, false), NAME_WIDTH_MAX);

/** Test cases take milliseconds more often than seconds. */
export function durationText(ms: number | undefined): string {
  if (ms === undefined) return '';
  return ms < 1000 ? `${Math.round(ms)} ms` : formatDuration(ms);
}

function messageLines(details: TestCaseDetails | undefined, paint: Paint): readonly string[] {
  const message = details?.message || details?.text || details?.type || '';
  const lines = message.split(/\r?\n/).filter((line) => line.trim() !== '');
  const shown = lines.slice(0, MESSAGE_LINES_MAX).map((line) => cleanOutput(line, false));
  const rest = lines.length > shown.length ? ['…'] : [];
  return [...shown, ...rest].map((line) => paint('dim', `      ${line}`));
}

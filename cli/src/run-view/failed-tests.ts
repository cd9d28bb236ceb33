/** The failed test cases of a run: name, job, place, and what was wrong. */
import { isAbsolute, relative } from 'node:path';
import type { TestCase, TestCaseDetails } from '@tutti/client';
import { countOf } from '@tutti/manifests';
import { failureMessage, failurePlace } from '@tutti/run-view/failure';
import { cleanLine } from '@tutti/run-view/text';
import { cutToWidth, type Paint } from '../terminal/style.ts';
import { durationText, isFailed } from './test-report.ts';

/** Three rows of a terminal. */
const LINE_WIDTH_MAX = 240;
/** Some screens; a command lists the others. */
export const LISTED_FAILURES_MAX = 20;

/** `command` lists all of them; null without hints. */
export function failedTestLines(
  testCases: readonly TestCase[],
  command: string | null,
  paint: Paint,
): readonly string[] {
  const failed = testCases.filter(isFailed);
  if (failed.length === 0) return [];
  const more = failed.length - LISTED_FAILURES_MAX;
  const how = command === null ? '' : `: ${command}`;
  return [
    paint('bold', 'Failed test cases'),
    ...failed.slice(0, LISTED_FAILURES_MAX).flatMap((one) => linesOfTest(one, paint)),
    ...(more > 0 ? [paint('dim', `  … and ${countOf(more, 'more failed test case')}${how}`)] : []),
  ];
}

function linesOfTest({ metadata, test, execution }: TestCase, paint: Paint): readonly string[] {
  const details = failureOf(execution);
  const job = test.job === undefined || test.job === '' ? [] : [`job ${cleanLine(test.job)}`];
  const about = [...job, ...placeOf(details), durationText(execution.duration)];
  return [
    `  ${paint('red', '✗')} ${cutToWidth(cleanLine(metadata.name), LINE_WIDTH_MAX)}`,
    paint('dim', `    ${about.filter((part) => part !== '').join(', ')}`),
    ...failureLines(details),
  ];
}

interface Failing {
  readonly failureDetails?: TestCaseDetails;
  readonly errorDetails?: TestCaseDetails;
}

export const failureOf = ({ failureDetails, errorDetails }: Failing): TestCaseDetails =>
  failureDetails ?? errorDetails ?? {};

export const failureLines = (details: TestCaseDetails): readonly string[] =>
  failureMessage(details).map((line) => `      ${cutToWidth(line, LINE_WIDTH_MAX)}`);

/** The place of a failed test in the sources: one text, or none. Paths below `directory` are relative to it. */
export function placeOf(
  details: TestCaseDetails,
  directory: string = process.cwd(),
): readonly string[] {
  const place = failurePlace(details, (path) => shortPath(path, directory));
  return place === null ? [] : [place];
}

function shortPath(path: string, directory: string): string {
  if (!isAbsolute(path)) return path;
  const below = relative(directory, path);
  return below.startsWith('..') || isAbsolute(below) ? path : below;
}

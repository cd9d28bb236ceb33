/** Test cases as JUnit XML, as Surefire writes it and CI servers read it. */

import type { TestResultDetails } from '@tutti/manifests';
import { dictionary } from '@tutti/manifests';
import type { TestCaseManifest, TestOutcome } from './test-cases.ts';
import { NO_TESTS, type TestCounts } from './test-counts.ts';

/** The fields of a test case that XML shows; each TestCase (specification 2.6) has them. */
export interface XmlTestCase {
  readonly metadata: { readonly job_id: string };
  readonly test: Pick<
    TestCaseManifest['test'],
    | ('runs-on' | 'uses' | 'technology' | 'job')
    | ('test' | 'suiteName' | 'testCaseName' | 'outcome' | 'quarantined')
  >;
  readonly execution: XmlOutcome & { readonly startTime: string; readonly duration: number };
  readonly executionHistory?: readonly (XmlOutcome & { readonly outcome: TestOutcome })[];
}

interface XmlOutcome {
  readonly failureDetails?: TestResultDetails;
  readonly errorDetails?: TestResultDetails;
}

/** Earlier executions of one test case that are written. */
const EARLIER_MAX = 10;

// Characters that XML 1.0 cannot contain.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const ENTITIES: Readonly<Record<string, string>> = dictionary<string>({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // Parsers replace these characters in attributes by blanks.
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
});

const escaped = (text: string, characters: RegExp): string =>
  text
    .toWellFormed()
    .replace(FORBIDDEN, '\ufffd')
    .replace(characters, (character) => ENTITIES[character] ?? '');

const xmlText = (text: string): string => escaped(text, /[&<>\r]/g);
const attribute = (name: string, value: string): string =>
  ` ${name}="${escaped(value, /[&<>"\n\r\t]/g)}"`;
const seconds = (ms: number): string => (ms / 1000).toFixed(6).replace(/\.?0+$/, '') || '0';

/** `counts`: of all suites; null where they are not known before these. */
export function xmlHead(name: string, counts: TestCounts | null): string {
  const counted = counts === null ? '' : countAttributes(counts);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attribute('name', name)}${counted}>\n`;
}

/** A title; the warnings below it say what may be missing. */
const WARNINGS_SUITE = 'Test results may be missing';

export const XML_END = '</testsuites>\n';

function countAttributes({ success, failure, error, skipped, cancelled }: TestCounts): string {
  const tests = success + failure + error + skipped + cancelled;
  return ` tests="${tests}" failures="${failure}" errors="${error}" skipped="${skipped}"`;
}

/**
 * Warnings about the test cases that follow, as a suite without test cases. Programs do not count it; viewers for people show its text.
 * Empty without warnings.
 */
export function xmlWarnings(warnings: readonly string[]): string {
  if (warnings.length === 0) return '';
  const head = `${attribute('name', WARNINGS_SUITE)}${countAttributes(NO_TESTS)} time="0"`;
  return `<testsuite${head}>\n<system-err>${xmlText(warnings.join('\n'))}</system-err>\n</testsuite>\n`;
}

/** Test cases with the same key are of one suite. */
export function suiteKey({ metadata, test }: XmlTestCase): string {
  return JSON.stringify([metadata.job_id, test.technology, test.uses, test.test, test.suiteName]);
}

/** A suite of some test cases, one at least, that share a key. */
export function xmlSuite(cases: readonly XmlTestCase[]): string {
  const [first] = cases;
  if (first === undefined) return '';
  const { test, execution } = first;
  const counts = { success: 0, failure: 0, error: 0, skipped: 0, cancelled: 0 };
  let durationMs = 0;
  for (const each of cases) {
    counts[each.test.outcome] += 1;
    durationMs += each.execution.duration;
  }
  const head = `${attribute('name', test.suiteName)}${countAttributes(counts)} time="${seconds(durationMs)}"${startOf(execution)}`;
  return `<testsuite${head}>\n${properties(first)}${cases.map(xmlCase).join('')}</testsuite>\n`;
}

const startOf = ({ startTime }: XmlTestCase['execution']): string =>
  startTime === '' ? '' : attribute('timestamp', startTime.slice(0, 'YYYY-MM-DDThh:mm:ss'.length));

function properties({ metadata, test }: XmlTestCase): string {
  const known = {
    job: test.job,
    job_id: metadata.job_id,
    technology: test.technology,
    'runs-on': test['runs-on'].join(','),
    uses: test.uses,
    test: test.test,
  };
  const lines = Object.entries(known)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `<property${attribute('name', name)}${attribute('value', value)}/>\n`);
  return `<properties>\n${lines.join('')}</properties>\n`;
}

function xmlCase(testCase: XmlTestCase): string {
  const { test, execution } = testCase;
  const head = `${attribute('name', test.testCaseName)}${attribute('classname', test.suiteName)} time="${seconds(execution.duration)}"`;
  const content = quarantineOf(testCase) + outcomeOf(testCase) + earlierOf(testCase);
  return content === '' ? `<testcase${head}/>\n` : `<testcase${head}>\n${content}</testcase>\n`;
}

const quarantineOf = ({ test }: XmlTestCase): string =>
  test.quarantined === true
    ? '<properties>\n<property name="quarantined" value="true"/>\n</properties>\n'
    : '';

function outcomeOf({ test, execution }: XmlTestCase): string {
  if (test.outcome === 'skipped') return '<skipped/>\n';
  if (test.outcome === 'failure') return details('failure', execution.failureDetails);
  if (test.outcome !== 'error') return '';
  const failed = execution.failureDetails;
  const failure = failed === undefined ? '' : details('failure', failed);
  return failure + details('error', execution.errorDetails);
}

/** Executions before the last, by the names that Surefire has for them. */
function earlierOf({ test, executionHistory = [] }: XmlTestCase): string {
  const word = test.outcome === 'success' ? 'flaky' : 'rerun';
  return executionHistory
    .slice(-EARLIER_MAX)
    .map(({ outcome, failureDetails, errorDetails }) => {
      if (outcome === 'failure') return details(`${word}Failure`, failureDetails);
      return outcome === 'error' ? details(`${word}Error`, errorDetails) : '';
    })
    .join('');
}

function details(element: string, { message, type, text }: TestResultDetails = {}): string {
  const head = `${message === undefined ? '' : attribute('message', message)}${type === undefined ? '' : attribute('type', type)}`;
  return text === undefined
    ? `<${element}${head}/>\n`
    : `<${element}${head}>${xmlText(text)}</${element}>\n`;
}

import { expect, test } from 'vitest';
import { BROKEN_REPORTS_SHOWN, type BrokenReport, brokenReportWarnings } from './broken-report.ts';

const report = (more: Partial<BrokenReport> = {}): BrokenReport => ({
  job: 'unit',
  step: 'Run the tests',
  file: 'report.xml',
  problem: 'It cannot be read to its end: line 2, column 7: unclosed tag: testcase.',
  testCases: 12,
  isCut: true,
  ...more,
});

const ADVICE = 'Look into the log of the step, correct what writes the report, and run it again.';

test.each<[string, Partial<BrokenReport>, string]>([
  [
    'was cut off',
    {},
    'Report "report.xml" of job "unit", step "Run the tests": It cannot be read to its end: line 2, column 7: unclosed tag: testcase. 12 test cases were read, those after them are missing.',
  ],
  [
    'was cut off behind its first test case',
    { testCases: 1, problem: 'P.' },
    'Report "report.xml" of job "unit", step "Run the tests": P. 1 test case was read, those after it are missing.',
  ],
  [
    'is empty',
    { testCases: 0, problem: 'The file is empty.' },
    'Report "report.xml" of job "unit", step "Run the tests": The file is empty. None of its test cases were read.',
  ],
  [
    'does not look whole',
    { isCut: false, problem: 'It has no plan.' },
    'Report "report.xml" of job "unit", step "Run the tests": It has no plan. 12 test cases were read, others may be missing.',
  ],
  [
    'does not look whole behind its only test case',
    { isCut: false, testCases: 1, problem: 'It has no plan.' },
    'Report "report.xml" of job "unit", step "Run the tests": It has no plan. 1 test case was read, others may be missing.',
  ],
  [
    'is of a step without a name',
    { step: null, problem: 'P.', testCases: 0 },
    'Report "report.xml" of job "unit": P. None of its test cases were read.',
  ],
  [
    'is of no job that is known',
    { job: null, step: null, problem: 'P.', testCases: 0 },
    'Report "report.xml": P. None of its test cases were read.',
  ],
])(
  'a report that %s is told with its place, its fault, what is missing and what to do',
  (_, more, text) => {
    expect(brokenReportWarnings([report(more)], 1)).toEqual([`${text} ${ADVICE}`]);
  },
);

test('of reports that did not arrive one sentence tells how many they are', () => {
  const missing = report({ count: 476, problem: 'They were not attached.', testCases: 0 });
  expect(brokenReportWarnings([missing], 1)).toEqual([
    'Report "report.xml" and 475 more of job "unit", step "Run the tests": They were not attached. None of their test cases were read. Look into the log of the step, correct what writes the reports, and run it again.',
  ]);
});

test('of many broken reports the first ones are told, and how many there are beyond them', () => {
  const many = Array.from({ length: BROKEN_REPORTS_SHOWN + 1 }, () => report());
  const warnings = (total: number) => brokenReportWarnings(many, total);
  expect(warnings(21)).toHaveLength(BROKEN_REPORTS_SHOWN + 1);
  expect(warnings(21).at(-1)).toBe('And 1 more report of which test cases may be missing.');
  expect(warnings(5020).at(-1)).toBe('And 5000 more reports of which test cases may be missing.');
  expect(brokenReportWarnings([], 0)).toEqual([]);
});

/** The last lines of `npm test`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { reportLines } from '../../scripts/test-report.mjs';

function linesOf(report: object): readonly string[] {
  const dir = mkdtempSync(join(tmpdir(), 'tutti-report-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'report.json');
  writeFileSync(file, JSON.stringify(report));
  return reportLines(file, '/checkout');
}

const passed = { status: 'passed', fullName: 'it works', failureMessages: [] };
const failing = (fullName: string) => ({
  status: 'failed',
  fullName,
  failureMessages: ['Error: expected 1\nSeed: 7\n    at line 7', 'Error: later'],
});
const suite = (name: string, assertionResults: readonly object[], more: object = {}) => ({
  name: `/checkout/${name}`,
  status: 'passed',
  message: '',
  assertionResults,
  ...more,
});

test('all passed', () => {
  const testResults = [suite('a.test.ts', [passed])];
  expect(linesOf({ success: true, numPassedTests: 1, testResults })).toEqual([
    '1 passed, 0 failed',
  ]);
});

test('each failure is named with its message in one line, a file that cannot be loaded, too', () => {
  const testResults = [
    suite('a.test.ts', [passed, failing('one'), failing('two')], { status: 'failed' }),
    suite('b.test.ts', [], { status: 'failed', message: 'Cannot find module\nmore' }),
  ];
  expect(linesOf({ success: false, numPassedTests: 1, testResults })).toEqual([
    'Failed tests:',
    '  a.test.ts > one: Error: expected 1 Seed: 7',
    '  a.test.ts > two: Error: expected 1 Seed: 7',
    '  b.test.ts: Cannot find module more',
    '1 passed, 3 failed',
  ]);
});

test('the list is bounded', () => {
  const many = Array.from({ length: 60 }, (_, index) => failing(`test ${index}`));
  const testResults = [suite('a.test.ts', many, { status: 'failed' })];
  const lines = linesOf({ success: false, numPassedTests: 0, testResults });
  expect(lines).toHaveLength(53);
  expect(lines.slice(-2)).toEqual(['  and 10 more', '0 passed, 60 failed']);
});

test('an error outside the tests is a failure', () => {
  const testResults = [suite('a.test.ts', [passed])];
  expect(linesOf({ success: false, numPassedTests: 1, testResults })).toEqual([
    'Failed tests:',
    '  an error outside the tests',
    '1 passed, 1 failed',
  ]);
});

test('without a report, something failed', () => {
  expect(reportLines('/nowhere/report.json', '/checkout')).toEqual(['0 passed, 1 failed']);
});

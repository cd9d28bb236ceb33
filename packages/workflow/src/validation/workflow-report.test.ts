import * as ajv from 'ajv/dist/2019.js';
import { expect, test } from 'vitest';
import * as yaml from 'yaml';
import { createWorkflowReporter } from './workflow-report.ts';

const report = createWorkflowReporter({ yaml, schemas: ajv });
const whole = (content: string) =>
  `metadata: {name: x}\njobs: {a: {steps: [{run: x}]}}\n${content}`;

test.each([
  ['resources: {repositories: [{name: r, type: git, repository: x}]}', 'repositories'],
  ['resources: {testmanagers: {}}', 'test-managers'],
  ['resources: {files: [a, a]}', 'files'],
  ['resources: {file: [a]}', 'resources'],
  ['outputs: {o: {}}', 'outputs'],
  ['concurrency: {}', 'concurrency'],
  ['inputs: {i: {}}', 'inputs'],
  ['more: 1', 'workflow'],
])('%s leads to the section "%s" of the reference', (content, topic) => {
  expect(report(whole(content)).diagnostics).toMatchObject([{ topic }]);
});

test('a mistake of an input is told where it stands', () => {
  const text = whole(
    'inputs:\n  y: {description: d}\n  z:\n    description: d\n    type: number\n    default: abc\n',
  );
  expect(report(text).diagnostics).toMatchObject([
    { path: 'inputs.z.default', span: { line: 8, column: 14, endColumn: 17 } },
  ]);
});

test('an input in braces would take every misspelt input, and is refused', () => {
  expect(report(whole("inputs: {'{any}': {description: d}}")).diagnostics).toMatchObject([
    { path: 'inputs', message: 'The input "{any}" of a workflow must not begin with "{".' },
  ]);
});

test('a file that is named twice is refused', () => {
  expect(
    report(whole('resources: {files: [a, {name: a, url: "http://x"}]}')).diagnostics,
  ).toMatchObject([
    { path: 'resources.files[1]', message: 'There are several resources with the name "a".' },
  ]);
});

test.each([
  ['env: {A: b}', 'did you mean "variables"?'],
  ['timeout: 5', 'did you mean "timeout-minutes"?'],
  ['TIMEOUT_MINUTES: 5', 'did you mean "timeout-minutes"?'],
  ['script: x', null],
])('%s has the hint %s', (content, hint) => {
  expect(report(whole(content)).diagnostics).toMatchObject([{ hint }]);
});

test.each([
  ['needs: a', 'depends_on: a'],
  ['runs-on: a', 'tags: a'],
])('a job may mean "%s" by "%s"', (right, written) => {
  const key = right.replace(/:.*/, '');
  const text = `metadata: {name: x}\njobs: {a: {steps: [{run: x}]}, b: {${written}, steps: [{run: x}]}}`;
  expect(report(text).diagnostics).toMatchObject([{ hint: `did you mean "${key}"?` }]);
});

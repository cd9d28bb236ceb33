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

test.each([
  ['inputs: {i: {description: d, type: strng}}', 'did you mean "string"?'],
  ['hooks: [{name: h, events: [{channel: setpu}], before: [{run: x}]}]', 'did you mean "setup"?'],
  ['kind: workflow', 'did you mean "Workflow"?'],
  ['apiVersion: opentestfactory.org/v1bata1', 'did you mean "opentestfactory.org/v1beta1"?'],
  ['kind: Pod', null],
  ['inputs: {i: {description: d, type: 1}}', null],
])('the value in %s has the hint %s', (content, hint) => {
  const [diagnostic] = report(whole(content)).diagnostics;
  expect(diagnostic).toMatchObject({ hint });
});

test.each([
  ['env.A', 'unknown context "env"', 'did you mean "variables"?'],
  ['vars.A', 'unknown context "vars"', 'did you mean "variables"?'],
  ['github.actor', 'unknown context "github"', 'did you mean "opentf"?'],
])('the expression %s has a hint', (expression, message, hint) => {
  const text = `metadata: {name: x}\njobs: {a: {steps: [{run: "\${{ ${expression} }}"}]}}`;
  expect(report(text).diagnostics).toMatchObject([{ message, hint }]);
});

test.each(['', '# only a comment\n', 'null'])('a file with %j is told to be empty', (text) => {
  expect(report(text).diagnostics).toMatchObject([{ path: '', message: 'the file is empty' }]);
});

test('a file of no name is told to be empty', () => {
  expect(report(whole('resources: {files: [""]}')).diagnostics).toMatchObject([
    { path: 'resources.files[0]', message: 'must not be empty' },
  ]);
});

const NUL = 'the character NUL cannot reach an environment, leave it out';

test.each([
  [String.raw`steps: [{run: "a\0b"}]`, 'jobs.a.steps[0].run', 28],
  [String.raw`steps: [{run: "a\u0000b"}]`, 'jobs.a.steps[0].run', 28],
  [String.raw`steps: [{run: x}], variables: {A: "\0"}`, 'jobs.a.variables.A', 47],
  [String.raw`steps: [{uses: a/b, with: {c: [d, {e: "\0"}]}}]`, 'jobs.a.steps[0].with.c[1].e', 51],
])('the character NUL in %s is told where it is', (content, path, column) => {
  const text = `metadata: {name: x}\njobs: {a: {${content}}}`;
  expect(report(text).diagnostics).toMatchObject([
    { path, message: NUL, span: { line: 2, column } },
  ]);
});

test('the character NUL in a secret is told without the secret', () => {
  expect(report(whole(String.raw`secrets: {S: "a\0"}`)).diagnostics).toMatchObject([
    { path: 'secrets.S', message: NUL, span: { line: 3, column: 11, endColumn: 12 } },
  ]);
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import * as ajv from 'ajv/dist/2019.js';
import { expect, test } from 'vitest';
import * as yaml from 'yaml';
import { hookExpressionProblems } from './expression-problems.ts';
import { createWorkflowReporter } from './workflow-report.ts';

const report = createWorkflowReporter({ yaml, schemas: ajv });
const STEPS = 'steps: [{run: x}]';

/** `severity: path: message`, with the piece of the line that is underlined. */
function problemsOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return report(text).diagnostics.map(({ severity, path, message, span }) => {
    const { line = 1, column = 1, endColumn = 1 } = span ?? {};
    return `${severity}: ${path}: ${message} [${lines[line - 1]?.slice(column - 1, endColumn - 1)}]`;
  });
}

const whole = (more: string, job = STEPS) => `metadata: {name: x}\njobs: {a: {${job}}}\n${more}`;

const NOT_HERE = 'an expression is not evaluated here';

test.each<[text: string, path: string, piece: string]>([
  [
    'inputs: {i: {description: d, default: "a ${{ variables.X }}"}}',
    'inputs.i.default',
    '${{ variables.X }}',
  ],
  [
    'inputs: {i: {description: d, default: [{a: "${{ 1 }}"}]}}',
    'inputs.i.default[0].a',
    '${{ 1 }}',
  ],
  [
    'inputs: {i: {description: d, type: choice, options: ["${{ 1 }}"]}}',
    'inputs.i.options[0]',
    '${{ 1 }}',
  ],
  ['inputs: {"${{ 1 }}": {description: d}}', 'inputs', '"${{ 1 }}"'],
  ['secrets: {S: "${{ variables.X }}"}', 'secrets', 'S'],
  ['resources: {files: ["${{ 1 }}.zip"]}', 'resources.files[0]', '${{ 1 }}'],
  [
    'resources: {files: [{name: "${{ 1 }}", url: "http://x"}]}',
    'resources.files[0].name',
    '${{ 1 }}',
  ],
  [
    'resources: {repositories: [{name: "${{ 1 }}", type: git, repository: x, endpoint: y}]}',
    'resources.repositories[0].name',
    '${{ 1 }}',
  ],
  [
    'resources: {testmanagers: [{name: "${{ 1 }}", type: tm, testmanager: x, endpoint: y}]}',
    'resources.testmanagers[0].name',
    '${{ 1 }}',
  ],
  [
    'hooks: [{name: h, events: [{category: "${{ 1 }}"}], before: [{run: x}]}]',
    'hooks[0].events[0].category',
    '${{ 1 }}',
  ],
  [
    'hooks: [{name: h, events: [{categoryPrefix: "${{ 1 }}"}], before: [{run: x}]}]',
    'hooks[0].events[0].categoryPrefix',
    '${{ 1 }}',
  ],
  [
    'hooks: [{name: h, events: [{category: x, categoryVersion: "v${{ 1 }}"}], before: [{run: x}]}]',
    'hooks[0].events[0].categoryVersion',
    '${{ 1 }}',
  ],
  [
    'hooks: [{name: h, events: [{category: x}], after: [{uses: x, with: {"${{ 1 }}": x}}]}]',
    'hooks[0].after[0].with',
    '"${{ 1 }}"',
  ],
])('%s stays as it is, with a warning', (more, path, piece) => {
  const actual = path === 'secrets' ? 'secrets.S' : path;
  expect(problemsOf(whole(more))).toEqual([`warning: ${actual}: ${NOT_HERE} [${piece}]`]);
});

test.each<[job: string, path: string]>([
  ['steps: [{uses: x, with: {"${{ 1 }}": x}}]', 'jobs.a.steps[0].with'],
  ['steps: [{uses: x, with: {list: [{"${{ 1 }}": x}]}}]', 'jobs.a.steps[0].with.list[0]'],
  ['generator: x, with: {"${{ 1 }}": x}', 'jobs.a.with'],
  ['jobs: {b: {generator: x, with: {"${{ 1 }}": x}}}', 'jobs.a.jobs.b.with'],
  [`strategy: {matrix: {m: [{"\${{ 1 }}": x}]}}, ${STEPS}`, 'jobs.a.strategy.matrix.m[0]'],
])('the name in "%s" stays as it is, with a warning', (job, path) => {
  expect(problemsOf(whole('', job))).toEqual([`warning: ${path}: ${NOT_HERE} ["\${{ 1 }}"]`]);
});

test('the value of a secret is in no problem', () => {
  const { diagnostics } = report(whole('secrets: {S: "my ${{ own }} value ${{"}'));
  expect(diagnostics.map(({ path }) => path)).toEqual(['secrets.S']);
  expect(JSON.stringify(diagnostics)).not.toContain('own');
});

test.each([
  'outputs: {o: {description: "of ${{ foo }}", value: x}}',
  'inputs: {i: {description: "of ${{ foo }}", depreciationMessage: "${{ foo"}}',
  'hooks: [{name: "of ${{ foo }}", events: [{category: x}], before: [{run: x}]}]',
  'resources: {files: ["a ${{ b"]}',
])('texts for people, and what is no expression, may stand as they are: %s', (more) => {
  expect(problemsOf(whole(more))).toEqual([]);
});

test('names of workflows, labels and annotations are for people', () => {
  const metadata =
    'metadata: {name: "${{ foo }}", labels: {a: "${{ foo }}"}, annotations: {b: "${{ foo }}"}}';
  expect(problemsOf(`${metadata}\njobs: {a: {${STEPS}}}`)).toEqual([]);
});

test.each([
  'resources: {files: [{name: f, url: "https://h/${{ variables.V }}/${{ inputs.I }}"}]}',
  'resources: {repositories: [{name: f, type: git, repository: "${{ variables.V }}", endpoint: "${{ secrets.S }}"}]}',
  'resources: {testmanagers: [{name: f, type: tm, testmanager: "${{ inputs.I }}", endpoint: "${{ opentf.namespace }}"}]}',
])('addresses are evaluated: %s', (more) => {
  expect(problemsOf(whole(`inputs: {I: {description: d}}\nsecrets: {S: x}\n${more}`))).toEqual([]);
  expect(
    problemsOf(whole(more.replace(/(variables|inputs|secrets|opentf)\./, 'needs.'))).join(),
  ).toContain('the context "needs" cannot be used here');
});

test('the events of hooks of operators are not evaluated either', () => {
  const hooks = [{ name: 'h', events: [{ category: '${{ 1 }}' }], before: [{ run: 'x' }] }];
  expect(hookExpressionProblems(hooks).map(({ message }) => message)).toEqual([NOT_HERE]);
});

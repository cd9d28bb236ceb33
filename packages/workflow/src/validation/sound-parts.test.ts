// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import * as ajv from 'ajv/dist/2019.js';
import { expect, test } from 'vitest';
import * as yaml from 'yaml';
import { createWorkflowReporter } from './workflow-report.ts';

const report = createWorkflowReporter({ yaml, schemas: ajv });
const STEPS = 'steps: [{run: x}]';
const FOO = 'unknown context "foo"';

/** `path: message` of each problem. */
function problemsOf(text: string): readonly string[] {
  return report(`metadata: {name: x}\n${text}`).diagnostics.map(
    ({ path, message }) => `${path}: ${message}`,
  );
}

test.each<[hider: string, text: string, problems: readonly string[]]>([
  [
    'what is no name in a list of needs',
    `jobs: {a: {needs: [1, b, {c: d}, x], ${STEPS}}, b: {needs: a, ${STEPS}}}`,
    [
      'jobs.a.needs: Jobs wait for each other: "a" needs "b" needs "a".',
      'jobs.a.needs[0]: must be a text, not 1',
      'jobs.a.needs[2]: must be a text, not an object',
      'jobs.a.needs[3]: Job "a" has a dependency on job "x" which does not exist.',
    ],
  ],
  [
    'what is no tag',
    `jobs: {a: {runs-on: [1, "\${{ foo }}"], ${STEPS}}}`,
    ['jobs.a.runs-on[0]: must be a tag or an expression, not 1', `jobs.a.runs-on[1]: ${FOO}`],
  ],
  [
    'an axis',
    `jobs: {a: {strategy: {matrix: {n: 1, os: [[], "\${{ foo }}"], exclude: [{no: 1}]}}, steps: [{run: "\${{ matrix.so }}"}]}}`,
    [
      'jobs.a.strategy.matrix.n: must be a list or an expression, not 1',
      `jobs.a.strategy.matrix.os[1]: ${FOO}`,
      'jobs.a.strategy.matrix.exclude[0]: The matrix excludes by "no", which is no axis.',
      'jobs.a.steps[0].run: the matrix of this job has no "so"',
    ],
  ],
  [
    'another key of the strategy',
    `jobs: {a: {strategy: {max: 1, matrix: {os: [x]}}, steps: [{run: "\${{ matrix.so }}"}]}}`,
    [
      'jobs.a.strategy: unknown key "max"',
      'jobs.a.steps[0].run: the matrix of this job has no "so"',
    ],
  ],
  [
    'the name of a job, of a variable, of an output',
    'jobs: {1a: {variables: {"v-": "${{ foo }}"}, outputs: {"1": "${{ foo }}"}, steps: [{run: "${{ foo }}"}]}}',
    [
      'jobs: "1a" is not a valid name (it must match ^[a-zA-Z_][a-zA-Z0-9_-]*$)',
      'jobs.1a.variables: "v-" is not a valid name (it must match ^[a-zA-Z0-9_]+$)',
      `jobs.1a.variables.v-: ${FOO}`,
      'jobs.1a.outputs: "1" is not a valid name (it must match ^[a-zA-Z_][a-zA-Z0-9_-]*$)',
      `jobs.1a.outputs.1: ${FOO}`,
      `jobs.1a.steps[0].run: ${FOO}`,
    ],
  ],
  [
    'both forms of a step',
    'jobs: {a: {steps: [{id: s, run: "${{ foo }}", uses: x}, {run: "${{ steps.s.outputs.x }}"}]}}',
    ['jobs.a.steps[0]: must have only one of "run" and "uses"', `jobs.a.steps[0].run: ${FOO}`],
  ],
  [
    'two forms of a job',
    'jobs: {a: {jobs: {b: {steps: []}}, steps: [{run: "${{ foo }}"}]}}',
    [
      'jobs.a: must have only one of "steps" and "jobs"',
      'jobs.a.jobs.b.steps: must not be empty',
      `jobs.a.steps[0].run: ${FOO}`,
    ],
  ],
  [
    'the description of an input',
    `inputs: {a: {description: 1, type: number, default: x}, b: {type: number, default: x}}\njobs: {a: {${STEPS}}}`,
    [
      'inputs.a.description: must be a text, not 1',
      'inputs.a.default: Invalid "inputs" section, default value for "a" must be a number, got "x".',
      'inputs.b: "description" is missing',
      'inputs.b.default: Invalid "inputs" section, default value for "b" must be a number, got "x".',
    ],
  ],
  [
    'the type of a resource',
    `resources: {repositories: [{name: a, type: 1, repository: x, endpoint: "\${{ foo }}"}, {type: git, repository: x, endpoint: "\${{ foo }}"}]}\njobs: {a: {${STEPS}}}`,
    [
      'resources.repositories[0].type: must be a text, not 1',
      `resources.repositories[0].endpoint: ${FOO}`,
      'resources.repositories[1]: "name" is missing',
      `resources.repositories[1].endpoint: ${FOO}`,
    ],
  ],
  [
    'an expression without an end',
    'jobs: {a: {if: "${{ foo }} && ${{ a", steps: [{run: "${{ foo }} ${{ a", if: "${{ foo }} && && ${{ a b }}"}]}}',
    [
      `jobs.a.if: ${FOO}`,
      'jobs.a.if: Invalid expression "${{ foo }} && ${{ a": "${{" without "}}" at position 15.',
      `jobs.a.steps[0].run: ${FOO}`,
      'jobs.a.steps[0].run: Invalid expression "${{ foo }} ${{ a": "${{" without "}}" at position 12.',
      `jobs.a.steps[0].if: ${FOO}`,
      'jobs.a.steps[0].if: Invalid expression "(   foo )  && && (   a b )": expected a value but found "&&" at position 15.',
    ],
  ],
])('nothing is hidden by %s', (_, text, problems) => {
  expect(problemsOf(text)).toEqual(problems);
});

test('what is wrong among the needs may be any of those that are read', () => {
  expect(
    problemsOf(`jobs: {b: {${STEPS}}, a: {needs: [{b: c}], if: needs.b.result, ${STEPS}}}`),
  ).toEqual(['jobs.a.needs[0]: must be a text, not an object']);
});

const OUTPUTS = 'outputs: {o: "${{ steps.s.outputs.o }} ${{ jobs.b.outputs.o }} ${{ success() }}"}';

test.each<[what: string, jobs: string, problems: readonly string[]]>([
  ['a misspelt function', 'steps: [{use: a/b@v1, with: {a: 1}}]', ['steps[0]: unknown key "use"']],
  ['a misspelt script', 'steps: [{Run: x, shell: bash}]', ['steps[0]: unknown key "Run"']],
  ['neither', 'steps: [{with: {}, shell: x}]', ['steps[0]: must have "run" or "uses"']],
  ['a misspelt call', 'use: ./c.yaml, with: {a: 1}', [': unknown key "use"']],
  ['a misspelt generator', 'Generator: a/b, with: {a: 1}', [': unknown key "Generator"']],
  ['misspelt steps', `step: [{run: x, id: s}], ${OUTPUTS}`, [': unknown key "step"']],
  ['misspelt jobs', `job: {b: {${STEPS}}}, ${OUTPUTS}`, [': unknown key "job"']],
  [
    'a job of nothing',
    `with: {a: 1}, ${OUTPUTS}`,
    [': must have "steps", "jobs", "generator" or "uses"'],
  ],
  [
    'a misspelt form, and what is wrong in any form',
    'step: [], outputs: {o: "${{ foo }}"}',
    [': unknown key "step"', `.outputs.o: ${FOO}`],
  ],
])('what goes with a form is right where nobody knows it: %s', (_, job, problems) => {
  const expected = problems.map((problem) => `jobs.a${problem.replace(/^steps/, '.steps')}`);
  expect(problemsOf(`jobs: {a: {${job}}}`)).toEqual(expected);
});

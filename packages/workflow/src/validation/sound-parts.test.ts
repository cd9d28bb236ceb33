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
      'jobs.a.steps[0].run: the matrix of this job has no "so", so this is empty',
    ],
  ],
  [
    'another key of the strategy',
    `jobs: {a: {strategy: {max: 1, matrix: {os: [x]}}, steps: [{run: "\${{ matrix.so }}"}]}}`,
    [
      'jobs.a.strategy: unknown key "max"',
      'jobs.a.steps[0].run: the matrix of this job has no "so", so this is empty',
    ],
  ],
  [
    'the name of a job, of a variable, of an output',
    'jobs: {1a: {variables: {"v-": "${{ foo }}"}, outputs: {"1": "${{ foo }}"}, steps: [{run: "${{ foo }}"}]}}',
    [
      'jobs: "1a" is not a valid name (it must match ^[a-zA-Z_][a-zA-Z0-9_-]*$)',
      'jobs.1a.variables: "v-" is not a valid name (it must match ^[a-zA-Z0-9_]+$)',
      `jobs.1a.variables.v-: ${FOO}`,
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
    'an expression without an end, or with a mistake',
    'jobs: {a: {if: "${{ foo }} && ${{ a", steps: [{run: "${{ foo }} ${{ a", if: "${{ foo }} && && ${{ a b }}"}, {run: "${{ foo == bar.x = y }} ${{ foo || b"}]}}',
    [
      `jobs.a.if: ${FOO}`,
      'jobs.a.if: Invalid expression "${{ foo }} && ${{ a": "${{" without "}}" at position 15.',
      `jobs.a.steps[0].run: ${FOO}`,
      'jobs.a.steps[0].run: Invalid expression "${{ foo }} ${{ a": "${{" without "}}" at position 12.',
      `jobs.a.steps[0].if: ${FOO}`,
      'jobs.a.steps[0].if: Invalid expression "(   foo )  && && (   a b )": expected a value but found "&&" at position 15.',
      `jobs.a.steps[1].run: ${FOO}`,
      'jobs.a.steps[1].run: unknown context "bar"',
      'jobs.a.steps[1].run: Invalid expression "foo == bar.x = y": unexpected "=" (equality is "==") at position 14.',
      'jobs.a.steps[1].run: Invalid expression "${{ foo == bar.x = y }} ${{ foo || b": "${{" without "}}" at position 25.',
      `jobs.a.steps[1].run: ${FOO}`,
    ],
  ],
])('nothing is hidden by %s', (_, text, problems) => {
  expect(problemsOf(text)).toEqual(problems);
});

test('a misspelt entry among the needs may be any of those that are read', () => {
  expect(
    problemsOf(`jobs: {b: {${STEPS}}, a: {needs: [{b: c}], if: needs.b.result, ${STEPS}}}`),
  ).toEqual(['jobs.a.needs[0]: must be a text, not an object']);
});

const NO_FORM = ': must have "steps", "jobs", "generator" or "uses"';
const OUTPUTS = 'outputs: {o: "${{ steps.s.outputs.o }} ${{ jobs.b.outputs.o }} ${{ success() }}"}';

test.each<[what: string, jobs: string, problems: readonly string[]]>([
  ['a misspelt function', 'steps: [{use: a/b@v1, with: {a: 1}}]', ['steps[0]: unknown key "use"']],
  ['a misspelt script', 'steps: [{Run: x, shell: bash}]', ['steps[0]: unknown key "Run"']],
  ['neither', 'steps: [{with: {}, shell: x}]', ['steps[0]: must have "run" or "uses"']],
  ['an unknown form', `tasks: [{run: x, id: s}], ${OUTPUTS}`, [NO_FORM, ': unknown key "tasks"']],
  ['a misspelt generator', 'Generator: a/b, with: {a: 1}', [': unknown key "Generator"']],
  ['what does not fit a form', `step: {run: x}, ${OUTPUTS}`, [': unknown key "step"']],
  ['a job of nothing', `with: {a: 1}, ${OUTPUTS}`, [NO_FORM]],
  [
    'an unknown form, and what is wrong in any form',
    'tasks: [], outputs: {o: "${{ foo }}"}',
    [NO_FORM, ': unknown key "tasks"', `.outputs.o: ${FOO}`],
  ],
])('keys that belong to a form are accepted where the form is unknown: %s', (_, job, problems) => {
  const expected = problems.map((problem) => `jobs.a${problem.replace(/^steps/, '.steps')}`);
  expect(problemsOf(`jobs: {a: {${job}}}`)).toEqual(expected);
});

/** The problem of a job that also has a misspelt key. */
const NO_Z = '"z" is not in the "needs" of this job';
const KEY = (at: string, key: string) => `${at}: unknown key "${key}"`;

test.each<[what: string, text: string, problems: readonly string[]]>([
  [
    'inputs',
    `inputz: {a: {description: a, type: number, defualt: x}}\njobs: {a: {steps: [{run: "\${{ inputs.a }} \${{ inputs.b }}"}]}}`,
    [
      KEY('', 'inputz'),
      KEY('inputz.a', 'defualt'),
      'jobs.a.steps[0].run: there is no input "b", so this is empty',
    ],
  ],
  [
    'the default of an input',
    `inputs: {a: {description: a, type: number, defualt: x}}\njobs: {a: {${STEPS}}}`,
    [
      KEY('inputs.a', 'defualt'),
      'inputs.a.defualt: Invalid "inputs" section, default value for "a" must be a number, got "x".',
    ],
  ],
  [
    'the default of a choice without options',
    `inputs: {a: {description: a, type: choice, defualt: x}}\njobs: {a: {${STEPS}}}`,
    [
      'inputs.a: Invalid "inputs" section, "a" is a choice and must have "options".',
      KEY('inputs.a', 'defualt'),
    ],
  ],
  [
    'the options of an input',
    `inputs: {a: {description: a, type: choice, optoins: [y], default: x}}\njobs: {a: {${STEPS}}}`,
    [
      KEY('inputs.a', 'optoins'),
      'inputs.a.default: Invalid "inputs" section, default value for "a" must be one of "y", got "x".',
    ],
  ],
  [
    'needs and a strategy',
    `jobs: {b: {${STEPS}}, a: {nedes: b, startegy: {matrix: {m: [1]}}, steps: [{run: "\${{ needs.b.result }} \${{ matrix.n }} \${{ needs.z.result }}"}]}}`,
    [
      KEY('jobs.a', 'nedes'),
      KEY('jobs.a', 'startegy'),
      'jobs.a.steps[0].run: the matrix of this job has no "n", so this is empty',
      `jobs.a.steps[0].run: ${NO_Z}`,
    ],
  ],
  [
    'an id and outputs',
    'jobs: {a: {ouputs: {o: "${{ steps.s.outputs.x }}"}, steps: [{run: x, Id: s}]}, b: {needs: a, steps: [{run: "${{ needs.a.outputs.o }} ${{ needs.a.outputs.p }}"}]}}',
    [
      KEY('jobs.a', 'ouputs'),
      KEY('jobs.a.steps[0]', 'Id'),
      'jobs.b.steps[0].run: job "a" has no output "p", so this is empty',
    ],
  ],
  [
    'steps, with what is wrong in them',
    'jobs: {a: {step: [{Run: "${{ foo }}", id: s}, {run: "${{ foo }}", timeout: x}], outputs: {o: "${{ jobs.b.outputs.o }}"}}}',
    [
      KEY('jobs.a', 'step'),
      KEY('jobs.a.step[0]', 'Run'),
      `jobs.a.step[1].run: ${FOO}`,
      KEY('jobs.a.step[1]', 'timeout'),
      'jobs.a.outputs.o: the context "jobs" cannot be used here',
    ],
  ],
  [
    'jobs',
    `job: {a: {steps: [{run: "\${{ foo }}"}], needs: z}}`,
    [
      KEY('', 'job'),
      `job.a.steps[0].run: ${FOO}`,
      'job.a.needs: Job "a" has a dependency on job "z" which does not exist.',
    ],
  ],
  [
    'a call',
    'jobs: {a: {use: ./c.yaml, with: {a: "${{ foo }}"}}}',
    [
      KEY('jobs.a', 'use'),
      'jobs.a.use: Job "a" calls "./c.yaml", but "c.yaml" is not in "resources.files".',
      `jobs.a.with.a: ${FOO}`,
    ],
  ],
  [
    'one of two forms',
    'jobs: {a: {steps: [{Run: x, uses: a/b@v1, with: {a: "${{ foo }}"}}]}}',
    [KEY('jobs.a.steps[0]', 'Run'), `jobs.a.steps[0].with.a: ${FOO}`],
  ],
  [
    'secrets, of which nothing is shown',
    'secrts: {A: 5}\njobs: {a: {steps: [{run: "${{ secrets.A }} ${{ secrets.B }}"}]}}',
    [
      KEY('', 'secrts'),
      ': secrts.A must be a text, not a number',
      'jobs.a.steps[0].run: there is no secret "B", so this is empty',
    ],
  ],
])('a misspelt key is read as what it most likely means: %s', (_, text, problems) => {
  expect(problemsOf(text)).toEqual(problems);
});

test('a value that does not fit under the other key is left where it is', () => {
  expect(problemsOf(`jobs: {a: {environment: x, step: [], ${STEPS}}}`)).toEqual([
    KEY('jobs.a', 'environment'),
    KEY('jobs.a', 'step'),
  ]);
});

test.each<[what: string, input: string, problems: readonly string[]]>([
  [
    'options under another name',
    'type: choice, default: 1, values: [x]',
    [': unknown key "values"'],
  ],
  ['a type under another name', 'kind: choice, default: 1, options: [x]', [': unknown key "kind"']],
  [
    'a key beside all that must fit',
    'type: choice, default: 1, options: [x], kind: 1',
    [
      '.default: Invalid "inputs" section, default value for "a" must be one of "x", got 1.',
      ': unknown key "kind"',
    ],
  ],
  [
    'a key beside a type without options',
    'type: number, default: x, kind: 1',
    [
      '.default: Invalid "inputs" section, default value for "a" must be a number, got "x".',
      ': unknown key "kind"',
    ],
  ],
  [
    'a type that is none',
    'type: foo, default: "${{ foo }}", options: [x]',
    [
      '.type: must be one of "string", "number", "boolean", "choice", not "foo"',
      '.default: an expression is not evaluated here',
    ],
  ],
  [
    'options that are none',
    'type: choice, default: 1, options: x',
    ['.options: must be a list, not "x"'],
  ],
])('an input is held against what is known of it: %s', (_, input, problems) => {
  const text = `inputs: {a: {description: a, ${input}}}\njobs: {a: {${STEPS}}}`;
  expect(problemsOf(text)).toEqual(problems.map((problem) => `inputs.a${problem}`));
});

test.each<[what: string, text: string, problems: readonly string[]]>([
  ['inputs', 'inputs: [a]', ['inputs: must be an object, not a list']],
  ['secrets', 'secrets: [a]', ['secrets: must be an object, not a list']],
  ['resources', 'resources: [a]', ['resources: must be an object, not a list']],
  [
    'files',
    'resources: {files: x, repositories: [{name: r, type: git, repository: a, endpoint: b}]}',
    ['resources.files: must be a list, not "x"'],
  ],
  [
    'repositories',
    'resources: {repositories: x, files: [f]}',
    ['resources.repositories: must be a list, not "x"'],
  ],
])('a misshapen section has whatever is read from it: %s', (what, section, problems) => {
  const reads = {
    inputs: '${{ inputs.a }}',
    secrets: '${{ secrets.a }}',
    resources: '${{ resources.files.f }} ${{ resources.repositories.r }}',
    files: '${{ resources.files.f }}',
    repositories: '${{ resources.repositories.r }}',
  }[what];
  const call = what === 'repositories' || what === 'resources' ? 'r/c.yaml@main' : './f';
  const calls = what === 'inputs' || what === 'secrets' ? '' : `c: {uses: "${call}"}, `;
  const jobs = `jobs: {${calls}a: {steps: [{run: "${reads}"}]}}`;
  expect(problemsOf(`${section}\n${jobs}`)).toEqual(problems);
});

test('outputs that are none are whatever is read', () => {
  const b = 'b: {needs: a, steps: [{run: "${{ needs.a.outputs.o }}"}]}';
  expect(problemsOf(`jobs: {a: {outputs: [x], ${STEPS}}, ${b}}`)).toEqual([
    'jobs.a.outputs: must be an object, not a list',
  ]);
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import * as ajv from 'ajv/dist/2019.js';
import { expect, test } from 'vitest';
import * as yaml from 'yaml';
import { createWorkflowReporter } from './workflow-report.ts';

const FUNCTIONS = new Map([
  [
    'pytest/execute@v1',
    {
      inputs: {
        test: { description: '', type: 'string', required: true },
        'time-limit': { description: '', type: 'number' },
      },
    },
  ],
  ['any/inputs@v1', { inputs: { '{name}': { description: '' } } }],
  ['of/plugin@v1', { inputs: null }],
] as const);

function reportOf(steps: readonly string[], isComplete = true) {
  const lines = steps.map((step) => `    - ${step}`);
  const text = `metadata: {name: x}\njobs:\n  a:\n    steps:\n${lines.join('\n')}\n`;
  const names = [...FUNCTIONS.keys()];
  const find = (uses: string) =>
    names.flatMap((name) => (name === uses ? [FUNCTIONS.get(name)] : []))[0] ?? null;
  const report = createWorkflowReporter({
    yaml,
    schemas: ajv,
    functions: { names, isComplete, find },
  });
  return report(text).diagnostics.map(
    ({ severity, span, message, hint }) =>
      `${severity} ${span?.line}:${span?.column} ${message} ${hint}`,
  );
}

test('all unknown functions and inputs are found at once, with their lines and what was meant', () => {
  expect(
    reportOf([
      '{uses: pytset/execute@v1, with: {test: x}}',
      '{uses: pytest/execute@v1, with: {tets: x}}',
      '{uses: pytest/execute@v1, with: {test: x, color: red, time_limit: soon}}',
      '{uses: a/stranger@v7}',
    ]),
  ).toEqual([
    'error 5:14 There is no function "pytset/execute@v1". did you mean "pytest/execute@v1"?',
    'error 6:14 Mandatory input "test" not provided. null',
    'error 6:40 The function "pytest/execute@v1" has no input "tets". did you mean "test"?',
    'error 7:49 The function "pytest/execute@v1" has no input "color". it takes test, time-limit',
    'error 7:73 Input "time-limit": Invalid value "soon".  Expected a number. null',
    'error 8:14 There is no function "a/stranger@v7". name the server that has it with --server; "tutti providers" lists its functions',
  ]);
});

test.each([
  '{uses: pytest/execute@v1, with: {test: x, time_limit: 3}}',
  "{uses: pytest/execute@v1, with: {test: x, time-limit: '${{ opentf.job }}'}}",
  '{uses: any/inputs@v1, with: {what: ever}}',
  '{uses: of/plugin@v1, with: {what: ever}}',
])('the call %s is right', (step) => {
  expect(reportOf([step])).toEqual([]);
});

test('where not all functions are known, an unknown one is a warning', () => {
  expect(reportOf(['{uses: a/stranger@v7}'], false)).toEqual([
    expect.stringMatching(/^warning 5:14 There is no function/),
  ]);
});

test('a resource file that the workflow does not have is found before the step fails', () => {
  const step = (file: string) => `{uses: actions/put-file@v1, with: {file: ${file}, path: x}}`;
  const text = `metadata: {name: x}
resources: {files: [data.txt]}
jobs: {a: {steps: [${step('data.txt')}, ${step("'${{ resources.files.data }}'")}, ${step('dta.txt')}]}}
`;
  const { diagnostics } = createWorkflowReporter({ yaml, schemas: ajv })(text);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
    {
      path: 'jobs.a.steps[2].with.file',
      message: '"dta.txt" is not in "resources.files".',
      hint: 'did you mean "data.txt"?',
    },
  ]);
});

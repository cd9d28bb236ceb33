// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import * as ajv from 'ajv/dist/2019.js';
import { expect, test } from 'vitest';
import * as yaml from 'yaml';
import { createWorkflowReporter, type WorkflowDiagnostic } from './workflow-report.ts';

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

test.each([
  ['steps: [{run: x, working_dir: a}]', 'did you mean "working-directory"?'],
  ['steps: [{run: x, cwd: a}]', 'did you mean "working-directory"?'],
  ['steps: [{run: x, desc: a}]', 'did you mean "name"?'],
  ['steps: [{run: x, if: always}]', 'did you mean "always()"?'],
  ['if: "!cancelled", steps: [{run: x}]', 'did you mean "cancelled()"?'],
])('the job {%s} has the hint %s', (job, hint) => {
  const text = `metadata: {name: x}\njobs: {a: {${job}}}`;
  expect(report(text).diagnostics).toMatchObject([{ hint }]);
});

test.each([
  ['runs-on: "linux, node20", steps: [{run: x}]', 'write [linux, node20]'],
  [
    'runs-on: ubuntu-22.04, steps: [{run: x}]',
    'a tag begins with a letter and has only letters, digits and "-"',
  ],
  [
    'runs-on: [node_20], steps: [{run: x}]',
    'a tag begins with a letter and has only letters, digits and "-"',
  ],
  ['needs: "b,c", steps: [{run: x}]', 'write [b, c]'],
  ['matrix: {os: [a]}, steps: [{run: x}]', 'did you mean "strategy.matrix"?'],
  ['steps: {-run: x}', 'a blank is missing behind "-"'],
  ['steps: {run: x}', null],
])('the mistake in the job {%s} has the hint %s', (job, hint) => {
  const text = `metadata: {name: x}\njobs: {a: {${job}}}`;
  expect(report(text).diagnostics).toMatchObject([{ hint }]);
});

test.each([
  ['8080', 'not a number'],
  ['1.10', 'not a number'],
  ['0755', 'not a number'],
  ['true', 'not true'],
])('a variable that is %s is to be put in quotes', (value, what) => {
  expect(report(whole(`variables: {A: ${value}}`)).diagnostics).toMatchObject([
    {
      message: `must be a text or an object, ${what}`,
      hint: 'put it in quotes if it is a text',
    },
  ]);
});

test.each([
  [
    'hooks: [{name: h, events: [{category: a, version: v1}], before: [{run: x}]}]',
    'did you mean "categoryVersion"?',
  ],
  [
    'hooks: [{name: h, events: [{category: a, prefix: b}], before: [{run: x}]}]',
    'did you mean "categoryPrefix"?',
  ],
  ['inputs: {i: {description: d, desc: e}}', 'did you mean "description"?'],
])('the key in %s has the hint %s', (content, hint) => {
  expect(report(whole(content)).diagnostics).toMatchObject([{ hint }]);
});

test('a name that is written in another case is told where it is missing', () => {
  const text = 'metadata: {Name: x}\njobs: {a: {steps: [{run: x}]}}';
  expect(report(text).diagnostics).toMatchObject([
    { path: 'metadata', message: '"name" is missing', hint: '"Name" is another key' },
  ]);
});

test.each(['./my-action', '../a@v1'])('a step that calls the file %s is refused', (uses) => {
  const text = `metadata: {name: x}\njobs: {a: {steps: [{uses: ${uses}}]}}`;
  const message = `"${uses}" is a file, and steps call functions of providers; a job can call a workflow in a file.`;
  expect(report(text).diagnostics).toMatchObject([{ path: 'jobs.a.steps[0].uses', message }]);
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

// Bound: A script, or another text for an environment.
// Bound: Variables of a workflow, a job or a step.
test('texts and variables that reach no environment are told as too long', () => {
  const text = 'x'.repeat(1024 * 1024);
  const workflow = {
    metadata: { name: 'x' },
    variables: { A: text },
    jobs: {
      variables: { variables: { B: text }, steps: [{ run: text }, { run: `${text}${text}x` }] },
    },
  };
  expect(
    report(JSON.stringify(workflow)).diagnostics.map(({ path, message }) => `${path} ${message}`),
  ).toEqual([
    'variables must have at most 1048576 characters in all',
    'jobs.variables.variables must have at most 1048576 characters in all',
    'jobs.variables.steps[1].run must have at most 2097152 characters',
  ]);
});

const PLACED = ({ path, message, span }: WorkflowDiagnostic) =>
  `${span?.line}:${span?.column} ${path === '' ? '' : `${path}: `}${message}`;

test('mistakes in the document hide no mistakes in the workflow', () => {
  const text = `metadata: {name: x, name: y}
variables: {A: !foo x, B: 1, B: 2, __proto__: 3, C: 12345678901234567890, D: *nope}
jobs: {a: {run-on: x, steps: [{run: "\${{ nope }}"}]}}
`;
  expect(report(text).diagnostics.map(PLACED)).toEqual([
    '1:21 the key "name" is given twice',
    '2:16 the tag !foo cannot be used here, leave it out',
    '2:30 the key "B" is given twice',
    '2:36 the key "__proto__" is not allowed',
    '2:53 this number is too large to be kept, put it in quotes if it is a text',
    '2:78 no anchor "&nope" is before this alias',
    '3:12 jobs.a: unknown key "run-on"',
    '3:42 jobs.a.steps[0].run: unknown context "nope"',
  ]);
});

test('a valid workflow is none where its document is not', () => {
  const { isValid, manifest, diagnostics } = report(whole('variables: {A: "1", A: "2"}'));
  expect({ isValid, manifest }).toEqual({ isValid: false, manifest: null });
  expect(diagnostics.map(PLACED)).toEqual(['3:21 the key "A" is given twice']);
});

test.each<[what: string, text: string, expected: readonly string[]]>([
  [
    'jobs that are given twice are one map',
    'metadata: {name: x}\njobs: {a: {steps: [{run: x}]}}\njobs: {b: {needs: a, steps: [{rn: x}]}}\n',
    ['3:1 the key "jobs" is given twice', '3:31 jobs.b.steps[0]: unknown key "rn"'],
  ],
  [
    'a job that is given twice does not have what both have together',
    'metadata: {name: x}\njobs:\n  a: {uses: ./c.yaml}\n  a: {steps: [{run: x}]}\nresources: {files: [c.yaml]}\n',
    ['4:3 the key "a" is given twice'],
  ],
  [
    'a value with a tag is not held against the rules',
    'metadata: {name: x}\njobs: {a: {needs: !reference [b], if: !cancelled(), steps: [{run: x}]}}\n',
    [
      '2:19 the tag !reference cannot be used here, leave it out',
      '2:39 "!" begins a tag in YAML, write if: "!cancelled()"',
    ],
  ],
  [
    'a condition that begins with a tag hides nothing, however much of it the reader of YAML takes for something else',
    'metadata: {name: x}\njobs:\n  a:\n    if: !cancelled() && !failure()\n    steps: x\n  b:\n    steps:\n    - rn: y\n      if: !contains(a, "b")\n    - if: !steps["a"].b && c\n      run: ${{ foo }}\n',
    [
      '4:9 "!" begins a tag in YAML, write if: ${{ !cancelled() && !failure() }}',
      '5:12 jobs.a.steps: must be a list, not "x"',
      '8:7 jobs.b.steps[0]: unknown key "rn"',
      '9:11 "!" begins a tag in YAML, write if: ${{ !contains(a, "b") }}',
      '10:11 "!" begins a tag in YAML, write if: ${{ !steps["a"].b && c }}',
      '11:16 jobs.b.steps[1].run: unknown context "foo"',
    ],
  ],
  [
    'what is given twice in JSON hides nothing either',
    '{"metadata": {"name": "x"}, "kind": "Workflow", "kind": "x", "jobs": {"a": {"run-on": 1, "steps": [{"run": "x"}]}}}',
    ['1:49 the key "kind" is given twice', '1:77 jobs.a: unknown key "run-on"'],
  ],
])('%s', (_, text, expected) => {
  expect(report(text).diagnostics.map(PLACED)).toEqual(expected);
});

test.each([
  [
    'metadata:\n  name foo\njobs: {a: {steps: [{run: x}]}}\n',
    '":" is missing behind the key "name"',
  ],
  ['metadata: {name: x}\njobs:\n  a:\n    steps\n', '":" is missing behind the key "steps"'],
  [
    'metadata: {name: x}\njobs:\n  a:\n    steps:\n    - run x\n',
    '":" is missing behind the key "run"',
  ],
  [
    'metadata: {name: x}\njobs:\n  a:\n    steps:\n    - run:x\n',
    'a blank is missing behind the key "run"',
  ],
  ['metadata: {name: x}\njobs:\n  a:\n    steps:\n    - echo x\n', null],
])('a text where keys should be is one problem, with what is missing: %j', (text, hint) => {
  const { diagnostics } = report(text);
  expect(diagnostics.map((each) => each.hint)).toEqual([hint]);
  expect(diagnostics[0]?.message).toMatch(/^must be an object, not "/);
});

test('a workflow with warnings alone is valid', () => {
  const text = whole('variables: {A: "${{ inputs.a }}"}');
  expect(report(text)).toMatchObject({
    isValid: true,
    manifest: { metadata: { name: 'x' } },
    diagnostics: [{ severity: 'warning', topic: 'contexts', span: { line: 3, column: 28 } }],
    moreCount: 0,
    warningCount: 1,
  });
});

test('warnings leave no error out, and are as many as anybody reads', () => {
  const run = Array.from({ length: 60 }, (_, index) => `\${{ inputs.i${index} }}`).join(' ');
  const text = `metadata: {name: x}\njobs: {a: {steps: [{run: "${run}"}, {rn: x}]}, b: {needs: c, steps: [{run: x}]}}`;
  const { isValid, diagnostics, moreCount, warningCount } = report(text);
  expect({ isValid, moreCount, warningCount }).toEqual({
    isValid: false,
    moreCount: 12,
    warningCount: 60,
  });
  expect(diagnostics).toHaveLength(50);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ path }) => path)).toEqual(['jobs.a.steps[1]', 'jobs.b.needs']);
  expect(diagnostics.indexOf(errors[0] ?? NONE)).toBe(48);
});

const NONE: WorkflowDiagnostic = {
  severity: 'error',
  path: '',
  message: '',
  hint: null,
  topic: '',
  span: null,
};

test('very many problems are cut to as many as anybody reads', () => {
  const keys = Array.from({ length: 60 }, () => 'kind: Workflow').join(', ');
  const steps = Array.from({ length: 300 }, () => '{}').join(', ');
  const text = `{metadata: {name: x}, ${keys}, jobs: {a: {steps: [${steps}]}}}`;
  const { diagnostics, moreCount } = report(text);
  expect(diagnostics.length + moreCount).toBe(59 + 300);
  expect(diagnostics).toHaveLength(50);
});

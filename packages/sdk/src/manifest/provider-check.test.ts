/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so. */
import { formatProblem } from '@tutti/manifests/documents';
import * as schemas from 'ajv/dist/2019.js';
import { describe, expect, test } from 'vitest';
import { createProviderCheck } from './provider-check.ts';

const check = createProviderCheck(() => schemas);

const base = {
  name: 'a/b@v1',
  description: 'It.',
  inputs: { test: { description: 'The test.', type: 'string' } },
  values: { file: "${{ before(inputs.test, '#') }}" },
  steps: [{ command: ['run', '${{ values.file }}'] }],
};

const problemsOf = (more: object, top: object = {}): readonly string[] => {
  const checked = check({
    apiVersion: 'tutti/v1',
    kind: 'Provider',
    metadata: { name: 'a' },
    functions: [{ ...base, ...more }],
    ...top,
  });
  return checked.ok ? [] : checked.problems.map(formatProblem);
};

test('a description that is right has no problems', () => {
  expect(problemsOf({})).toEqual([]);
  expect(problemsOf({}, { params: 'a/params@v1' })).toEqual([]);
  expect(problemsOf({ attach: [{ path: '${{ values.file }}/**/out/*-x/*.xml' }] })).toEqual([]);
});

test.each([
  'application/vnd.opentestfactory.shop-surefire+xml; charset=utf-8',
  'application/vnd.opentestfactory.shop-tap;charset="utf-8" ; version=13',
  'text/html;charset=iso-8859-1',
])('the type of an attachment may have parameters: %s', (type) => {
  expect(problemsOf({ attach: [{ path: 'a', type }] })).toEqual([]);
});

describe('mistakes are reported with their places', () => {
  test.each([
    [{ step: [] }, 'functions[0]: unknown key "step", did you mean "steps"?'],
    [{ steps: [] }, 'functions[0].steps: must not be empty'],
    [{ steps: [{ name: 'x' }] }, 'functions[0].steps[0]: must have "command", "run" or "uses"'],
    [{ steps: { amiga: [] } }, 'functions[0].steps: unknown key "amiga"'],
    [
      { steps: [{ command: ['x'], shell: 'bash' }] },
      'functions[0].steps[0]: "shell" belongs to steps with "run".',
    ],
    [
      { steps: [{ command: ['${{ inputs.tset }}'] }] },
      'functions[0].steps[0].command[0]: there is no input "tset", did you mean "test"?',
    ],
    [
      { values: { a: '${{ values.b }}', b: 1 }, steps: [{ run: 'x' }] },
      'functions[0].values.a: there is no value before this "b"',
    ],
    [
      { steps: [{ command: ['${{ befor(inputs.test, 1) }}'] }] },
      'functions[0].steps[0].command[0]: unknown function "befor", did you mean "before"?',
    ],
    [
      { steps: [{ command: ['${{ steps.a.outputs.b }}'] }] },
      'functions[0].steps[0].command[0]: the context "steps" cannot be used here, only the run knows it: give the step a variable with this value',
    ],
    [
      { steps: [{ command: ['${{ input.test }}'] }] },
      'functions[0].steps[0].command[0]: unknown context "input", did you mean "inputs"?',
    ],
    [
      { steps: { linux: [{ run: 'x "${{ inputs.test }}"' }] } },
      'functions[0].steps.linux[0].run: an expression within quotes cannot be replaced by a quoted word, leave the quotes out: the value is quoted as one word, also beside other text',
    ],
    [
      { steps: [{ run: 'print(${{ inputs.test }})', shell: 'python' }] },
      'functions[0].steps[0].run: expressions cannot be used in scripts of this shell, give the step variables with these values, and read them in the script',
    ],
    [
      { steps: [{ run: 'x', if: "failure() && before(inputs.test, '#')" }] },
      'functions[0].steps[0].if: before() cannot be used together with what only the run knows, name its result in "values"',
    ],
    [
      { steps: [{ run: 'x', if: "failure() && inputs['test']" }] },
      'functions[0].steps[0].if: what an expression of the run reads of the call must be written as "inputs.name", name the rest of it in "values"',
    ],
    [
      { steps: [{ command: ['success()', '${{ success() }}'] }] },
      'functions[0].steps[0].command[1]: success() says nothing here',
    ],
    [
      { attach: [{ path: '../x' }] },
      'functions[0].attach[0].path: the path leads out of the working directory',
    ],
    [
      { attach: [{ path: '/x' }] },
      'functions[0].attach[0].path: the path leads out of the working directory',
    ],
    [
      { attach: [{ path: 'a/.' }] },
      'functions[0].attach[0].path: the path is a directory, not a file',
    ],
    [
      { attach: [{ path: './' }] },
      'functions[0].attach[0].path: the path is the directory of the sources',
    ],
    [
      { attach: [{ path: 'a*/' }] },
      'functions[0].attach[0].path: the path is a folder, which can be no pattern',
    ],
    [
      { attach: [{ path: 'a/', type: 'text/html' }] },
      'functions[0].attach[0].type: a folder has no type: it is an archive',
    ],
    [
      { attach: [{ path: 'a/*/b.xml' }] },
      'functions[0].attach[0].path: before the last part of the path, "**" can stand for any folders, and one folder behind it can be a pattern',
    ],
    [
      { attach: [{ path: '**/a/**/b.xml' }] },
      'functions[0].attach[0].path: before the last part of the path, "**" can stand for any folders, and one folder behind it can be a pattern',
    ],
    [
      { attach: [{ path: 'a/b**.xml' }] },
      'functions[0].attach[0].path: before the last part of the path, "**" can stand for any folders, and one folder behind it can be a pattern',
    ],
    [
      { attach: [{ path: '[ab].xml' }] },
      'functions[0].attach[0].path: of a pattern there are "*" and "?" alone',
    ],
    [
      { attach: [{ path: 'a', type: 'a,b' }] },
      'functions[0].attach[0].type: "a,b" is no media type, such as "application/vnd.opentestfactory.junit-surefire+xml" or "text/html"',
    ],
    [
      { attach: [{ path: 'a', type: 'nonsense' }] },
      'functions[0].attach[0].type: "nonsense" is no media type, such as "application/vnd.opentestfactory.junit-surefire+xml" or "text/html"',
    ],
    [
      { attach: [{ path: 'a', type: 'nonsense; charset=utf-8' }] },
      'functions[0].attach[0].type: "nonsense; charset=utf-8" is no media type, such as "application/vnd.opentestfactory.junit-surefire+xml" or "text/html"',
    ],
    [
      { attach: [{ path: 'a', type: 'text/html; profile="a,b"' }] },
      'functions[0].attach[0].type: "text/html; profile=\\"a,b\\"" cannot be the type of an attachment.',
    ],
    [
      { attach: [{ path: 'a', type: 'application/vnd.opentestfactory.x-surefire-xml' }] },
      'functions[0].attach[0].type: no test results are read of attachments of the type "application/vnd.opentestfactory.x-surefire-xml", did you mean "application/vnd.opentestfactory.x-surefire+xml"?',
    ],
    [
      { attach: [{ path: 'a', type: 'application/vnd.opentestfactry.x-tap' }] },
      'functions[0].attach[0].type: no test results are read of attachments of the type "application/vnd.opentestfactry.x-tap", did you mean "application/vnd.opentestfactory.x-tap"?',
    ],
    [
      { attach: [{ path: 'a', name: 'a,b' }] },
      'functions[0].attach[0].name: "a,b" cannot be the name of an attachment.',
    ],
    [
      { outputs: { a: '${{ inputs.test }}' } },
      'functions[0].outputs.a: the context "inputs" cannot be used here, there are job, matrix, needs, opentf, secrets, steps, variables',
    ],
    [{ aliases: ['a/b@v1'] }, 'functions[0].aliases[0]: there are two functions "a/b@v1"'],
    [
      { steps: [{ command: ['${{ inputs.test'] }] },
      'functions[0].steps[0].command[0]: Invalid expression',
    ],
  ])('%j', (more, problem) => {
    const [first = ''] = problemsOf(more);
    expect(first.slice(0, problem.length)).toBe(problem);
  });
});

import type { ExecutionCommandEvent } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { INPUT_LENGTH_MAX, INPUTS_LENGTH_MAX, inputVariables } from './input-variables.ts';
import { given } from './testing/given.ts';
import { answer, type Happening, job, offer, result, workflow } from './testing/inputs.ts';

test.each<[input: unknown, value: string]>([
  ['a b', 'a b'],
  ['$HOME `id` "x"', '$HOME `id` "x"'],
  ['', ''],
  [null, ''],
  [711, '711'],
  [true, 'true'],
  [['a', 1], '["a",1]'],
  [{ a: { b: null } }, '{"a":{"b":null}}'],
])('the input %j is the text %j, which no shell expands', (input, value) => {
  expect(inputVariables({ name: input })).toEqual({ INPUT_NAME: { value, verbatim: true } });
});

test.each([
  ['test', 'INPUT_TEST'],
  ['my file', 'INPUT_MY_FILE'],
  ['reporter-options', 'INPUT_REPORTER_OPTIONS'],
  ['a.b/ü', 'INPUT_A_B__'],
  ['squashTMUrl', 'INPUT_SQUASHTMURL'],
  ['__proto__', 'INPUT___PROTO__'],
  // Language 1.7: Inputs of functions are variables `INPUT_<NAME>`.
])('the input %s is called %s', (name, variable) => {
  expect(Object.keys(inputVariables(Object.fromEntries([[name, 'x']])))).toEqual([variable]);
});

test('values that are too long, each or all together, are left out', () => {
  const long = 'x'.repeat(INPUT_LENGTH_MAX);
  expect(inputVariables({ a: long.repeat(10), b: 'b' })).toEqual({
    INPUT_B: { value: 'b', verbatim: true },
  });
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`i${i}`, long]));
  const kept = Math.floor(INPUTS_LENGTH_MAX / INPUT_LENGTH_MAX);
  expect(Object.keys(inputVariables(many))).toHaveLength(kept);
  expect(inputVariables({ ['x'.repeat(101)]: 'x' })).toEqual({});
});

/** The last command of a job to which this happened. */
function commandAfter(...happened: readonly Happening[]): ExecutionCommandEvent {
  const command = given(...happened).log.findLast((event) => event.kind === 'ExecutionCommand');
  if (command === undefined) throw new Error('No command was sent.');
  return command;
}

describe('the scripts of a function', () => {
  const call = {
    id: 'call',
    uses: 'a/b@v1',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: expressions are written so.
    with: { os: '${{ runner.os }}', path: 'p' },
    variables: { INPUT_PATH: 'own' },
  };
  const begun = [workflow({ a: job([call, 'after']) }), offer('a')];
  const inputs = { INPUT_OS: { value: 'linux', verbatim: true }, INPUT_PATH: 'own' };

  // Language 1.7: Inputs of functions are variables `INPUT_<NAME>`.
  test('have its evaluated inputs, which variables of the step may replace', () => {
    const command = commandAfter(...begun, answer('a', [{ id: 's', run: 'x' }]));
    expect(command.variables).toEqual(inputs);
    expect(command.metadata.annotations).toEqual({ local_variables_names: Object.keys(inputs) });
  });

  test('have those of the innermost function alone', () => {
    const inner = { id: 'inner', uses: 'c/d@v1', with: { other: 1 } };
    const steps = [answer('a', [inner]), answer('a', [{ id: 's', run: 'x' }])];
    expect(commandAfter(...begun, ...steps).variables).toEqual({
      INPUT_OTHER: { value: '1', verbatim: true },
      INPUT_PATH: 'own',
    });
  });

  test('are the only ones that have them', () => {
    const steps = [answer('a', [{ id: 's', run: 'x' }]), result('a')];
    expect(commandAfter(...begun, ...steps)).not.toHaveProperty('variables');
  });
});

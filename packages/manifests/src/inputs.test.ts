import { describe, expect, test } from 'vitest';
import {
  evaluateInputs,
  type InputDeclarations,
  type InputValues,
  problemsOfGiven,
  problemsOfInputs,
} from './inputs.ts';

const declared = {
  target: { description: 'where to', required: true },
  'dry-run': { description: 'only look', type: 'boolean' },
  retries: { description: 'how often', type: 'number' },
  browser: { description: 'which one', type: 'choice', options: ['firefox', 'chromium'] },
  label: { description: 'a text', type: 'string', default: 'none' },
} as const satisfies InputDeclarations;

const empty = { target: 't', 'dry-run': false, retries: 0, browser: '', label: 'none' };

interface Accepted {
  readonly given: InputValues;
  readonly value: InputValues;
}

describe('evaluateInputs', () => {
  test.each<Accepted>([
    { given: { target: 't' }, value: empty },
    { given: { target: 't', dry_run: 'TRUE' }, value: { ...empty, 'dry-run': true } },
    { given: { target: 't', 'dry-run': false }, value: empty },
    { given: { target: 't', retries: '12' }, value: { ...empty, retries: 12 } },
    { given: { target: 't', retries: ' -1.5e2 ' }, value: { ...empty, retries: -150 } },
    { given: { target: 't', retries: 3 }, value: { ...empty, retries: 3 } },
    { given: { target: 't', browser: 'firefox' }, value: { ...empty, browser: 'firefox' } },
    { given: { target: 't', label: 12 }, value: { ...empty, label: '12' } },
    { given: { target: 't', label: null }, value: empty },
    { given: { target: { a: [1] } }, value: { ...empty, target: { a: [1] } } },
    // Language 1.11: Names with `_` stand for those with `-`; both at once are refused.
    // Language 1.11: Otherwise the default, or what is empty for the type.
    // Language 1.11: Conversion, and the sentences for what cannot be converted.
  ])('takes $given', ({ given, value }) => {
    expect(evaluateInputs(declared, given)).toEqual(value);
  });

  test.each<{ given: InputValues; message: string }>([
    { given: {}, message: 'Mandatory input "target" not provided.' },
    { given: { target: null }, message: 'Mandatory input "target" not provided.' },
    {
      given: { target: 't', dry_run: 'true', 'dry-run': 'true' },
      message: 'Both "dry_run" and "dry-run" specified in inputs.',
    },
    {
      given: { target: 't', 'dry-run': 'maybe' },
      message: 'Input "dry-run": Invalid value "maybe".  Allowed values: "true", "false".',
    },
    {
      given: { target: 't', retries: 'many' },
      message: 'Input "retries": Invalid value "many".  Expected a number.',
    },
    {
      given: { target: 't', retries: '' },
      message: 'Input "retries": Invalid value "".  Expected a number.',
    },
    {
      given: { target: 't', retries: '1e999' },
      message: 'Input "retries": Invalid value "1e999".  Expected a number.',
    },
    {
      given: { target: 't', retries: '12345678901234567891' },
      message:
        'Input "retries": Invalid value "12345678901234567891".  Expected a number of at most 15 digits.',
    },
    {
      given: { target: 't', browser: 'lynx' },
      message: 'Input "browser": Invalid value "lynx".  Allowed values: "firefox", "chromium".',
    },
    {
      given: { target: 't', colour: 'red', size: null },
      message:
        'Unexpected inputs "colour", "size" found.  ' +
        'Allowed inputs: "target", "dry-run", "retries", "browser", "label".',
    },
    {
      given: JSON.parse('{"target": "t", "__proto__": "x", "constructor": "y"}'),
      message:
        'Unexpected inputs "__proto__", "constructor" found.  ' +
        'Allowed inputs: "target", "dry-run", "retries", "browser", "label".',
    },
    {
      given: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`x${index}`, ''])),
      message: expect.stringContaining('"x48", "x49", and 10 more found.  '),
    },
    // Language 1.11: Names with `_` stand for those with `-`; both at once are refused.
    // Language 1.11: A required input must be given.
    // Language 1.11: Conversion, and the sentences for what cannot be converted.
    // Language 1.11: Names that are not declared are refused with those that are.
  ])('refuses $given', ({ given, message }) => {
    expect(() => evaluateInputs(declared, given)).toThrow(
      expect.objectContaining({ reason: 'Invalid', message }),
    );
  });

  test('a declared name with an underscore is matched as it is', () => {
    const inputs = { a_b: { description: 'one' }, 'a-b': { description: 'other' } };
    expect(evaluateInputs(inputs, { a_b: '1', 'a-b': '2' })).toEqual({ a_b: '1', 'a-b': '2' });
  });

  // Language 1.11: Names that begin with `{` are patterns.
  test('a pattern input lets further inputs through as they are', () => {
    const inputs = { '{file}': { description: 'any file' }, path: { description: 'p' } };
    expect(evaluateInputs(inputs, { 'report.xml': 1 })).toEqual({ 'report.xml': 1, path: '' });
  });

  test('all problems are told, the first of them in the message', () => {
    const given = { retries: 'many', browser: 'lynx', other: '1' };
    const first = /^Unexpected inputs "other" found\./;
    expect(() => evaluateInputs(declared, given)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(first),
        details: {
          error: expect.stringMatching(
            /^Unexpected inputs .*\nMandatory input "target" not provided\.\nInput "retries": .*\nInput "browser": .*$/,
          ),
        },
      }),
    );
  });

  test('a message shows no piece of a long value, which would not be masked', () => {
    const given = { target: 't', retries: 'x'.repeat(100_000) };
    expect(() => evaluateInputs(declared, given)).toThrow(
      'Input "retries": Invalid value (100000 characters).  Expected a number.',
    );
  });
});

describe('problemsOfInputs', () => {
  test.each<{
    declaration: InputDeclarations[string];
    problems: readonly (readonly [path: string, message: string])[];
  }>([
    { declaration: { description: 'd', default: ['any'] }, problems: [] },
    { declaration: { description: 'd', type: 'number', default: 1 }, problems: [] },
    {
      declaration: { description: 'd', type: 'boolean', default: 'yes' },
      problems: [
        [
          'k.default',
          'Invalid "inputs" section, default value for "k" must be a boolean, got "yes".',
        ],
      ],
    },
    {
      declaration: { description: 'd', type: 'choice', options: ['a', 'b'], default: 'c' },
      problems: [
        [
          'k.default',
          'Invalid "inputs" section, default value for "k" must be one of "a", "b", got "c".',
        ],
      ],
    },
    {
      declaration: { description: 'd', type: 'choice' },
      problems: [['k', 'Invalid "inputs" section, "k" is a choice and must have "options".']],
    },
    {
      declaration: { description: 'd', options: ['a'] },
      problems: [['k.options', 'Invalid "inputs" section, "k" has "options" but is not a choice.']],
    },
  ])('$declaration', ({ declaration, problems }) => {
    const actual = problemsOfInputs({ k: declaration });
    expect(actual.map(({ path, message }) => [path.join('.'), message])).toEqual(problems);
  });
});

test('of values that are given, all that is wrong is told, by the names under which they were', () => {
  const given = { dry_run: 'maybe', retries: 'many', 'dry-run': true, browser: 'lynx', size: 1 };
  expect(problemsOfGiven(declared, given).map(({ path, message }) => [...path, message])).toEqual([
    ['dry_run', 'Both "dry_run" and "dry-run" specified in inputs.'],
    [expect.stringContaining('Unexpected inputs "size" found.')],
    ['Mandatory input "target" not provided.'],
    ['retries', 'Input "retries": Invalid value "many".  Expected a number.'],
    ['browser', expect.stringContaining('Input "browser": Invalid value "lynx".')],
  ]);
  expect(problemsOfGiven(declared, { target: 't', dry_run: 'maybe' })).toMatchObject([
    { path: ['dry_run'] },
  ]);
  expect(problemsOfGiven(declared, { target: 't' })).toEqual([]);
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** The statements of wire facts 1.8, 1.9 and 1.11 on the sections of a workflow that are not its jobs. */
import { describe, expect, test } from 'vitest';
import {
  input,
  isTakenByEditors,
  job,
  problemOf,
  type Rows,
  whole,
} from './testing/language-rows.ts';

/** The entries of a map without one of them. */
const without = (entries: string, key: string) =>
  entries
    .split(', ')
    .filter((entry) => !entry.startsWith(`${key}:`))
    .join(', ');

const strategy = (content: string) => job(`strategy: {${content}}, steps: [{run: x}]`);
const matrix = (content: string) => strategy(`matrix: {${content}}`);
const STRATEGY: Rows = [
  // Language 1.8: `max-parallel` is a number or an expression, `fail-fast` true, false or an expression.
  ['1.8: limits of a workflow', whole('strategy: {max-parallel: 2, fail-fast: true}'), null],
  [
    // Language 1.8: `max-parallel` is a number or an expression, `fail-fast` true, false or an expression.
    '1.8: limits as expressions',
    strategy(
      'matrix: {m: [1]}, max-parallel: "${{ variables.N }}", fail-fast: "${{ variables.F }}"',
    ),
    null,
  ],
  [
    // Language 1.8: At least one entry, and no other keys.
    '1.8: no other key',
    strategy('matrix: {m: [1]}, fast-fail: true'),
    'jobs.a.strategy: unknown key "fast-fail"',
  ],
  [
    // Language 1.8: At least one entry, and no other keys.
    '1.8: a workflow has no matrix',
    whole('strategy: {matrix: {m: [1]}}'),
    'warning: strategy: the matrix of a workflow has no effect, a job can have one',
  ],
  // Language 1.8: A matrix has lists of texts, numbers and maps, with at least one value.
  ['1.8: values are texts, numbers and maps', matrix('m: [a, 1, {b: c}]'), null],
  [
    '1.8: values may be anything, also null and lists',
    matrix('m: [~, true, [a, [b]], {c: ~}]'),
    null,
  ],
  [
    // Language 1.8: `include` and `exclude` are lists of maps.
    '1.8: include and exclude are lists of maps',
    matrix('m: [a], include: [{m: b}], exclude: [{m: a}]'),
    null,
  ],
  [
    // Language 1.8: A matrix has lists of texts, numbers and maps, with at least one value.
    '1.8: a value has at least one entry',
    matrix('m: []'),
    'jobs.a.strategy.matrix.m: must not be empty',
  ],
  // Language 1.8: At least one entry, and no other keys.
  ['1.8: at least one entry', matrix(''), 'jobs.a.strategy.matrix: must not be empty'],
];

const resources = (content: string) => whole(`resources: {${content}}`);
const TESTMANAGER = 'testmanager: p, type: squashtm, name: n, endpoint: e';
const REPOSITORY = 'repository: p, type: github, name: n, endpoint: e';
const RESOURCES: Rows = [
  // Language 1.9: A test manager has all four keys.
  ['1.9: a test manager', resources(`testmanagers: [{${TESTMANAGER}}]`), null],
  // Language 1.9: A repository has all four keys, and a type that is a word.
  ['1.9: a repository', resources(`repositories: [{${REPOSITORY}}]`), null],
  ...['testmanager', 'type', 'name', 'endpoint'].map(
    (key) =>
      [
        // Language 1.9: A test manager has all four keys.
        '1.9: all four of a test manager',
        resources(`testmanagers: [{${without(TESTMANAGER, key)}}]`),
        `resources.testmanagers[0]: "${key}" is missing`,
      ] as const,
  ),
  ...['repository', 'type', 'name', 'endpoint'].map(
    (key) =>
      [
        // Language 1.9: A repository has all four keys, and a type that is a word.
        '1.9: all four of a repository',
        resources(`repositories: [{${without(REPOSITORY, key)}}]`),
        `resources.repositories[0]: "${key}" is missing`,
      ] as const,
  ),
  [
    // Language 1.9: A repository has all four keys, and a type that is a word.
    '1.9: the type is a word',
    resources('repositories: [{repository: p, type: Git-Hub, name: n, endpoint: e}]'),
    'resources.repositories[0].type: must be text that matches ^[a-z][a-z0-9]*$, not "Git-Hub"',
  ],
  [
    // Language 1.9: A file is a name, or has a name and an address.
    '1.9: files, by name or with an address',
    resources('files: [a, {name: b, url: "https://c"}]'),
    null,
  ],
  // Language 1.9: A file is a name, or has a name and an address.
  ['1.9: no other kind', resources('secrets: []'), 'warning: resources: unknown key "secrets"'],
];

const INPUTS: Rows = [
  [
    // Language 1.11: An input has a description.
    '1.11: a description is required',
    whole('inputs: {i: {}}'),
    'inputs.i: "description" is missing',
  ],
  ['1.11: no inputs at all', whole('inputs: {}\noutputs: {}'), null],
  // Language 1.11: An output is a text, or has a value.
  ['1.11: an output is a text', whole('outputs: {o: x}'), null],
  // Language 1.11: An output is a text, or has a value.
  ['1.11: an output has a value', whole('outputs: {o: {value: x, description: d}}'), null],
  [
    // Language 1.11: An output is a text, or has a value.
    '1.11: the value of an output is required',
    whole('outputs: {o: {description: d}}'),
    'outputs.o: "value" is missing',
  ],
  // Language 1.11: Types, a default of any value, a message of depreciation.
  ['1.11: a default of any value', input('default: [1]'), null],
  // Language 1.11: Types, a default of any value, a message of depreciation.
  ['1.11: the types', input('type: number, default: 1'), null],
  [
    // Language 1.11: Types, a default of any value, a message of depreciation.
    '1.11: no other type',
    input('type: integer'),
    'inputs.i.type: must be one of "string", "number", "boolean", "choice", not "integer"',
  ],
  [
    // Language 1.11: Options are for a choice, which must have them.
    '1.11: a choice has options',
    input('type: choice'),
    'inputs.i: Invalid "inputs" section, "i" is a choice and must have "options".',
  ],
  [
    // Language 1.11: Options are for a choice, which must have them.
    '1.11: only a choice has options',
    input('type: string, options: [a]'),
    'inputs.i.options: Invalid "inputs" section, "i" has "options" but is not a choice.',
  ],
  [
    // Language 1.11: Options are for a choice, which must have them.
    '1.11: at least one option',
    input('type: choice, options: []'),
    'inputs.i.options: must not be empty',
  ],
  // Language 1.11: Types, a default of any value, a message of depreciation.
  ['1.11: a message of depreciation', input('depreciationMessage: d'), null],
];

describe.each([
  ['strategies', STRATEGY],
  ['resources', RESOURCES],
  ['inputs and outputs', INPUTS],
])('%s', (_, rows) => {
  test.each(rows)('%s', (_statement, text, problem) => {
    expect(problemOf(text)).toBe(problem);
    if (problem === null) expect(isTakenByEditors(text)).toBe(true);
  });
});

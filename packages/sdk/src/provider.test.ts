import { describe, expect, expectTypeOf, test } from 'vitest';
import { findFunction, formatFunctionName, parseFunctionName } from './function-name.ts';
import { defineProvider } from './provider.ts';

const greetings = defineProvider({
  name: 'greetings',
  functions: [
    {
      prefix: 'greetings',
      category: 'hello',
      version: 'v1',
      inputs: {
        who: { description: 'Whom to greet.', type: 'string', required: true },
        times: { description: 'How often.', type: 'number', default: 1 },
        data: { description: 'Anything.' },
      },
      steps({ who, times, data }, { os }) {
        expectTypeOf(who).toEqualTypeOf<string>();
        expectTypeOf(times).toEqualTypeOf<number>();
        expectTypeOf(data).toEqualTypeOf<unknown>();
        return [{ run: `echo ${who} ${times} ${os}` }];
      },
    },
    {
      prefix: null,
      category: 'later',
      version: null,
      inputs: {},
      steps: async () => [],
    },
  ],
});

describe('a provider', () => {
  test('answers the steps for inputs that fit', async () => {
    const [hello] = greetings.functions;
    expect(await hello?.call({ who: 'Ada' }, { os: 'linux' })).toEqual([
      { run: 'echo Ada 1 linux' },
    ]);
  });

  test('refuses inputs that do not fit', async () => {
    const [hello] = greetings.functions;
    await expect(hello?.call({}, { os: 'linux' })).rejects.toThrow(
      'Mandatory input "who" not provided.',
    );
  });

  test('may take its time', async () => {
    expect(await greetings.functions[1]?.call({}, { os: 'macos' })).toEqual([]);
  });

  test('cannot define a function twice', () => {
    const twice = { prefix: 'a', category: 'b', version: 'v1', inputs: {}, steps: () => [] };
    expect(() => defineProvider({ name: 'p', functions: [twice, twice] })).toThrow(
      'Provider p defines a/b@v1 twice.',
    );
  });

  test('cannot declare an input that contradicts itself', () => {
    const inputs = { x: { description: 'x', type: 'number', default: 'one' } } as const;
    expect(() =>
      defineProvider({
        name: 'p',
        functions: [{ prefix: 'a', category: 'b', version: 'v1', inputs, steps: () => [] }],
      }),
    ).toThrow(
      'Function a/b@v1: Invalid "inputs" section, default value for "x" must be a number, got "one".',
    );
  });
});

test.each([
  ['a/b@v1', { prefix: 'a', category: 'b', version: 'v1' }],
  ['b@v1.2', { prefix: null, category: 'b', version: 'v1.2' }],
  ['a/b', { prefix: 'a', category: 'b', version: null }],
  ['b', { prefix: null, category: 'b', version: null }],
  ['', null],
  ['a/b/c', null],
  ['@v1', null],
])('%j is read as %j', (text, name) => {
  expect(parseFunctionName(text)).toEqual(name);
  if (name !== null) expect(formatFunctionName(name)).toBe(text);
});

describe('the function for', () => {
  test.each<[string, readonly string[], string | null]>([
    ['a/b@v1', ['a/b@v1', 'a/b', 'b@v1', 'b'], 'a/b@v1'],
    ['a/b@v1.2.3', ['a/b@v1', 'a/b@v1.2', 'a/b'], 'a/b@v1.2'],
    ['a/b@v1.2.3', ['a/b@v1', 'a/b'], 'a/b@v1'],
    ['a/b@v2', ['a/b@v1', 'a/b', 'b@v2'], 'a/b'],
    ['a/b@v2', ['a/b@v1', 'b@v2', 'b'], 'b@v2'],
    ['a/b@v2', ['a/b@v1', 'b'], 'b'],
    ['a/b', ['a/b@v1', 'b'], 'b'],
    ['a/b', ['a/b@v1'], null],
    ['b@v1', ['a/b@v1'], null],
    ['a/b@v12', ['a/b@v1'], null],
  ])('%s among %j is %s', (wanted, known, found) => {
    const parse = (text: string) =>
      parseFunctionName(text) ?? { prefix: null, category: '', version: null };
    const result = findFunction(known.map(parse), parse(wanted));
    expect(result === null ? null : formatFunctionName(result)).toBe(found);
  });
});

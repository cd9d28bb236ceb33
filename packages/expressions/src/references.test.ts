// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { expect, test } from 'vitest';
import { referencesIn, referencesOf } from './references.ts';

test('the references of a condition are its contexts, paths and functions', () => {
  expect(
    referencesOf(
      "always() && needs.build.result == 'success' || needs['build'].outputs[steps.a.b].c",
    ),
  ).toEqual({
    contexts: ['needs', 'steps'],
    paths: [
      ['needs', 'build', 'result'],
      ['needs', 'build', 'outputs'],
      ['steps', 'a', 'b'],
    ],
    functions: ['always'],
  });
});

test.each([
  ['inputs', [['inputs']]],
  ['${{ inputs.a }}', [['inputs', 'a']]],
  ['list[0].a', [['list', '0', 'a']]],
  ["fromJSON(inputs.a).b['c']", [['inputs', 'a']]],
  ['(inputs).a', [['inputs', 'a']]],
  ['!a || (b && c)', [['a'], ['b'], ['c']]],
  ["'a'", []],
  ['', []],
])('the paths of %j are %j', (text, paths) => {
  expect(referencesOf(text).paths).toEqual(paths);
});

test('the references in a value are those of the expressions in all its texts', () => {
  const value = {
    a: ['x ${{ inputs.a }} ${{ format(test.name) }}', 'steps.b'],
    c: { d: '${{ inputs.d }}' },
    e: 1,
  };
  expect(referencesIn(value)).toEqual({
    contexts: ['inputs', 'test'],
    paths: [
      ['inputs', 'a'],
      ['test', 'name'],
      ['inputs', 'd'],
    ],
    functions: ['format'],
  });
});

test('a malformed expression is refused', () => {
  expect(() => referencesIn(['fine', '${{ a b }}'])).toThrow('Invalid expression "a b"');
  expect(() => referencesOf('a b')).toThrow('Invalid expression "a b"');
});

test('a value that is nested too deeply is refused', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)]);
  expect(referencesIn(nested(100)).contexts).toEqual([]);
  expect(() => referencesIn(nested(101))).toThrow('Lists or maps nested deeper than 100.');
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { isOrchestratorError } from '@tutti/manifests';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBudget } from './evaluation-budget.ts';
import { interpolate, interpolateText } from './interpolate.ts';
import { RESULT_LENGTH_MAX } from './limits.ts';

const scope = {
  contexts: {
    name: 'Ada',
    list: ['a', 1],
    map: { a: true },
    nothing: null,
    half: 'b'.repeat(RESULT_LENGTH_MAX / 2),
  },
};

/** [text, value as a whole, value as a text] */
const rows: readonly (readonly [string, unknown, string])[] = [
  ['', '', ''],
  ['plain $ { text }}', 'plain $ { text }}', 'plain $ { text }}'],
  ['${{name}}', 'Ada', 'Ada'],
  ['${{ name }}', 'Ada', 'Ada'],
  ['${{ 711 }}', 711, '711'],
  ['${{ list }}', ['a', 1], '["a",1]'],
  ['${{ map }}', { a: true }, '{"a":true}'],
  ['${{ true }}', true, 'true'],
  ['${{ nothing }}', null, ''],
  [' ${{ 711 }}', ' 711', ' 711'],
  ['n=${{ 711 }}, ${{ 1.50 }}', 'n=711, 1.5', 'n=711, 1.5'],
  ['${{ 1 == 1 }}/${{ !1 }}', 'true/false', 'true/false'],
  ['[${{ nothing }}]', '[]', '[]'],
  ['x: ${{ list }} ${{ map }}', 'x: ["a",1] {"a":true}', 'x: ["a",1] {"a":true}'],
  ['${{ name }}${{ name }}', 'AdaAda', 'AdaAda'],
  ["${{ '}}' }}", '}}', '}}'],
  ["${{ '${{ name }}' }}", '${{ name }}', '${{ name }}'],
  ["${{ format('{{{0}}}', name) }}", '{Ada}', '{Ada}'],
  ["${{ 'it''s' }} }}", "it's }}", "it's }}"],
  ['${{ name }}}', 'Ada}', 'Ada}'],
  ['echo ${HOME} ${{ name\n }}\n', 'echo ${HOME} Ada\n', 'echo ${HOME} Ada\n'],
];

test.each(rows)('%j becomes %j', (text, value, asText) => {
  expect(interpolate(text, scope)).toEqual(value);
  expect(interpolateText(text, scope)).toBe(asText);
});

/** [text, message] */
const refusals: readonly (readonly [string, string])[] = [
  ['a ${{ name', 'Invalid expression "a ${{ name": "${{" without "}}" at position 3.'],
  [
    "${{ it's }}",
    'Invalid expression "${{ it\'s }}": the string that begins here has no end at position 7.',
  ],
  ['${{ }}', 'Invalid expression "": expected a value at position 1.'],
  ['a ${{ name + 1 }}', 'Invalid expression "name + 1": unexpected "+" at position 6.'],
  [
    'a ${{ nobody }}',
    'Invalid expression "nobody": Invalid segment nobody or incorrect function call at position 1.',
  ],
];

test.each(refusals)('%j is refused: %s', (text, message) => {
  expect(() => interpolate(text, scope)).toThrow(message);
  expect(() => interpolateText(text, scope)).toThrow(message);
});

test('texts in lists and maps are replaced, names and other values are not', () => {
  const value = {
    '${{ name }}': ['${{ list }}', { deep: 'Hi ${{ name }}' }],
    number: 1,
    nothing: null,
    flag: false,
  };
  expect(interpolate(value, scope)).toEqual({
    '${{ name }}': [['a', 1], { deep: 'Hi Ada' }],
    number: 1,
    nothing: null,
    flag: false,
  });
});

test('an entry named __proto__ stays an entry', () => {
  const value: unknown = JSON.parse('{"__proto__": {"polluted": "${{ name }}"}}');
  const replaced = interpolate(value, scope);
  expect(JSON.stringify(replaced)).toBe('{"__proto__":{"polluted":"Ada"}}');
  expect(Object.getPrototypeOf(replaced)).toBe(Object.prototype);
});

describe('bounds', () => {
  test('the text that the expressions of one text insert is bounded', () => {
    expect(interpolateText('${{ half }}-${{ half }}', scope)).toHaveLength(RESULT_LENGTH_MAX + 1);
    const tooLong = 'the text becomes longer than 65536 characters';
    expect(() => interpolateText('${{ half }}-${{ half }}${{ name }}', scope)).toThrow(tooLong);
  });

  test('the text that all expressions of a value insert is bounded', () => {
    const list = Array(200).fill('${{ half }}');
    expect(() => interpolate(list, scope)).toThrow('the evaluation takes too long');
    expect(() => interpolate(Array(200).fill('-${{ half }}'), scope)).toThrow('too long');
    const budget = createBudget();
    const spend = () => interpolateText('${{ half }}', { ...scope, budget });
    expect(spend()).toHaveLength(RESULT_LENGTH_MAX / 2);
    expect(() => Array.from({ length: 200 }, spend)).toThrow('the evaluation takes too long');
  });

  test('a list that is inserted as a whole is paid for like its text', () => {
    const contexts = { list: Array(500_000).fill('abcd') };
    expect(interpolate('${{ list }}', { contexts })).toHaveLength(500_000);
    const twice = ['${{ list }}', '${{ list }}'];
    expect(() => interpolate(twice, { contexts })).toThrow('the evaluation takes too long');
  });

  test('the text that the author wrote around expressions is not', () => {
    const script = '#'.repeat(2 * RESULT_LENGTH_MAX);
    expect(interpolate(`${script}\${{ name }}`, scope)).toBe(`${script}Ada`);
  });

  test('a value that is nested too deeply is refused', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)]);
    expect(interpolate(nested(100), scope)).toEqual(nested(100));
    expect(() => interpolate(nested(101), scope)).toThrow('Lists or maps nested deeper than 100.');
  });
});

test('a value without expressions stays as it is', () => {
  const value = fc.jsonValue().filter((json) => !JSON.stringify(json).includes('${{'));
  fc.assert(
    fc.property(value, (json) => {
      expect(interpolate(json, scope)).toEqual(json);
    }),
  );
});

test('any text is replaced or refused', () => {
  const piece = fc.constantFrom('${{', '}}', "'", ' ', 'name', 'list', '[0]', '{', '$', 'a', '||');
  const text = fc.oneof(
    fc.string(),
    fc.array(piece).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(text, (template) => {
      try {
        expect(typeof interpolateText(template, scope)).toBe('string');
      } catch (error) {
        expect(isOrchestratorError(error) && error.reason).toBe('Invalid');
      }
    }),
    { numRuns: 500 },
  );
});

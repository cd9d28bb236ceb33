// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** The statements of the wire facts on expressions, part 6, one row or more for each. Rows that we read in another way say so. */
import { describe, expect, test } from 'vitest';
import { evaluateCondition } from './condition.ts';
import { evaluateExpression } from './evaluate-expression.ts';
import { interpolate } from './interpolate.ts';

const scope = {
  contexts: {
    runner: { os: 'linux', temp: '/tmp' },
    steps: { build: { outputs: { version: '1.2' }, outcome: 'success' } },
    'with-dash': { _a1: 'found' },
    list: ['Linux', 'b', 7],
    map: { a: 1, b: { c: [true] } },
    none: null,
    empty: { list: [], map: {}, text: '' },
  },
  functions: { success: () => false, failure: () => true, always: () => true },
};

const evaluate = (expression: string) => evaluateExpression(expression, scope);

/** [statement, expression, value] */
type Row = readonly [string, string, unknown];

describe('6.1', () => {
  test.each<Row>([
    ['a name begins with a letter or an underscore', 'with-dash._a1', 'found'],
    ['a name may have dashes and digits', 'with-dash._a1', 'found'],
    ['a string is in single quotes', "'a b'", 'a b'],
    ['two quotes in a string are one', "'it''s'", "it's"],
    ['a string may have line breaks', "'a\nb'", 'a\nb'],
    ['a number may be hexadecimal', '0x1F', 31],
    ['a number may be negative', '-12', -12],
    ['a number may have decimals', '12.25', 12.25],
    ['beyond the wire: a number may have an exponent', '1e3', 1000],
    ['true in any case', 'tRUE', true],
    ['false in any case', 'False', false],
    ['null in any case', 'NULL', null],
  ])('%s: %s', (_, expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  test.each(['.5', '5.', '0x', '"a"', 'a ? b : c', 'a + b', 'a.b.*', 'a.b[*]', '1a'])(
    '%s is no expression',
    (expression) => {
      expect(() => evaluate(expression)).toThrow('Invalid expression');
    },
  );
});

describe('6.2', () => {
  test.each<Row>([
    ['&& gives the right operand if the left one is true', "'a' && 'b'", 'b'],
    ['&& gives the left operand if it is false', "'' && 'b'", ''],
    ['|| gives the left operand if it is true', "'a' || 'b'", 'a'],
    ['|| gives the right operand if the left one is false', "0 || 'b'", 'b'],
    ['chains go from left to right', "1 && 'x' && '' && 2", ''],
    ['otherwise than the wire: && binds tighter', "true || 'a' && false", true],
    ['otherwise than the wire: what cannot matter is not evaluated', 'false && nobody', false],
    ['an empty text is false', "!''", true],
    ['zero is false', '!0', true],
    ['null is false', '!null', true],
    ['an empty list is false', '!empty.list', true],
    ['an empty map is false', '!empty.map', true],
    ['a text is true, whatever it says', "!'false'", false],
    ['a list is true', '!list', false],
    ['a term has one comparison', "1 < 2 && 'a' == 'a'", true],
    ['! belongs to the factor after it', "!'' == true", true],
    ['parentheses group', "('' || 'a') == 'A'", true],
    ['a factor may be a call', "contains('abc', 'b') == true", true],
  ])('%s: %s', (_, expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });
});

describe('6.3', () => {
  test.each<Row>([
    ['texts are equal regardless of case', "'ABC' == 'abc'", true],
    ['texts are ordered regardless of case', "'B' > 'a'", true],
    ['texts are never numbers for each other', "'10' == '10.0'", false],
    ['numbers are compared as they are', '2 < 10', true],
    ['booleans are compared as they are', 'true > false', true],
    ['lists are equal when their items are', "fromJSON('[1, [2]]') == fromJSON('[1,[2]]')", true],
    ['texts in lists are compared with case', 'fromJSON(\'["a"]\') == fromJSON(\'["A"]\')', false],
    ['maps are equal when their entries are', 'map.b == fromJSON(\'{"c": [true]}\')', true],
    ['otherwise than the wire: lists have no order', 'list <= list', false],
    ['null is 0 for another type', 'null == 0', true],
    ['the empty text is 0 for another type', "'' == 0", true],
    ['null equals the empty text', "null == ''", true],
    ['true is 1 for another type', "true == '1'", true],
    ['false is 0 for another type', 'false == null', true],
    ['a numeric text is its number', "12.5 == '12.50'", true],
    ['another text is no number, and never equal', "0 == 'a'", false],
    ['what is no number differs from every number', "0 != 'a'", true],
    ['what is no number has no order', "0 < 'a' || 0 >= 'a'", false],
    ['a list equals no number', "0 == fromJSON('[]')", false],
    ['a map equals no text', "'' == empty.map", false],
    ['~= searches', "'the Error code' ~= 'err.r'", true],
    ['~= may be anchored', "'the error' ~= '^error'", false],
    ['~= regards no case on either side', "'ABC' ~= 'aBc'", true],
    ['otherwise than the wire: the case of escapes counts', "'a b' ~= '^\\S+$'", false],
  ])('%s: %s', (_, expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  test.each(["7 ~= '7'", "'7' ~= 7", "null ~= ''", "list ~= 'a'"])(
    '%s is an error, as one side is no text',
    (expression) => {
      expect(() => evaluate(expression)).toThrow('both must be texts');
    },
  );
});

describe('6.4', () => {
  test.each<Row>([
    ['contains looks in a text', "contains('Hello', 'LL')", true],
    ['contains looks in a list', "contains(list, 'LINUX')", true],
    ['contains takes a whole item of a list', "contains(list, 'inu')", false],
    ['startsWith', "startsWith('Hello', 'hE')", true],
    ['endsWith', "endsWith('Hello', 'LLO')", true],
    ['fromJSON reads a map', 'fromJSON(\'{"a": [1]}\').a[0]', 1],
    ['toJSON writes one line without blanks', 'toJSON(map.b)', '{"c":[true]}'],
    ['toJSON writes line breaks in texts as \\n', 'toJSON(fromJSON(\'["a\\nb"]\'))', '["a\\nb"]'],
    ['toJSON writes a text with its quotes', "toJSON('a')", '"a"'],
    ['beyond the wire: format', "format('{0}-{1}-{{2}}', 'a', 1)", 'a-1-{2}'],
    ['beyond the wire: join', "join(list, '/')", 'Linux/b/7'],
    ['year', "year('2026-01-31T12:34:56.123456')", 2026],
    ['month', "month('2026-01-31T12:34:56.123456')", 1],
    ['week', "week('2026-01-31T12:34:56.123456')", 5],
    ['day', "day('2026-01-31T12:34:56.123456')", 31],
    ['dayOfWeek', "dayOfWeek('2026-02-01T00:00:00')", 0],
    ['dayOfWeekISO', "dayOfWeekISO('2026-02-01T00:00:00')", 7],
    ['hour', "hour('2026-01-31T12:34:56.123456')", 12],
    ['minute', "minute('2026-01-31T12:34:56.123456')", 34],
    ['second', "second('2026-01-31T12:34:56.123456')", 56],
    ['the parts of what is no date are empty', "year('soon')", ''],
    ['status functions are there where the scope has them', 'failure() && always()', true],
    ['names of functions have no case', "ENDSWITH('a', 'A')", true],
  ])('%s: %s', (_, expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  test.each(['cancelled()', "hashFiles('*')", "env('HOME')"])('%s is not there', (expression) => {
    expect(() => evaluate(expression)).toThrow('unknown function');
  });

  test('status functions take no argument', () => {
    expect(() => evaluate("success('a')")).toThrow('success() takes no argument');
  });

  test.each(["join(fromJSON('[\"a\"]'), '', 1)", "contains('a')", 'toJSON()'])(
    '%s has a wrong number of arguments',
    (expression) => {
      expect(() => evaluate(expression)).toThrow('argument');
    },
  );
});

describe('6.5', () => {
  test.each<Row>([
    ['a path has names after dots', 'steps.build.outputs.version', '1.2'],
    ['a path has strings in brackets', "steps['build'].outputs['version']", '1.2'],
    ['a path has expressions in brackets', "map[format('{0}', 'a')]", 1],
    ['an index picks an item', 'list[2]', 7],
    ['a missing last segment is the empty text', 'steps.build.outputs.nothing', ''],
    ['a segment that the context lacks, likewise', 'steps.test', ''],
  ])('%s: %s', (_, expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  test.each([
    ['a missing segment on the way is an error', 'steps.test.outcome', 'no entry "test"'],
    ['an unknown root is an error', 'nobody.a', 'Invalid segment nobody or incorrect function'],
    ['the case of names counts', 'Runner.os', 'Invalid segment Runner or incorrect function'],
  ])('%s: %s', (_, expression, problem) => {
    expect(() => evaluate(expression)).toThrow(problem);
  });
});

describe('6.6', () => {
  test.each<Row>([
    ['a text that is one expression becomes its value', '${{ list }}', ['Linux', 'b', 7]],
    ['also a map', '${{ map.b }}', { c: [true] }],
    ['also a number', '${{ 711 }}', 711],
    ['also null', '${{ none }}', null],
    ['every occurrence is replaced', '${{ runner.os }}/${{ runner.temp }}', 'linux//tmp'],
    ['otherwise than the wire: a whole number has no decimals', 'p${{ 711 }}', 'p711'],
    ['otherwise than the wire: true is true', 'is ${{ 1 == 1 }}', 'is true'],
    ['otherwise than the wire: null is empty', '<${{ none }}>', '<>'],
    ['otherwise than the wire: a list is compact JSON', 'a: ${{ list }}', 'a: ["Linux","b",7]'],
    ['otherwise than the wire: a map is compact JSON', 'a: ${{ map.b }}', 'a: {"c":[true]}'],
    ['a text without expressions stays', '$ {{ a }} ${ b }', '$ {{ a }} ${ b }'],
  ])('%s: %s', (_, text, value) => {
    expect(interpolate(text, scope)).toEqual(value);
  });

  test('is applied to maps and lists', () => {
    const value = { a: ['${{ 1 }}', { b: 'x${{ 1 }}' }], c: 5 };
    expect(interpolate(value, scope)).toEqual({ a: [1, { b: 'x1' }], c: 5 });
  });

  test.each<readonly [string, string, boolean]>([
    ['a number other than 0 holds', '-1', true],
    ['0 does not hold', '0', false],
    ['a text with the number 0 does not hold', "'0.0'", false],
    ['the empty text does not hold', "''", false],
    ['another text holds', "'no'", true],
    ['true holds', 'true', true],
    ['false does not hold', 'false', false],
    ['null does not hold', 'none', false],
    ['a list holds, as it is no number', 'empty.list', true],
    ['the delimiters may be there', "${{ runner.os == 'linux' }}", true],
  ])('a condition: %s: %s', (_, text, holds) => {
    const { contexts } = scope;
    expect(evaluateCondition(text, { contexts })).toBe(holds);
  });
});

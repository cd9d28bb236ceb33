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
    // Language 6.1: Names.
    ['a name begins with a letter or an underscore', 'with-dash._a1', 'found'],
    // Language 6.1: Names.
    ['a name may have dashes and digits', 'with-dash._a1', 'found'],
    // Language 6.1: Texts in single quotes, two of which are one.
    ['a string is in single quotes', "'a b'", 'a b'],
    // Language 6.1: Texts in single quotes, two of which are one.
    ['two quotes in a string are one', "'it''s'", "it's"],
    ['a string may have line breaks', "'a\nb'", 'a\nb'],
    // Language 6.1: Numbers: hexadecimal, negative, with decimals.
    ['a number may be hexadecimal', '0x1F', 31],
    // Language 6.1: Numbers: hexadecimal, negative, with decimals.
    ['a number may be negative', '-12', -12],
    // Language 6.1: Numbers: hexadecimal, negative, with decimals.
    ['a number may have decimals', '12.25', 12.25],
    // Language 6.1: No exponents.
    ['beyond the wire: a number may have an exponent', '1e3', 1000],
    // Language 6.1: `true`, `false` and `null` in any case.
    ['true in any case', 'tRUE', true],
    // Language 6.1: `true`, `false` and `null` in any case.
    ['false in any case', 'False', false],
    // Language 6.1: `true`, `false` and `null` in any case.
    ['null in any case', 'NULL', null],
  ])('%s: %s', (_, expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  test.each(['.5', '5.', '0x', '"a"', 'a ? b : c', 'a + b', 'a.b.*', 'a.b[*]', '1a'])(
    // Language 6.1: Operators, and nothing else.
    '%s is no expression',
    (expression) => {
      expect(() => evaluate(expression)).toThrow('Invalid expression');
    },
  );
});

describe('6.2', () => {
  test.each<Row>([
    // Language 6.2: The result is an operand.
    ['&& gives the right operand if the left one is true', "'a' && 'b'", 'b'],
    // Language 6.2: The result is an operand.
    ['&& gives the left operand if it is false', "'' && 'b'", ''],
    // Language 6.2: The result is an operand.
    ['|| gives the left operand if it is true', "'a' || 'b'", 'a'],
    // Language 6.2: The result is an operand.
    ['|| gives the right operand if the left one is false', "0 || 'b'", 'b'],
    // Language 6.2: `&&` and <code>||</code> in a row go from left to right.
    ['chains go from left to right', "1 && 'x' && '' && 2", ''],
    // Language 6.2: They bind alike.
    ['otherwise than the wire: && binds tighter', "true || 'a' && false", true],
    // Language 6.2: Both sides are evaluated.
    ['otherwise than the wire: what cannot matter is not evaluated', 'false && nobody', false],
    // Language 6.2: The empty text, 0, null, empty lists and maps are false.
    ['an empty text is false', "!''", true],
    // Language 6.2: The empty text, 0, null, empty lists and maps are false.
    ['zero is false', '!0', true],
    // Language 6.2: The empty text, 0, null, empty lists and maps are false.
    ['null is false', '!null', true],
    // Language 6.2: The empty text, 0, null, empty lists and maps are false.
    ['an empty list is false', '!empty.list', true],
    // Language 6.2: The empty text, 0, null, empty lists and maps are false.
    ['an empty map is false', '!empty.map', true],
    // Language 6.2: The empty text, 0, null, empty lists and maps are false.
    ['a text is true, whatever it says', "!'false'", false],
    // Language 6.2: The empty text, 0, null, empty lists and maps are false.
    ['a list is true', '!list', false],
    // Language 6.2: A term has one comparison at most.
    ['a term has one comparison', "1 < 2 && 'a' == 'a'", true],
    // Language 6.2: Factors: paths, texts, numbers, literals, `!`, parentheses, calls.
    ['! belongs to the factor after it', "!'' == true", true],
    // Language 6.2: Factors: paths, texts, numbers, literals, `!`, parentheses, calls.
    ['parentheses group', "('' || 'a') == 'A'", true],
    // Language 6.2: Factors: paths, texts, numbers, literals, `!`, parentheses, calls.
    ['a factor may be a call', "contains('abc', 'b') == true", true],
  ])('%s: %s', (_, expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });
});

describe('6.3', () => {
  test.each<Row>([
    // Language 6.3: Two texts are compared regardless of case.
    ['texts are equal regardless of case', "'ABC' == 'abc'", true],
    // Language 6.3: Two texts are compared regardless of case.
    ['texts are ordered regardless of case', "'B' > 'a'", true],
    // Language 6.3: Two texts are compared regardless of case.
    ['texts are never numbers for each other', "'10' == '10.0'", false],
    // Language 6.3: Other values of one type are compared as they are.
    ['numbers are compared as they are', '2 < 10', true],
    // Language 6.3: Other values of one type are compared as they are.
    ['booleans are compared as they are', 'true > false', true],
    // Language 6.3: Other values of one type are compared as they are.
    ['lists are equal when their items are', "fromJSON('[1, [2]]') == fromJSON('[1,[2]]')", true],
    ['texts in lists are compared with case', 'fromJSON(\'["a"]\') == fromJSON(\'["A"]\')', false],
    // Language 6.3: Other values of one type are compared as they are.
    ['maps are equal when their entries are', 'map.b == fromJSON(\'{"c": [true]}\')', true],
    ['otherwise than the wire: lists have no order', 'list <= list', false],
    // Language 6.3: Values of two types are compared as numbers.
    ['null is 0 for another type', 'null == 0', true],
    // Language 6.3: Values of two types are compared as numbers.
    ['the empty text is 0 for another type', "'' == 0", true],
    ['null equals the empty text', "null == ''", true],
    // Language 6.3: Values of two types are compared as numbers.
    ['true is 1 for another type', "true == '1'", true],
    // Language 6.3: Values of two types are compared as numbers.
    ['false is 0 for another type', 'false == null', true],
    // Language 6.3: Values of two types are compared as numbers.
    ['a numeric text is its number', "12.5 == '12.50'", true],
    // Language 6.3: A value that is no number is equal to nothing.
    ['another text is no number, and never equal', "0 == 'a'", false],
    // Language 6.3: A value that is no number is equal to nothing.
    ['what is no number differs from every number', "0 != 'a'", true],
    // Language 6.3: A value that is no number is equal to nothing.
    ['what is no number has no order', "0 < 'a' || 0 >= 'a'", false],
    // Language 6.3: A value that is no number is equal to nothing.
    ['a list equals no number', "0 == fromJSON('[]')", false],
    // Language 6.3: A value that is no number is equal to nothing.
    ['a map equals no text', "'' == empty.map", false],
    // Language 6.3: `~=` searches regardless of case; other values than texts are errors.
    ['~= searches', "'the Error code' ~= 'err.r'", true],
    // Language 6.3: `~=` searches regardless of case; other values than texts are errors.
    ['~= may be anchored', "'the error' ~= '^error'", false],
    // Language 6.3: `~=` searches regardless of case; other values than texts are errors.
    ['~= regards no case on either side', "'ABC' ~= 'aBc'", true],
    ['otherwise than the wire: the case of escapes counts', "'a b' ~= '^\\S+$'", false],
  ])('%s: %s', (_, expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  test.each(["7 ~= '7'", "'7' ~= 7", "null ~= ''", "list ~= 'a'"])(
    // Language 6.3: `~=` searches regardless of case; other values than texts are errors.
    '%s is an error, as one side is no text',
    (expression) => {
      expect(() => evaluate(expression)).toThrow('both must be texts');
    },
  );
});

describe('6.4', () => {
  test.each<Row>([
    // Language 6.4: `contains`, in texts and lists, regardless of case.
    ['contains looks in a text', "contains('Hello', 'LL')", true],
    // Language 6.4: `contains`, in texts and lists, regardless of case.
    ['contains looks in a list', "contains(list, 'LINUX')", true],
    // Language 6.4: `contains`, in texts and lists, regardless of case.
    ['contains takes a whole item of a list', "contains(list, 'inu')", false],
    // Language 6.4: `startsWith` and `endsWith`.
    ['startsWith', "startsWith('Hello', 'hE')", true],
    // Language 6.4: `startsWith` and `endsWith`.
    ['endsWith', "endsWith('Hello', 'LLO')", true],
    // Language 6.4: `fromJSON` and `toJSON`.
    ['fromJSON reads a map', 'fromJSON(\'{"a": [1]}\').a[0]', 1],
    // Language 6.4: `fromJSON` and `toJSON`.
    ['toJSON writes one line without blanks', 'toJSON(map.b)', '{"c":[true]}'],
    ['toJSON writes line breaks in texts as \\n', 'toJSON(fromJSON(\'["a\\nb"]\'))', '["a\\nb"]'],
    ['toJSON writes a text with its quotes', "toJSON('a')", '"a"'],
    // Language 6.4: No `format`, no `join`.
    ['beyond the wire: format', "format('{0}-{1}-{{2}}', 'a', 1)", 'a-1-{2}'],
    // Language 6.4: No `format`, no `join`.
    ['beyond the wire: join', "join(list, '/')", 'Linux/b/7'],
    // Language 6.4: Parts of dates; empty for what is none.
    ['year', "year('2026-01-31T12:34:56.123456')", 2026],
    // Language 6.4: Parts of dates; empty for what is none.
    ['month', "month('2026-01-31T12:34:56.123456')", 1],
    // Language 6.4: Parts of dates; empty for what is none.
    ['week', "week('2026-01-31T12:34:56.123456')", 5],
    // Language 6.4: Parts of dates; empty for what is none.
    ['day', "day('2026-01-31T12:34:56.123456')", 31],
    // Language 6.4: Parts of dates; empty for what is none.
    ['dayOfWeek', "dayOfWeek('2026-02-01T00:00:00')", 0],
    // Language 6.4: Parts of dates; empty for what is none.
    ['dayOfWeekISO', "dayOfWeekISO('2026-02-01T00:00:00')", 7],
    // Language 6.4: Parts of dates; empty for what is none.
    ['hour', "hour('2026-01-31T12:34:56.123456')", 12],
    // Language 6.4: Parts of dates; empty for what is none.
    ['minute', "minute('2026-01-31T12:34:56.123456')", 34],
    // Language 6.4: Parts of dates; empty for what is none.
    ['second', "second('2026-01-31T12:34:56.123456')", 56],
    // Language 6.4: Parts of dates; empty for what is none.
    ['the parts of what is no date are empty', "year('soon')", ''],
    // Language 6.4: Status functions, without arguments, where there is a status.
    ['status functions are there where the scope has them', 'failure() && always()', true],
    ['names of functions have no case', "ENDSWITH('a', 'A')", true],
  ])('%s: %s', (_, expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  // Language 6.4: Status functions, without arguments, where there is a status.
  test.each(['cancelled()', "hashFiles('*')", "env('HOME')"])('%s is not there', (expression) => {
    expect(() => evaluate(expression)).toThrow('unknown function');
  });

  // Language 6.4: Status functions, without arguments, where there is a status.
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
    // Language 6.5: Names after dots, texts and expressions in brackets.
    ['a path has names after dots', 'steps.build.outputs.version', '1.2'],
    // Language 6.5: Names after dots, texts and expressions in brackets.
    ['a path has strings in brackets', "steps['build'].outputs['version']", '1.2'],
    // Language 6.5: Names after dots, texts and expressions in brackets.
    ['a path has expressions in brackets', "map[format('{0}', 'a')]", 1],
    // Language 6.5: Names after dots, texts and expressions in brackets.
    ['an index picks an item', 'list[2]', 7],
    // Language 6.5: A last segment that is missing is the empty text, one before it an error.
    ['a missing last segment is the empty text', 'steps.build.outputs.nothing', ''],
    ['a segment that the context lacks, likewise', 'steps.test', ''],
  ])('%s: %s', (_, expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  test.each([
    // Language 6.5: A last segment that is missing is the empty text, one before it an error.
    ['a missing segment on the way is an error', 'steps.test.outcome', 'no entry "test"'],
    // Language 6.5: An unknown root is an error.
    ['an unknown root is an error', 'nobody.a', 'Invalid segment nobody or incorrect function'],
    ['the case of names counts', 'Runner.os', 'Invalid segment Runner or incorrect function'],
  ])('%s: %s', (_, expression, problem) => {
    expect(() => evaluate(expression)).toThrow(problem);
  });
});

describe('6.6', () => {
  test.each<Row>([
    // Language 6.6: A text that is one expression becomes its value.
    ['a text that is one expression becomes its value', '${{ list }}', ['Linux', 'b', 7]],
    // Language 6.6: A text that is one expression becomes its value.
    ['also a map', '${{ map.b }}', { c: [true] }],
    // Language 6.6: A text that is one expression becomes its value.
    ['also a number', '${{ 711 }}', 711],
    // Language 6.6: A text that is one expression becomes its value.
    ['also null', '${{ none }}', null],
    // Language 6.6: Otherwise each is replaced by its text.
    ['every occurrence is replaced', '${{ runner.os }}/${{ runner.temp }}', 'linux//tmp'],
    // Language 6.6: Otherwise each is replaced by its text.
    ['otherwise than the wire: a whole number has no decimals', 'p${{ 711 }}', 'p711'],
    // Language 6.6: Otherwise each is replaced by its text.
    ['otherwise than the wire: true is true', 'is ${{ 1 == 1 }}', 'is true'],
    ['otherwise than the wire: null is empty', '<${{ none }}>', '<>'],
    ['otherwise than the wire: a list is compact JSON', 'a: ${{ list }}', 'a: ["Linux","b",7]'],
    ['otherwise than the wire: a map is compact JSON', 'a: ${{ map.b }}', 'a: {"c":[true]}'],
    ['a text without expressions stays', '$ {{ a }} ${ b }', '$ {{ a }} ${ b }'],
  ])('%s: %s', (_, text, value) => {
    expect(interpolate(text, scope)).toEqual(value);
  });

  // Language 6.6: Maps and lists are gone through.
  test('is applied to maps and lists', () => {
    const value = { a: ['${{ 1 }}', { b: 'x${{ 1 }}' }], c: 5 };
    expect(interpolate(value, scope)).toEqual({ a: [1, { b: 'x1' }], c: 5 });
  });

  test.each<readonly [string, string, boolean]>([
    // Language 6.6: A condition holds unless its number is 0.
    ['a number other than 0 holds', '-1', true],
    // Language 6.6: A condition holds unless its number is 0.
    ['0 does not hold', '0', false],
    // Language 6.6: A condition holds unless its number is 0.
    ['a text with the number 0 does not hold', "'0.0'", false],
    // Language 6.6: A condition holds unless its number is 0.
    ['the empty text does not hold', "''", false],
    // Language 6.6: A condition holds unless its number is 0.
    ['another text holds', "'no'", true],
    ['true holds', 'true', true],
    ['false does not hold', 'false', false],
    ['null does not hold', 'none', false],
    // Language 6.6: A condition holds unless its number is 0.
    ['a list holds, as it is no number', 'empty.list', true],
    ['the delimiters may be there', "${{ runner.os == 'linux' }}", true],
  ])('a condition: %s: %s', (_, text, holds) => {
    const { contexts } = scope;
    expect(evaluateCondition(text, { contexts })).toBe(holds);
  });
});

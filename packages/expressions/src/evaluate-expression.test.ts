// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { isOrchestratorError } from '@tutti/manifests';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluateExpression } from './evaluate-expression.ts';
import { createBudget } from './evaluation-budget.ts';
import { RESULT_LENGTH_MAX, SUBJECT_LENGTH_MAX } from './limits.ts';

const contexts = {
  test: { name: 'Login works', outcome: 'SUCCESS', duration: 12.5, tags: ['Linux', 'fast', 7] },
  steps: {
    build: { outputs: { version: '1.2', empty: '', none: null } },
    'odd.id': { conclusion: 'success' },
  },
  runner: { os: 'linux' },
  nothing: null,
  list: [1, [2, 3], { a: 'b' }],
  emptyList: [],
  emptyMap: {},
  sameMap: { a: [1, { b: null }] },
  long: 'a'.repeat(SUBJECT_LENGTH_MAX + 1),
  half: 'b'.repeat(RESULT_LENGTH_MAX / 2),
};
const scope = { contexts, functions: { success: () => true, failure: () => false } };

/** [expression, value] */
const rows: readonly (readonly [string, unknown])[] = [
  // Literals.
  ["'a'", 'a'],
  ["''", ''],
  ["'it''s'", "it's"],
  ["''''", "'"],
  ['711', 711],
  ['-7', -7],
  ['1.50', 1.5],
  ['-2.99e-2', -0.0299],
  ['0xff', 255],
  ['TRUE', true],
  ['False', false],
  ['Null', null],
  // Paths.
  ['runner.os', 'linux'],
  ["runner['os']", 'linux'],
  ["runner['o' || 'os']", ''],
  ["steps['build'].outputs['version']", '1.2'],
  ["steps['odd.id'].conclusion", 'success'],
  ['steps[fromJSON(\'"build"\')].outputs.version', '1.2'],
  ['steps.build.outputs.empty', ''],
  ['steps.build.outputs.none', null],
  ['steps.build.outputs.missing', ''],
  ['steps.build.outputs.version.major', ''],
  ['steps.null', ''],
  ['nothing', null],
  ['nothing.at', ''],
  ['list[0]', 1],
  ['list[1][1]', 3],
  ["list['1'][0]", 2],
  ['list[2].a', 'b'],
  ['list[3]', ''],
  ['list[-1]', ''],
  ['list[0.5]', ''],
  ['list.length', ''],
  ['list[nothing]', ''],
  ['fromJSON(\'{"a": {"b": 1}}\').a.b', 1],
  ['(runner).os', 'linux'],
  ['runner', { os: 'linux' }],
  // Own entries only.
  ['runner.constructor', ''],
  ['runner.__proto__', ''],
  ["runner['toString']", ''],
  ['fromJSON(\'{"__proto__": {"a": 1}}\').a', ''],
  // Operands, not booleans; && binds tighter than ||.
  ["'a' && 'b'", 'b'],
  ["'' && 'b'", ''],
  ["'a' || 'b'", 'a'],
  ["'' || 'b'", 'b'],
  ["0 || '' || null", null],
  ["1 && 2 && 'c'", 'c'],
  ['true || false && false', true],
  ['(true || false) && false', false],
  ["false && 'a' || 'b'", 'b'],
  ['emptyList || 1', 1],
  ['emptyMap || 1', 1],
  ['!emptyList', true],
  ['!list', false],
  ['!!runner', true],
  ["!'0'", false],
  ["!'' == true", true],
  ["!('' == true)", true],
  // An operand that is not needed is not evaluated.
  ['false && unknown.context', false],
  ['true || unknown.context', true],
  // Comparison of texts, regardless of case.
  ["'Linux' == 'lINUX'", true],
  ["'a' != 'A'", false],
  ["'a' < 'B'", true],
  ["'b' >= 'B'", true],
  ["'10' < '9'", true],
  // Comparison of other values of one type.
  ['1 == 1.0', true],
  ['2 > 10', false],
  ['true > false', true],
  ['null == null', true],
  ['list == list', true],
  ['sameMap == fromJSON(\'{"a": [1, {"b": null}]}\')', true],
  ['sameMap == fromJSON(\'{"a": [1, {"c": null}]}\')', false],
  ['sameMap != fromJSON(\'{"a": [1]}\')', true],
  ["list == fromJSON('[1]')", false],
  ['list < list', false],
  ['list <= list', false],
  // Comparison of different types, as numbers.
  ["1 == '1'", true],
  ["1 == ' 1.0 '", true],
  ["255 == '0xFF'", false],
  ["' ' == 0", false],
  ["' ' != 0", true],
  ["false == ' '", false],
  ["1000 == '1e3'", true],
  ["1 == 'one'", false],
  ["1 != 'one'", true],
  ["1 < 'one'", false],
  ["1 >= 'one'", false],
  ["0 == ''", true],
  ['0 == null', true],
  ["'' == null", true],
  ["true == '1'", true],
  ["true == 'true'", false],
  ['false == 0', true],
  ['2 > true', true],
  ['list == 1', false],
  ["emptyList == ''", false],
  // Patterns.
  ["test.name ~= '^login'", true],
  ["test.name ~= 'LOGIN\\s\\w+$'", true],
  ["test.name ~= '\\S{6}'", false],
  ["test.name ~= 'log(out|off)'", false],
  // Functions, found regardless of case.
  ["contains('Hello', 'ELL')", true],
  ["contains('Hello', 'x')", false],
  ["contains(711, '11')", true],
  ["contains(test.tags, 'linux')", true],
  ["contains(test.tags, 'lin')", false],
  ["contains(test.tags, '7')", true],
  ["contains(emptyList, '')", false],
  ["contains('a', null)", true],
  ["startsWith('Hello', 'he')", true],
  ["startsWith('Hello', 'lo')", false],
  ["endsWith('Hello', 'LO')", true],
  ["endsWith('Hello', 'he')", false],
  ["STARTSWITH('Hello', 'he')", true],
  ["fromJSON('[1, null]')", [1, null]],
  ["fromJSON('true') == true", true],
  ['toJSON(list)', '[1,[2,3],{"a":"b"}]'],
  ['toJSON(emptyMap)', '{}'],
  ["toJSON('a')", '"a"'],
  ['toJSON(null)', 'null'],
  ["format('{0} and {1}, {0}', 'a', 2)", 'a and 2, a'],
  ["format('{{0}} {0} }}', null)", '{0}  }'],
  ["format('')", ''],
  ["format('{0}', list)", '[1,[2,3],{"a":"b"}]'],
  ['join(test.tags)', 'Linux,fast,7'],
  ["join(test.tags, ' + ')", 'Linux + fast + 7'],
  ['join(emptyList)', ''],
  ["join('a', ', ')", 'a'],
  ["year('2026-01-31T12:34:56.123456')", 2026],
  ["month('2026-01-31T12:34:56.123456')", 1],
  ["week('2026-01-31T12:34:56.123456')", 5],
  ["day('2026-01-31')", 31],
  ["hour('2026-01-31T12:34:56Z')", 12],
  ["minute('2026-01-31 12:34')", 34],
  ["second('2026-01-31T12:34:56+02:00')", 56],
  ["dayOfWeek('2026-01-31')", 6],
  ["dayOfWeekISO('2026-01-31')", 6],
  ["dayOfWeek('2026-02-01')", 0],
  ["dayOfWeekISO('2026-02-01')", 7],
  ["year('soon')", ''],
  ['year(2026)', ''],
  ["hour('2026-01-31')", 0],
  // Functions of the scope.
  ['success()', true],
  ['SUCCESS() && failure()', false],
];

test.each(rows)('%s gives %j', (text, expected) => {
  expect(evaluateExpression(text, scope)).toEqual(expected);
});

/** [expression, problem, position] */
const refusals: readonly (readonly [string, string, number])[] = [
  ['unknown', 'Invalid segment unknown or incorrect function call', 1],
  ['1 && Runner.os', 'Invalid segment Runner or incorrect function call', 6],
  ['toString', 'Invalid segment toString or incorrect function call', 1],
  ['__proto__.a', 'Invalid segment __proto__ or incorrect function call', 1],
  ['steps.test.outputs.a', 'no entry "test"', 7],
  ["steps['test'].outputs", 'no entry "test"', 7],
  ['runner.constructor.name', 'no entry "constructor"', 8],
  ['nothing.a.b', 'no entry "a"', 9],
  ['runner.os.a.b', 'no entry "a"', 11],
  ['list[9].a', 'no entry "9"', 6],
  ["'' || nope('a')", 'unknown function nope()', 7],
  ['constructor()', 'unknown function constructor()', 1],
  ['always()', 'unknown function always()', 1],
  ["success('a')", 'success() takes no argument', 1],
  ["contains(runner, 'os')", 'contains() looks in a text or a list, not in a map', 1],
  ["fromJSON('{a}')", 'fromJSON() got a text that is not valid JSON', 1],
  ['fromJSON(null)', 'fromJSON() got a text that is not valid JSON', 1],
  ["format('{1}', 'a')", 'format() got no value for {1}', 1],
  ["format('{a}', 'a')", 'format() got a single "{" (a literal one is written "{{")', 1],
  ["format('a}')", 'format() got a single "}" (a literal one is written "}}")', 1],
  ["format('{0}{0}{0}', half)", 'format() gives more than 65536 characters', 1],
  ["join(fromJSON('[0, 1, 2]'), half)", 'join() gives more than 65536 characters', 1],
  ["toJSON(format('{0}{0}', half))", 'toJSON() gives more than 65536 characters', 1],
  ["5 ~= 'a'", '"~=" matches a text with a pattern, both must be texts', 3],
  ["'5' ~= 5", '"~=" matches a text with a pattern, both must be texts', 5],
  ["long ~= 'a'", '"~=" takes a text of at most 16384 characters', 6],
];

test.each(refusals)('%j is refused: %s at position %i', (text, problem, position) => {
  expect(() => evaluateExpression(text, scope)).toThrow(
    `Invalid expression ${JSON.stringify(text)}: ${problem} at position ${position}.`,
  );
});

describe('bounds', () => {
  test('JSON that is nested too deeply is refused', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    const read = (json: string) => evaluateExpression('fromJSON(json)', { contexts: { json } });
    expect(read(nested(100))).toHaveLength(1);
    expect(() => read(nested(101))).toThrow('nested deeper than 100');
    expect(() => read(nested(RESULT_LENGTH_MAX / 2))).toThrow('nested deeper than 100');
    expect(() => read(nested(RESULT_LENGTH_MAX))).toThrow(
      'fromJSON() gets more than 65536 characters',
    );
  });

  const context = { text: 'a'.repeat(SUBJECT_LENGTH_MAX), output: 'x'.repeat(1024 * 1024) };
  const items = Array.from({ length: 100_000 }, (_, index) => `item ${index}`);
  const names = Object.fromEntries(items.map((name) => [name, name]));
  const json = JSON.stringify(Array(30_000).fill(1));
  const contexts = { ...context, items, names, json, runner: { os: 'linux' } };
  const many = (piece: string, glue = ' || ') => Array(200).fill(piece).join(glue);

  test.each([
    ['one pattern that is dear', "text ~= '(a?){100}b'"],
    ['many patterns', many("text ~= 'ab'")],
    ['many searches in a long text', many("contains(output, 'y')")],
    ['many comparisons of long texts', many("output == 'x'")],
    ['many orders of long texts', many("output < 'a'")],
    ['many conversions to numbers', many('output == 1')],
    ['many searches in a long list', many("contains(items, 'x')")],
    ['many comparisons of lists', many('items != items', ' || ')],
    ['many comparisons of maps', many('names != names')],
    ['many questions whether a map is empty', many('!names')],
    ['much JSON read', many('!fromJSON(json)')],
    ['many lists joined', many("!join(fromJSON(json), '')")],
    ['many dates', many('year(output)')],
    ['many long keys', `runner${many('[text]', '')}`],
  ])('%s: the evaluation ends when its budget is spent', (_, expression) => {
    const budget = createBudget();
    const evaluating = () => evaluateExpression(expression, { contexts, budget });
    // A missing entry would end the last one sooner.
    if (expression.startsWith('runner')) expect(evaluating).toThrow('no entry');
    else expect(evaluating).toThrow('the evaluation takes too long');
  });

  test('a long output may be searched for several patterns', () => {
    const log = 'the quick brown fox jumps over the lazy dog; '.repeat(364);
    const found = ["'fox.*dog'", "'(error|failed)\\s+code \\d+'", "'^the [a-z ]+$'"];
    const expression = found.map((pattern) => `log ~= ${pattern}`).join(' && ');
    expect(evaluateExpression(expression, { contexts: { log } })).toBe(false);
  });

  test('evaluations of one scope share its budget', () => {
    const scope = { contexts, budget: createBudget() };
    const search = () => evaluateExpression("contains(output, 'y')", scope);
    expect(search()).toBe(false);
    expect(() => Array.from({ length: 5 }, search)).toThrow('the evaluation takes too long');
    expect(evaluateExpression("contains(output, 'y')", { contexts })).toBe(false);
  });

  test.each([
    ['toJSON(huge)', 'toJSON() gives more than 65536 characters'],
    ["format('{0}', huge)", 'the text of a list or map has more than 65536 characters'],
    ["contains('a', huge)", 'the text of a list or map has more than 65536 characters'],
    ['names[huge]', 'the text of a list or map has more than 65536 characters'],
    ['toJSON(deep)', 'lists or maps are nested deeper than 100'],
  ])('%s is refused before the text is made', (expression, problem) => {
    // More than a text can be at all: to make it would end with an error of another kind.
    const huge = Array(600).fill('x'.repeat(1024 * 1024));
    const deep = Array.from({ length: 10_000 }).reduce<unknown>((inner) => [inner], 'x');
    const scope = { contexts: { huge, deep, names } };
    expect(() => evaluateExpression(expression, scope)).toThrow(problem);
  });

  test('a long key is not repeated in a message', () => {
    const scope = { contexts: { text: context.text, runner: {} } };
    expect(() => evaluateExpression('runner[text].a', scope)).toThrow(
      `no entry a text of ${context.text.length} characters at position 8.`,
    );
  });
});

test('any expression has a value or is refused', () => {
  const piece = fc.constantFrom(
    ...[
      'test',
      '.tags',
      '[0]',
      "['a']",
      ' && ',
      ' || ',
      ' == ',
      ' ~= ',
      ' < ',
      '!',
      '(',
      ')',
      "'a'",
    ],
    ...[
      '1',
      'null',
      'list',
      ', ',
      'join(',
      'format(',
      'contains(',
      'toJSON(',
      'fromJSON(',
      'year(',
    ],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      try {
        evaluateExpression(pieces.join(''), scope);
      } catch (error) {
        expect(isOrchestratorError(error) && error.reason).toBe('Invalid');
      }
    }),
    { numRuns: 1000 },
  );
});

test('fromJSON reads the text that toJSON writes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const read = evaluateExpression('fromJSON(toJSON(value))', { contexts: { value } });
      expect(read).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

import { describe, expect, test } from 'vitest';
import { evaluateExpression } from './evaluate-expression.ts';
import { TEXT_FUNCTIONS } from './text-functions.ts';

const evaluate = (expression: string): unknown =>
  evaluateExpression(expression, {
    contexts: { inputs: { map: { a: 1, b: 'x y' }, list: ['p', 'q'], none: null } },
    library: TEXT_FUNCTIONS,
  });

describe('a function for references of tests', () => {
  test.each([
    ["before('a#b#c', '#')", 'a'],
    ["before('a', '#')", 'a'],
    ["after('a#b#c', '#')", 'b#c'],
    ["after('a', '#')", ''],
    ["beforeLast('a/b/c', '/')", 'a/b'],
    ["beforeLast('c', '/')", ''],
    ["afterLast('a/b/c', '/')", 'c'],
    ["afterLast('c', '/')", 'c'],
    ["AFTERLAST('a::b', '::')", 'b'],
    ["split('a,b', ',')", ['a', 'b']],
    ["split('', ',')", []],
    ["words('  -a  --b=c\td\n')", ['-a', '--b=c', 'd']],
    ["words(' ')", []],
    ['words(inputs.none)', []],
    ["replace('a.b.c', '.', '/')", 'a/b/c'],
    ["each(inputs.map, '-D{0}={1}')", ['-Da=1', '-Db=x y']],
    ["each(inputs.list, '--tag={0}')", ['--tag=p', '--tag=q']],
    ["each('one', '--tag={0}')", ['--tag=one']],
    ["each('', '--tag={0}')", []],
    ['each(inputs.none, 1)', []],
    ["escapePattern('a (1+1)')", 'a \\(1\\+1\\)'],
  ])('%s is %j', (expression, value) => {
    expect(evaluate(expression)).toEqual(value);
  });

  test.each([
    ["before('a', '')", 'before() needs a separator'],
    ["split('a', '')", 'split() needs a separator'],
    ["replace('a', '', 'b')", 'replace() needs a text to look for'],
    ["before('a')", 'before() takes 2 arguments, not 1'],
    ["beforee('a', 'b')", 'unknown function beforee()'],
  ])('%s is refused', (expression, problem) => {
    expect(() => evaluate(expression)).toThrow(problem);
  });

  test('is bounded in what it gives', () => {
    const inputs = { text: 'a'.repeat(40_000) };
    const scope = { contexts: { inputs }, library: TEXT_FUNCTIONS };
    expect(() => evaluateExpression("replace(inputs.text, 'a', 'bb')", scope)).toThrow(
      'replace() gives more than',
    );
  });

  test('is unknown where nobody gives it', () => {
    expect(() => evaluateExpression("before('a', 'b')", { contexts: {} })).toThrow(
      'unknown function before()',
    );
  });
});

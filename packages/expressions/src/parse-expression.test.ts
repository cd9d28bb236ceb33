import { isOrchestratorError } from '@tutti/manifests';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEPTH_MAX, EXPRESSION_LENGTH_MAX } from './limits.ts';
import { parseExpression } from './parse-expression.ts';
import type { ComparisonOperator, ExpressionNode, LiteralValue } from './syntax.ts';

/** [expression, problem, position] */
const refusals: readonly (readonly [string, string, number])[] = [
  ['', 'expected a value', 1],
  ['   ', 'expected a value', 1],
  ['a ==', 'expected a value but found the end', 5],
  ['== a', 'expected a value but found "=="', 1],
  ['a == b == c', 'expected an operator or the end but found "=="', 8],
  ['a b', 'expected an operator or the end but found "b"', 3],
  ["a 'b'", 'expected an operator or the end but found "\'b\'"', 3],
  ['a &&', 'expected a value but found the end', 5],
  ['|| a', 'expected a value but found "||"', 1],
  ['a and b', 'unexpected "and" (conjunction is "&&")', 3],
  ["a == 'x' OR b", 'unexpected "OR" (disjunction is "||")', 10],
  ['(a and b)', 'unexpected "and" (conjunction is "&&")', 4],
  ['f(a or b)', 'unexpected "or" (disjunction is "||")', 5],
  ['a && not b', 'unexpected "not" (negation is "!")', 6],
  ['not success()', 'unexpected "not" (negation is "!")', 1],
  ["not 'a'", 'unexpected "not" (negation is "!")', 1],
  ['a not', 'expected an operator or the end but found "not"', 3],
  ['a & b', 'unexpected "&" (conjunction is "&&")', 3],
  ['a | b', 'unexpected "|" (disjunction is "||")', 3],
  ['a = b', 'unexpected "=" (equality is "==")', 3],
  ['a ~ b', 'unexpected "~" (a pattern is matched with "~=")', 3],
  ['a == "b"', 'strings are written in single quotes, not double quotes', 6],
  ["a == 'b", 'the string that begins here has no end', 6],
  ["'a''b", 'the string that begins here has no end', 1],
  ['a + b', 'unexpected "+"', 3],
  ['a.é', 'unexpected "é"', 3],
  ['a😀', 'unexpected "😀"', 2],
  ['12a', 'unexpected "12a"', 1],
  ['1.2.3', 'unexpected "1.2.3"', 1],
  ['0xg', 'unexpected "0xg"', 1],
  ['1.', 'unexpected "1."', 1],
  ['1e', 'unexpected "1e"', 1],
  ['-', 'unexpected "-"', 1],
  ['1-2', 'expected an operator or the end but found "-2"', 2],
  ['!', 'expected a value but found the end', 2],
  ['(a', 'expected ")" but found the end', 3],
  ['a)', 'expected an operator or the end but found ")"', 2],
  ['()', 'expected a value but found ")"', 2],
  ['a.', 'expected a name after "." but found the end', 3],
  ['a.1', 'expected a name after "." but found "1"', 3],
  ["a.'b'", 'expected a name after "." but found "\'b\'"', 3],
  ['.a', 'expected a value but found "."', 1],
  ['a[', 'expected a value but found the end', 3],
  ['a[]', 'expected a value but found "]"', 3],
  ['a[b', 'expected "]" but found the end', 4],
  ["'a'.b", 'a literal has no entries', 5],
  ['true.b', 'a literal has no entries', 6],
  ['f(', 'expected a value but found the end', 3],
  ['f(a', 'expected ")" but found the end', 4],
  ['f(a b)', 'expected ")" but found "b"', 5],
  ['f(a,)', 'expected a value but found ")"', 5],
  ['f(,a)', 'expected a value but found ","', 3],
  ['true()', 'expected an operator or the end but found "("', 5],
  ["contains('a')", 'contains() takes 2 arguments, not 1,', 1],
  ['a && year()', 'year() takes 1 argument, not 0,', 6],
  ['format()', 'format() takes at least 1 argument, not 0,', 1],
  ['join(a, b, c)', 'join() takes 1 to 2 arguments, not 3,', 1],
];

// Language 6.1: Operators, and nothing else.
// Language 6.2: A term has one comparison at most.
test.each(refusals)('%j is refused: %s at position %i', (text, problem, position) => {
  expect(() => parseExpression(text)).toThrow(
    `Invalid expression ${JSON.stringify(text.trim())}: ${problem} at position ${position}.`,
  );
});

test('a pattern that is written out is checked when the expression is parsed', () => {
  expect(() => parseExpression("a ~= '(b'")).toThrow(
    'Invalid pattern "(b": the group that begins here has no end at position 1.',
  );
});

test('a message shows an expression from its beginning to a little after the position, and no more than 400 characters', () => {
  const long = (before: number) => `${'a || '.repeat(before)}+${' || b'.repeat(200)}`;
  expect(() => parseExpression(long(10))).toThrow(
    `Invalid expression "${long(10).slice(0, 110)}…": unexpected "+" at position 51.`,
  );
  expect(() => parseExpression(long(100))).toThrow(
    `Invalid expression "${long(100).slice(0, 400)}…": unexpected "+" at position 501.`,
  );
});

test('white space around an expression and between its pieces does not matter', () => {
  expect(strip(parseExpression(' \n a\t.b [ 0 ] ').root)).toEqual(
    strip(parseExpression('a.b[0]').root),
  );
});

test('an expression that was parsed before is not parsed again', () => {
  expect(parseExpression('cached.path')).toBe(parseExpression(' cached.path '));
});

describe('bounds', () => {
  // Bound: An expression; its value; its steps.
  test('the longest expression parses, a longer one is refused', () => {
    const longest = 'a'.repeat(EXPRESSION_LENGTH_MAX);
    expect(parseExpression(longest).source).toBe(longest);
    expect(() => parseExpression(`${longest}a`)).toThrow('longer than 16384 characters');
  });

  test('a long chain is not deep', () => {
    const { root } = parseExpression(Array(4000).fill('a').join('||'));
    expect(root.kind === 'or' && root.operands).toHaveLength(4000);
  });

  test.each([
    ['(', 'a', ')'],
    ['!', 'a', ''],
    ['a[', 'b', ']'],
    ['f(', 'a', ')'],
  ])('nesting with %j has a limit', (open, inner, close) => {
    const nested = (depth: number) => open.repeat(depth) + inner + close.repeat(depth);
    expect(parseExpression(nested(DEPTH_MAX)).source).toBe(nested(DEPTH_MAX));
    expect(() => parseExpression(nested(DEPTH_MAX + 1))).toThrow('nested deeper than 100');
    expect(() => parseExpression(nested(5000))).toThrow('nested deeper than 100');
  });
});

const name = fc
  .stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,6}$/)
  .filter((text) => !['true', 'false', 'null'].includes(text.toLowerCase()));
const literal = fc.oneof<fc.Arbitrary<LiteralValue>[]>(
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
  fc.boolean(),
  fc.constant(null),
);
const operator = fc.constantFrom<ComparisonOperator>('==', '!=', '<', '<=', '>', '>=');

const { node } = fc.letrec<{ node: ExpressionNode }>((tie) => {
  const at = 0;
  const literalNode = literal.map((value) => ({ kind: 'literal' as const, value, at }));
  const context = name.map((text) => ({ kind: 'context' as const, name: text, at }));
  const nodes = fc.array(tie('node'), { minLength: 2, maxLength: 3 });
  return {
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      literalNode,
      context,
      fc.record({ kind: fc.constant('not' as const), operand: tie('node'), at: fc.constant(at) }),
      nodes.map((operands) => ({ kind: 'and' as const, operands, at })),
      nodes.map((operands) => ({ kind: 'or' as const, operands, at })),
      nodes.map((args) => ({ kind: 'call' as const, name: 'f', args, at })),
      fc
        .tuple(context, nodes)
        .map(([target, keys]) => ({ kind: 'access' as const, target, keys, at })),
      fc.tuple(operator, tie('node'), tie('node')).map(([symbol, left, right]) => ({
        kind: 'comparison' as const,
        operator: symbol,
        left,
        right,
        at,
      })),
    ),
  };
});

/** Every operand in parentheses, so that precedence plays no part. */
function printed(tree: ExpressionNode): string {
  const inner = (child: ExpressionNode) => `(${printed(child)})`;
  switch (tree.kind) {
    case 'literal':
      return typeof tree.value === 'string'
        ? `'${tree.value.replaceAll("'", "''")}'`
        : `${tree.value}`;
    case 'context':
      return tree.name;
    case 'access':
      return printed(tree.target) + tree.keys.map((key) => `[${printed(key)}]`).join('');
    case 'call':
      return `${tree.name}(${tree.args.map(printed).join(', ')})`;
    case 'not':
      return `!${inner(tree.operand)}`;
    case 'comparison':
      return `${inner(tree.left)} ${tree.operator} ${inner(tree.right)}`;
    case 'and':
      return tree.operands.map(inner).join(' && ');
    case 'or':
      return tree.operands.map(inner).join(' || ');
  }
}

/** Removes the positions from a tree. */
function strip(tree: ExpressionNode): unknown {
  return JSON.parse(JSON.stringify(tree, (key, value) => (key === 'at' ? undefined : value)));
}

test('a printed expression parses to the same tree', () => {
  fc.assert(
    fc.property(node, (tree) => {
      expect(strip(parseExpression(printed(tree)).root)).toEqual(strip(tree));
    }),
  );
});

test('any text parses or is refused', () => {
  const piece = fc.constantFrom(...'ab.,()[]!<>=~&|\'" 01-', '&&', '||', '==', "'c'", 'true');
  const text = fc.oneof(
    fc.string(),
    fc.array(piece).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(text, (expression) => {
      try {
        expect(parseExpression(expression).source).toBe(expression.trim());
      } catch (error) {
        expect(isOrchestratorError(error) && error.reason).toBe('Invalid');
      }
    }),
  );
});

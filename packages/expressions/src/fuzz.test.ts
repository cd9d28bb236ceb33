/**
 * Whatever stands in an expression, it has a value or is refused, and costs no more than its budget. TUTTI_FUZZ_RUNS searches
 * longer than the suite does, TUTTI_FUZZ_SEED where a failure was found.
 */
import { isOrchestratorError } from '@tutti/manifests';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { SlowestInput } from '../../../tests/support/slowest-input.ts';
import { evaluateCondition } from './condition.ts';
import { evaluateExpression, evaluateToText } from './evaluate-expression.ts';
import { createBudget } from './evaluation-budget.ts';
import { interpolateText } from './interpolate.ts';
import { RESULT_LENGTH_MAX } from './limits.ts';
import { referencesIn } from './references.ts';

const numRuns = Number(process.env.TUTTI_FUZZ_RUNS ?? 300);
const seed = Number(process.env.TUTTI_FUZZ_SEED ?? Date.now());
const slowest = new SlowestInput(seed);
afterAll(() => slowest.report());
const options = { timeout: 10_000 + numRuns };

const contexts = {
  text: 'Hello, Wörld 😀',
  long: 'ab'.repeat(RESULT_LENGTH_MAX / 4),
  json: '{"a": [1, "two", null, {"b": true}]}',
  nested: '['.repeat(60) + ']'.repeat(60),
  date: '2026-01-31T12:34:56.123456',
  number: 12.5,
  yes: true,
  none: null,
  list: ['a', 1, [null], { b: 'c' }],
  map: { a: { b: 'c' }, 'odd key': 1, __proto__x: 2 },
  big: Array.from({ length: 3000 }, (_, index) => ({ index })),
};
const functions = { success: () => true, failure: () => false };

/** A value, or a refusal; anything else fails the test. */
function outcomeOf<T>(evaluate: () => T): T | null {
  try {
    return evaluate();
  } catch (error) {
    expect(isOrchestratorError(error) && error.reason).toBe('Invalid');
    return null;
  }
}

const check = (expression: string): void => slowest.measure(expression, () => checkOne(expression));

function checkOne(expression: string): void {
  const budget = createBudget();
  const scope = { contexts, functions, budget };
  const text = outcomeOf(() => evaluateToText(expression, scope));
  if (text !== null) {
    expect(text.length).toBeLessThanOrEqual(RESULT_LENGTH_MAX);
    expect(budget.steps).toBeGreaterThanOrEqual(0);
    expect(typeof evaluateExpression(expression, { contexts, functions })).not.toBe('undefined');
  }
  outcomeOf(() => evaluateCondition(expression, { contexts, functions }));
  const inserted = outcomeOf(() => interpolateText(`<\${{${expression}}}>`, scope));
  if (inserted !== null) {
    expect(inserted.length).toBeLessThanOrEqual(RESULT_LENGTH_MAX + expression.length + 7);
  }
  outcomeOf(() => referencesIn({ a: [`\${{${expression}}}`] }));
}

const name = fc.constantFrom(...Object.keys(contexts), 'nobody', 'constructor', '__proto__');
const unary = fc.constantFrom('fromJSON', 'toJSON', 'join', 'format', 'year', 'week', 'TOJSON');
const binary = fc.constantFrom('contains', 'startsWith', 'endsWith', 'join', 'format', 'nope');
const operator = fc.constantFrom('==', '!=', '<', '<=', '>', '>=', '~=', '&&', '||');
const literal = fc.oneof(
  fc.string({ maxLength: 12 }).map((text) => `'${text.replaceAll("'", "''")}'`),
  fc.constantFrom("'{0}{0}{0}'", "'[1,2]'", "'(a|b)+'", "'{{'", "''", '0', '-1.5', '0xff', 'null'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);

/** Expressions that mostly parse. */
const { expression: fromGrammar } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    literal,
    name,
    fc.tuple(name, fc.constantFrom('.a', "['a']", '[0]', '.b.c')).map((pieces) => pieces.join('')),
    fc.tuple(name, tie('expression')).map(([target, key]) => `${target}[${key}]`),
    tie('expression').map((inner) => `!${inner}`),
    tie('expression').map((inner) => `(${inner})`),
    fc.tuple(unary, tie('expression')).map(([called, inner]) => `${called}(${inner})`),
    fc
      .tuple(binary, tie('expression'), tie('expression'))
      .map(([called, one, other]) => `${called}(${one}, ${other})`),
    fc
      .tuple(tie('expression'), operator, tie('expression'))
      .map(([left, between, right]) => `${left} ${between} ${right}`),
    fc.constantFrom('success()', 'failure()', 'always()'),
  ),
}));

test('any expression of the grammar has a value or is refused, within its budget', options, () => {
  fc.assert(fc.property(fromGrammar, check), { numRuns, seed });
});

test('any bytes have a value or are refused', options, () => {
  const bytes = fc.uint8Array({ maxLength: 60 }).map((all) => Buffer.from(all).toString('latin1'));
  const units = fc
    .array(fc.nat(0xffff), { maxLength: 40 })
    .map((all) => String.fromCharCode(...all));
  fc.assert(fc.property(fc.oneof(bytes, units, fc.string({ unit: 'binary' })), check), {
    numRuns,
    seed,
  });
});

test('an expression with a few characters changed has a value or is refused', options, () => {
  const change = fc.tuple(
    fc.nat(),
    fc.constantFrom('', "'", '(', ')', '[', '.', '!', '}', '\0', '"'),
  );
  fc.assert(
    fc.property(fromGrammar, fc.array(change, { minLength: 1, maxLength: 4 }), (start, changes) => {
      const changed = changes.reduce((text, [where, piece]) => {
        const at = where % (text.length + 1);
        return text.slice(0, at) + piece + text.slice(at + 1);
      }, start);
      check(changed);
    }),
    { numRuns, seed },
  );
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { expect, test } from 'vitest';
import { evaluateCondition, parseCondition, usesStatusFunction } from './condition.ts';

const contexts = {
  runner: { os: 'linux' },
  needs: { build: { result: 'failure' } },
  empty: [],
  yes: true,
  no: false,
};
const statusOf = (status: 'success' | 'failure') => ({
  success: () => status === 'success',
  failure: () => status === 'failure',
  always: () => true,
  cancelled: () => false,
});

/** [condition, whether it holds where no status is known] */
const rows: readonly (readonly [string, boolean])[] = [
  ['', true],
  ['  ', true],
  ['true', true],
  ['false', false],
  ["runner.os == 'Linux'", true],
  ["${{ runner.os == 'Linux' }}", true],
  ["  ${{ runner.os == 'windows' }}\n", false],
  ['runner.os', true],
  ['runner.missing', false],
  ['null', false],
  ["'0'", false],
  ["' 0.0 '", false],
  ["''", false],
  ["' '", true],
  ["'0x0'", true],
  ["'false'", true],
  ['2', true],
  ['0', false],
  ['empty', true],
  ['!empty', true],
  // Partly in ${{ }}: each part as in parentheses.
  ["${{ runner.os }} == 'linux'", true],
  ["${{ runner.os }} == 'windows'", false],
  ['${{ no }} && ${{ yes }}', false],
  ['!${{ yes || no }}', false],
  ["contains('a''b', ${{ 'A' }})", true],
];

// Language 1.7: `${{ }}` may be left out in `if`.
test.each(rows)('without status functions the condition %j holds: %j', (text, expected) => {
  expect(evaluateCondition(text, { contexts })).toBe(expected);
});

/** [condition, whether it holds after success, after failure] */
const statusRows: readonly (readonly [string, boolean, boolean])[] = [
  ['', true, false],
  ['true', true, false],
  ["runner.os == 'linux'", true, false],
  ["runner.os == 'windows'", false, false],
  ['${{ yes }}', true, false],
  ['success()', true, false],
  ['failure()', false, true],
  ['${{ always() }}', true, true],
  ['Always()', true, true],
  ['!cancelled()', true, true],
  ["always() && runner.os == 'linux'", true, true],
  ["${{ failure() }} || needs.build.result == 'failure'", true, true],
  ["!(needs.build.result == 'success' && failure())", true, true],
  ["runner.os == 'success()'", false, false],
];

test.each(statusRows)(
  // Language 1.7: `success()` is the default, and implied where no status function is called.
  'the condition %j holds after success: %j, after failure: %j',
  (text, afterSuccess, afterFailure) => {
    expect(evaluateCondition(text, { contexts, functions: statusOf('success') })).toBe(
      afterSuccess,
    );
    expect(evaluateCondition(text, { contexts, functions: statusOf('failure') })).toBe(
      afterFailure,
    );
  },
);

/** [condition, message] */
const refusals: readonly (readonly [string, string])[] = [
  [
    'runner.os =',
    'Invalid expression "runner.os =": unexpected "=" (equality is "==") at position 11.',
  ],
  ['${{ yes', 'Invalid expression "${{ yes": "${{" without "}}" at position 1.'],
  [
    "'v${{ yes }}' == 'v1'",
    'Invalid expression "\'v${{ yes }}\' == \'v1\'": "${{" in a string (use the function format to build texts) at position 3.',
  ],
  [
    'yes ${{ no }}',
    'Invalid expression "yes ${{ no }}": expected an operator before "${{" at position 5.',
  ],
  [
    '${{ no }} yes',
    'Invalid expression "(   no )  yes": expected an operator or the end but found "yes" at position 11.',
  ],
];

test.each(refusals)('%j is refused: %s', (text, message) => {
  expect(() => evaluateCondition(text, { contexts })).toThrow(message);
});

test('a condition that is too long is refused', () => {
  const text = Array(4000).fill('${{ yes }}').join(' && ');
  expect(() => evaluateCondition(text, { contexts })).toThrow('longer than 16384 characters');
});

test('a condition that cannot be parsed is refused also when success() does not hold', () => {
  const scope = { contexts, functions: statusOf('failure') };
  expect(() => evaluateCondition('a b', scope)).toThrow('expected an operator or the end');
});

test('a condition is not evaluated when success() does not hold', () => {
  const scope = { contexts, functions: statusOf('failure') };
  expect(evaluateCondition('steps.unknown.outputs.a', scope)).toBe(false);
});

test.each([
  ['success()', true],
  ['${{ !Cancelled() }}', true],
  ["contains(format('{0}', runner[failure()]), 'a')", true],
  ["'success()'", false],
  ['job.success', false],
  ["contains('a', 'b')", false],
  ['', false],
])('whether %j uses a status function: %j', (text, expected) => {
  expect(usesStatusFunction(text)).toBe(expected);
});

test('a blank condition has no expression', () => {
  expect(parseCondition(' ')).toBeNull();
  expect(parseCondition('${{ a }}')?.source).toBe('a');
});

import { expect, test } from 'vitest';
import { type AttemptResult, retriedUnits } from './retry.ts';

const failures = (count: number) => Array.from({ length: count }, (_, at) => `test ${at}`);
const result: AttemptResult = { attempt: 1, isMassFailure: false, failed: failures(2) };
const rule = { times: 2, atMost: 50 };

test('failed tests run again, and each unit once', () => {
  expect(retriedUnits(result, rule)).toEqual(['test 0', 'test 1']);
  const failed = ['a.spec.ts', 'a.spec.ts'];
  expect(retriedUnits({ ...result, failed }, rule)).toEqual(['a.spec.ts']);
});

test.each<readonly [string, Partial<AttemptResult>]>([
  ['nothing failed', { failed: [] }],
  ['no attempt left', { attempt: 3 }],
  ['too many failures', { failed: failures(51) }],
  ['mass failure', { isMassFailure: true }],
])('nothing runs again: %s', (reason, change) => {
  expect(retriedUnits({ ...result, ...change }, rule)).toBe(reason);
});

import { expect, test } from 'vitest';
import { type AttemptResult, retriedUnits } from './retry.ts';

const failures = (count: number, isSpared = false) =>
  Array.from({ length: count }, (_, at) => ({ unit: `test ${at}`, isSpared }));
const result: AttemptResult = { attempt: 1, isMassFailure: false, failed: failures(2) };
const rule = { times: 2, atMost: 50 };

test('failed tests run again, and each unit once', () => {
  expect(retriedUnits(result, rule)).toEqual(['test 0', 'test 1']);
  const failed = failures(2).map((each) => ({ ...each, unit: 'a.spec.ts' }));
  expect(retriedUnits({ ...result, failed }, rule)).toEqual(['a.spec.ts']);
});

test('spared failures do not run again', () => {
  const failed = [...failures(1), { unit: 'spared', isSpared: true }];
  expect(retriedUnits({ ...result, failed }, rule)).toEqual(['test 0']);
});

test.each<readonly [string, Partial<AttemptResult>]>([
  ['nothing failed', { failed: [] }],
  ['nothing failed', { failed: failures(3, true) }],
  ['no attempt left', { attempt: 3 }],
  ['too many failures', { failed: failures(51) }],
  ['mass failure', { isMassFailure: true }],
])('nothing runs again: %s', (reason, change) => {
  expect(retriedUnits({ ...result, ...change }, rule)).toBe(reason);
});

import { expect, test } from 'vitest';
import { hasFlaked, type Outcome } from './execution.ts';
import { isMassFailure } from './mass-failure.ts';

const of = (...outcomes: Outcome[]) => outcomes.map((outcome) => ({ outcome, version: 1 }));

test.each<readonly [boolean, Outcome[]]>([
  [true, ['failure', 'success']],
  [true, ['error', 'skipped', 'success']],
  [false, ['success', 'failure']],
  [false, ['failure', 'failure']],
  [false, ['failure', 'skipped']],
])('it is %s that a test flaked with %j', (flaked, outcomes) => {
  expect(hasFlaked(of(...outcomes))).toBe(flaked);
});

test('a failure on one version and a pass on the next one is no flake', () => {
  expect(hasFlaked([...of('failure'), { outcome: 'success', version: 2 }])).toBe(false);
});

const ran = (count: number, hasFailed: boolean, hadFailed: boolean) =>
  Array.from({ length: count }, () => ({ hasFailed, hadFailed }));

test.each([
  ['20 new failures of 100', 20, 0, 80, true],
  ['19 new failures of 19', 19, 0, 0, false],
  ['20 new failures of 101', 20, 0, 81, false],
  ['20 failures of which one is old', 19, 1, 0, false],
  ['failures that the run before had', 0, 80, 0, false],
])('a mass failure: %s', (_, newFailures, old, passed, isMass) => {
  const tests = [
    ...ran(newFailures, true, false),
    ...ran(old, true, true),
    ...ran(passed, false, true),
  ];
  expect(isMassFailure(tests)).toBe(isMass);
});

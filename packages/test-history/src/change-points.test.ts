import { expect, test } from 'vitest';
import { changesOf, mannWhitney, runEffect } from './change-points.ts';
import { simulateDurations } from './testing/simulated-durations.ts';

const score = (before: readonly number[], after: readonly number[]) =>
  Math.round(mannWhitney(before, after) * 1000) / 1000;

test.each([
  [[20, 11, 17, 12], [19, 22, 16, 29, 24], 1.715],
  // With ties: their ranks are 3 and 6.
  [[1, 2, 2, 3], [2, 3, 3, 4], 1.517],
  [[5, 5], [5, 5, 5], 0],
])('the score of %j and %j is %d', (before, after, z) => {
  expect(score(before, after)).toBe(z);
  expect(score(after, before)).toBe(-z || 0);
});

test('the effect of a run is the median of what it changed', () => {
  const tests = [
    { durationMs: 200, usualMs: 100 },
    { durationMs: 60, usualMs: 30 },
    { durationMs: 5, usualMs: 100 },
  ];
  expect(Math.exp(runEffect(tests))).toBeCloseTo(2);
  expect(runEffect([])).toBe(0);
});

/** Durations around a value, in an order without a trend. */
const around = (durationMs: number, count: number, effect = 0) =>
  Array.from({ length: count }, (_, at) => ({
    durationMs: durationMs * (1 + 0.01 * ((at * 7) % 5)) * Math.exp(effect),
    effect,
  }));

test('a test that becomes twice as slow, and fast again, has two changes', () => {
  const changes = changesOf([...around(200, 40), ...around(400, 40), ...around(200, 20)]);
  expect(changes.map(({ at }) => at)).toEqual([40, 80]);
  expect(changes.map(({ ratio }) => Math.round(ratio * 10) / 10)).toEqual([2, 0.5]);
});

test('slow runs are no change of the test', () => {
  expect(changesOf([...around(200, 40), ...around(200, 40, Math.log(2))])).toEqual([]);
});

test('less than 50 ms are no change, nor is a factor below 1.15', () => {
  expect(changesOf([...around(30, 40), ...around(60, 40)])).toEqual([]);
  expect(changesOf([...around(2_000, 60), ...around(2_200, 60)])).toEqual([]);
});

test('a change is found when the newest eight executions are mostly slow', () => {
  expect(changesOf([...around(200, 40), ...around(400, 5)])).toEqual([]);
  expect(changesOf([...around(200, 40), ...around(400, 8)])).toMatchObject([{ at: 40 }]);
});

/** A change is found in about the right run. */
const DISTANCE_MAX = 15;

test('1 500 tests over 200 runs: changes of durations are found, and hardly any others', {
  timeout: 300_000,
}, () => {
  const tests = simulateDurations({ seed: 1, tests: 1_500, runs: 200, changed: 0.1 });
  const judged = tests.map(({ truth, found }) => {
    const right = found.find(
      ({ at, ratio }) =>
        truth !== null &&
        Math.abs(at - truth.at) <= DISTANCE_MAX &&
        Math.sign(Math.log(ratio)) === Math.sign(Math.log(truth.ratio)),
    );
    return { truth, isFound: right !== undefined, found: found.length };
  });
  const recallOf = (factor: number) => {
    const changed = judged.filter(
      ({ truth }) => truth?.ratio === factor || truth?.ratio === 1 / factor,
    );
    return changed.filter(({ isFound }) => isFound).length / changed.length;
  };
  const right = judged.filter(({ isFound }) => isFound).length;
  const all = judged.reduce((sum, { found }) => sum + found, 0);
  const unchanged = judged.filter(({ truth }) => truth === null);
  const falseAlarms = unchanged.reduce((sum, { found }) => sum + found, 0);
  expect(right / all).toBeGreaterThanOrEqual(0.95);
  expect([recallOf(3) >= 0.95, recallOf(2) >= 0.95, recallOf(1.5) >= 0.7]).toEqual([
    true,
    true,
    true,
  ]);
  expect(falseAlarms / (unchanged.length * 200)).toBeLessThanOrEqual(1 / 100_000);
});

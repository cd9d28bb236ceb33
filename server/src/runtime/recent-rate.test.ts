import { expect, test } from 'vitest';
import { createRecentRate } from './recent-rate.ts';

function createMachine() {
  const state = { now: 0, count: 0 };
  const rate = createRecentRate({ now: () => state.now, count: () => state.count });
  const pass = (ms: number, count: number) => {
    state.now += ms;
    state.count += count;
    return rate.perSecond();
  };
  return { pass };
}

test.each([
  [250, 100, 400],
  [1_000, 100, 100],
  [10_000, 100, 10],
  [249, 100, 0],
])('after %i ms and %i more events, the rate is %i', (ms, count, expected) => {
  expect(createMachine().pass(ms, count)).toBe(expected);
});

test('the rate is that of the last three seconds', () => {
  const { pass } = createMachine();
  for (let second = 0; second < 5; second += 1) pass(1_000, 900);
  expect([pass(1_000, 300), pass(1_000, 300), pass(1_000, 300)]).toEqual([700, 500, 300]);
});

test('a pause without requests does not count once there is a newer reading', () => {
  const { pass } = createMachine();
  pass(3_600_000, 0);
  expect(pass(250, 200)).toBe(800);
});

import { expect, test } from 'vitest';
import { createThreadLoad } from './thread-load.ts';

function createMachine(showsSchedule = true) {
  const time = { now: 5_000, active: 700, scheduled: 900 };
  const load = createThreadLoad({
    now: () => time.now,
    activeMs: () => time.active,
    scheduledMs: () => (showsSchedule ? time.scheduled : null),
  });
  const pass = (ms: number, activeMs: number, scheduledMs = 0) => {
    time.now += ms;
    time.active += activeMs;
    time.scheduled += scheduledMs;
    return load.isBusy();
  };
  return { pass };
}

test.each([
  [250, 250, 250, true],
  [250, 220, 0, true],
  [250, 200, 0, false],
  [60_000, 250, 250, false],
  [250, 100, 230, true],
  [250, 100, 200, false],
])('in the last %i ms a thread was busy %i, and %i according to the system: %s', (...row) => {
  const [ms, activeMs, scheduledMs, expected] = row;
  expect(createMachine().pass(ms, activeMs, scheduledMs)).toBe(expected);
});

test('if the system does not say, the thread alone counts', () => {
  const { pass } = createMachine(false);
  expect(pass(250, 100, 250)).toBe(false);
  expect(pass(250, 250)).toBe(true);
});

test('a thread is looked at four times a second', () => {
  const { pass } = createMachine();
  expect(pass(249, 249)).toBe(false);
  expect(pass(1, 1)).toBe(true);
});

test('a thread that was busy counts as busy for three seconds', () => {
  const { pass } = createMachine();
  expect(pass(250, 250)).toBe(true);
  expect([pass(2_500, 0), pass(499, 0), pass(1, 0)]).toEqual([true, true, false]);
});

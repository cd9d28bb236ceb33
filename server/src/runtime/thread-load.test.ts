import { expect, test } from 'vitest';
import { createThreadLoad } from './thread-load.ts';

function createMachine() {
  const time = { now: 0, active: 0 };
  const load = createThreadLoad({ now: () => time.now, activeMs: () => time.active });
  const pass = (ms: number, activeMs: number) => {
    time.now += ms;
    time.active += activeMs;
    return load.isBusy();
  };
  return { pass };
}

test.each([
  [250, 250, true],
  [250, 240, true],
  [250, 200, false],
  [60_000, 250, false],
])('of the last %i ms a thread was busy %i: %s', (ms, activeMs, expected) => {
  expect(createMachine().pass(ms, activeMs)).toBe(expected);
});

test('what was found holds until there is more to look at', () => {
  const { pass } = createMachine();
  expect(pass(249, 249)).toBe(false);
  expect(pass(1, 1)).toBe(true);
  expect(pass(249, 0)).toBe(true);
  expect(pass(1, 0)).toBe(false);
});

import { expect, test } from 'vitest';
import { KILL_GRACE_MS, LEFTOVERS_MS_MAX } from '../limits.ts';
import { endLeftovers } from './end-leftovers.ts';

/** Waiting takes no time, and moves the clock. */
function clock() {
  let now = 0;
  const wait = (ms: number) => {
    now += ms;
    return Promise.resolve();
  };
  return { now: () => now, random: () => 0, wait };
}

/** An unused process group: no system has that many numbers. */
const GROUP = -(2 ** 30);

test('where nothing is left, nothing is waited for', async () => {
  const timing = clock();
  expect(await endLeftovers(() => [], null, timing)).toBe(true);
  expect(timing.now()).toBe(0);
});

test('a process that heeds SIGTERM is not killed', async () => {
  const timing = clock();
  let kills = 0;
  const find = () => (timing.now() < KILL_GRACE_MS / 2 ? [GROUP] : []);
  expect(await endLeftovers(find, () => (kills += 1), timing)).toBe(true);
  expect(kills).toBe(0);
});

test('a process that does not is killed', async () => {
  const timing = clock();
  let isKilled = false;
  const killAll = () => {
    isKilled = true;
  };
  expect(await endLeftovers(() => (isKilled ? [] : [GROUP]), killAll, timing)).toBe(true);
  expect(timing.now()).toBeLessThan(LEFTOVERS_MS_MAX);
});

test('ending an immortal process stops after the time limit', async () => {
  const timing = clock();
  expect(await endLeftovers(() => [GROUP], null, timing)).toBe(false);
  expect(timing.now()).toBeGreaterThanOrEqual(LEFTOVERS_MS_MAX);
});

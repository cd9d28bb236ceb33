import { expect, test } from 'vitest';
import { type CheckOutcome, createReadiness, type ReadinessCheck } from './readiness.ts';

const WELL: CheckOutcome = { problem: null };
const BROKEN: CheckOutcome = { problem: { what: 'It is broken.', advice: 'Mend it.' } };

function readinessOf(look: ReadinessCheck['look'], lateMs = 60_000) {
  const time = { nowMs: 0 };
  const counted = { looks: 0 };
  const check: ReadinessCheck = {
    name: 'writes',
    adviceElse: 'Look at the disk.',
    look: () => {
      counted.looks += 1;
      return look();
    },
  };
  const ask = createReadiness({ checks: [check], now: () => time.nowMs, sharedMs: 1_000, lateMs });
  return { ask, time, counted };
}

test('a failed check is reported with advice', async () => {
  const { ask } = readinessOf(async () => BROKEN);
  expect(await ask()).toEqual({
    failing: [{ check: 'writes', what: 'It is broken.', advice: 'Mend it.' }],
    notes: [],
  });
});

// Bound: Checks for `GET /health?ready`.
test('a thousand requests within a second make one check', async () => {
  const { ask, time, counted } = readinessOf(async () => WELL);
  await Promise.all(Array.from({ length: 500 }, ask));
  time.nowMs = 999;
  await Promise.all(Array.from({ length: 500 }, ask));
  expect(counted.looks).toBe(1);
  time.nowMs = 1_000;
  await ask();
  expect(counted.looks).toBe(2);
});

// Bound: A check of readiness.
test('a check without an end fails, and does not begin again', async () => {
  const { ask, time, counted } = readinessOf(() => new Promise(() => undefined), 1);
  const late = { check: 'writes', what: 'No result after 0.001 s.', advice: 'Look at the disk.' };
  for (const nowMs of [0, 2_000, 4_000]) {
    time.nowMs = nowMs;
    expect((await ask()).failing).toEqual([late]);
  }
  expect(counted.looks).toBe(1);
});

test('a repaired server is ready again', async () => {
  const outcomes = [BROKEN, WELL];
  const { ask, time } = readinessOf(async () => outcomes.shift() ?? WELL);
  expect((await ask()).failing).toHaveLength(1);
  time.nowMs = 1_000;
  expect((await ask()).failing).toEqual([]);
});

test('a check that cannot look fails', async () => {
  const { ask } = readinessOf(async () => {
    throw new Error('There is no such directory.');
  });
  expect((await ask()).failing).toEqual([
    { check: 'writes', what: 'There is no such directory.', advice: 'Look at the disk.' },
  ]);
});

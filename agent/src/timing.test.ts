import { expect, test } from 'vitest';
import { systemTiming, waitAtMost } from './timing.ts';

const hour = 3_600_000;

test('a wait ends with its time', async () => {
  await systemTiming.wait(1);
});

test('a wait ends when its signal is aborted, or was before', async () => {
  const stop = new AbortController();
  const waiting = systemTiming.wait(hour, stop.signal);
  stop.abort();
  await waiting;
  await systemTiming.wait(hour, stop.signal);
});

test.each([
  ['kept', () => Promise.resolve()],
  ['broken', () => Promise.reject(new Error('no'))],
])('waiting for a promise ends when it is %s', async (_how, settle) => {
  await waitAtMost(settle(), hour, new AbortController().signal, systemTiming);
});

test('waiting for a promise ends with its time', async () => {
  await waitAtMost(new Promise(() => undefined), 1, new AbortController().signal, systemTiming);
});

test('time does not go back', () => {
  const earlier = systemTiming.now();
  expect(systemTiming.now()).toBeGreaterThanOrEqual(earlier);
});

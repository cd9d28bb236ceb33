import { expect, onTestFinished, test, vi } from 'vitest';
import type { StopSignal } from './io.ts';
import { type Ending, untilStopped } from './until-stopped.ts';

/** An activity that runs until it is stopped; `stop` sends the request. */
function going() {
  const stops = new Set<(signal: StopSignal) => void>();
  const exits: number[] = [];
  const io = {
    onStop: (handler: (signal: StopSignal) => void) => {
      stops.add(handler);
      return () => void stops.delete(handler);
    },
    exit: (code: number) => void exits.push(code),
  };
  const forEver = (signal: AbortSignal) =>
    new Promise<void>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const stop = (signal: StopSignal) => {
    for (const handler of stops) handler(signal);
  };
  return { io, exits, stops, stop, forEver };
}

test.each<[string, StopSignal, boolean, number]>([
  ['what has an end', 'SIGINT', true, 130],
  ['what has an end', 'SIGTERM', true, 143],
  ['what has none', 'SIGINT', false, 0],
  ['what has none', 'SIGTERM', false, 0],
])('%s ends by %s as it should', async (_what, signal, hasEnd, code) => {
  const { io, stop, stops, forEver } = going();
  const ending: Ending = hasEnd ? { late: () => {} } : {};
  const following = untilStopped(forEver, ending, io);
  stop(signal);
  expect(await following).toBe(code);
  expect(stops.size).toBe(0);
});

test.each<[string, boolean, number]>([
  ['what has an end is said to be late', true, 101],
  ['what has none is over', false, 0],
])('when the time is over, %s', async (_what, hasEnd, code) => {
  const { io, forEver } = going();
  const late = vi.fn();
  const ending: Ending = { timeout: 0, ...(hasEnd && { late }) };
  expect(await untilStopped(forEver, ending, io)).toBe(code);
  expect(late).toHaveBeenCalledTimes(hasEnd ? 1 : 0);
});

test('an activity that ends has the exit code for success, and needs no timeout', async () => {
  const { io } = going();
  expect(await untilStopped(async () => {}, { timeout: 3_600_000, late: () => {} }, io)).toBe(0);
});

test('a time that no timer can wait is not over at once', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { io, stop, forEver } = going();
  const late = vi.fn();
  const following = untilStopped(forEver, { timeout: 2 ** 40, late }, io);
  await vi.advanceTimersByTimeAsync(3_600_000);
  stop('SIGINT');
  expect([await following, late.mock.calls]).toEqual([130, []]);
});

test('at the timeout, an ended activity is read to its end', async () => {
  const { io, forEver } = going();
  const late = vi.fn();
  const asked = Promise.withResolvers<void>();
  const hasEnded = async () => {
    asked.resolve();
    return true;
  };
  const follow = (signal: AbortSignal) => Promise.race([asked.promise, forEver(signal)]);
  expect(await untilStopped(follow, { timeout: 0, late, hasEnded }, io)).toBe(0);
  expect(late).not.toHaveBeenCalled();
});

test.each<[string, () => Promise<boolean>]>([
  ['goes on', async () => false],
  ['cannot be asked', () => Promise.reject(new Error('away'))],
])('at the timeout, an activity that %s is late', async (_what, hasEnded) => {
  const { io, forEver } = going();
  const late = vi.fn();
  expect(await untilStopped(forEver, { timeout: 0, late, hasEnded }, io)).toBe(101);
  expect(late).toHaveBeenCalledExactlyOnceWith(0);
});

test('an activity that ignores a stop is left at once by a second request', async () => {
  const { io, stop, exits } = going();
  const stuck = Promise.withResolvers<void>();
  const following = untilStopped(() => stuck.promise, { late: () => {} }, io);
  stop('SIGINT');
  expect(exits).toEqual([]);
  stop('SIGINT');
  expect(exits).toEqual([130]);
  stuck.resolve();
  expect(await following).toBe(0);
});

test('a failure is thrown as it is', async () => {
  const { io } = going();
  const failing = untilStopped(() => Promise.reject(new Error('no')), {}, io);
  await expect(failing).rejects.toThrow('no');
});

import { describe, expect, test } from 'vitest';
import type { Store, Write } from '../store/store.ts';
import { createAcknowledger } from './acknowledger.ts';
import { BUS_LIMITS } from './limits.ts';
import { eventually, ManualTimers, silentLogger } from './testing.ts';

/** A store whose writes end when the test says so. */
function setUp(limits = {}) {
  const writes: { done: readonly number[]; end: () => void; fail: () => void }[] = [];
  const write = (change: Write) =>
    new Promise<void>((resolve, reject) => {
      const fail = () => reject(new Error('The disk is full.'));
      writes.push({ done: change.outboxDone ?? [], end: resolve, fail });
    });
  // The acknowledger uses this one function of the port.
  const store = { write } as unknown as Store;
  const timers = new ManualTimers();
  const acknowledger = createAcknowledger({
    store,
    timers,
    logger: silentLogger,
    limits: { ...BUS_LIMITS, ...limits },
  });
  const removed: number[] = [];
  const acknowledge = (...positions: number[]) => {
    for (const n of positions) acknowledger.acknowledge(n, () => removed.push(n));
  };
  const nth = (index: number) =>
    eventually(() => {
      const found = writes[index];
      if (found === undefined) throw new Error(`There is no write ${index} yet.`);
      return found;
    });
  return { acknowledger, acknowledge, nth, removed, timers, writes };
}

describe('delivered entries', () => {
  test('gather while a write is under way, and are removed together', async () => {
    const { acknowledge, nth, removed } = setUp();
    acknowledge(1);
    const first = await nth(0);
    acknowledge(2, 3);
    expect(removed).toEqual([]);
    first.end();
    const second = await nth(1);
    expect([first.done, second.done, removed]).toEqual([[1], [2, 3], [1]]);
    second.end();
    await eventually(() => expect(removed).toEqual([1, 2, 3]));
  });

  test('are removed in bounded writes', async () => {
    const { acknowledge, nth } = setUp({ acknowledgements: 2 });
    acknowledge(0);
    (await nth(0)).end();
    acknowledge(1, 2, 3);
    const second = await nth(1);
    second.end();
    expect([second.done.length, (await nth(2)).done.length].sort()).toEqual([1, 2]);
  });

  test('are tried again later when the store fails', async () => {
    const { acknowledge, nth, removed, timers } = setUp();
    acknowledge(1);
    (await nth(0)).fail();
    await timers.fire(BUS_LIMITS.retryDelayMs);
    const again = await nth(1);
    expect([again.done, removed]).toEqual([[1], []]);
    again.end();
    await eventually(() => expect(removed).toEqual([1]));
  });

  test('are tried once more at the end, and then left to the next start', async () => {
    const { acknowledger, acknowledge, nth, timers, writes } = setUp();
    acknowledge(1);
    (await nth(0)).fail();
    await eventually(() => expect(timers.pending.size).toBe(1));
    const stopped = acknowledger.stop();
    (await nth(1)).fail();
    await stopped;
    expect([writes.length, timers.pending.size]).toEqual([2, 0]);
  });
});

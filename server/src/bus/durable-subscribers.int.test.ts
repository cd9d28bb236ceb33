/** Durable subscribers with a real store. */
import type { GeneratorCommandEvent, JobId, WorkflowId } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { createLogger } from '../runtime/logger.ts';
import type { Store } from '../store/store.ts';
import {
  createTestBus,
  eventually,
  notification,
  openStoreFolder,
  TEST_RETRY_MAX_MS,
  testIds,
} from './testing.ts';

describe('durable subscribers', () => {
  test('handle events of one run in order, of different runs beside each other, few at a time', async () => {
    const { bus, order, running, release } = await durableSetUp();
    const [first, second] = [testIds.random<WorkflowId>(), testIds.random<WorkflowId>()];
    await bus.start();
    for (const n of [1, 2]) await bus.publish(notification(n, first));
    for (const n of [3, 4]) await bus.publish(notification(n, second));
    await eventually(() => expect([...running].sort()).toEqual([1, 3]));
    release(3);
    await eventually(() => expect([...running].sort()).toEqual([1, 4]));
    release(1);
    await eventually(() => expect([...running].sort()).toEqual([2, 4]));
    release(2);
    release(4);
    await eventually(() => expect(order).toEqual([3, 1, 2, 4]));
  });

  test('handle no more than a few events at a time', async () => {
    const { bus, running, release } = await durableSetUp();
    await bus.start();
    for (const n of [1, 2, 3, 4, 5]) await bus.publish(notification(n));
    await eventually(() => expect([...running].sort()).toEqual([1, 2, 3, 4]));
    release(2);
    await eventually(() => expect([...running].sort()).toEqual([1, 3, 4, 5]));
  });

  // Bound: Retries of events of the server's own services.
  test('are called again when they reject, and given up in the end', async () => {
    const store = await (await openStoreFolder()).open();
    const bus = createTestBus(store, { limits: { durableAttempts: 3 } });
    const calls: number[] = [];
    const givenUp: number[] = [];
    bus.subscribeDurably('worker', 'Notification', {
      takes: () => true,
      handle: async (event) => {
        calls.push(Number(Object(event).n));
        if (Object(event).n === 1) throw new Error('Not now.');
      },
      giveUp: async (event) => {
        givenUp.push(Number(Object(event).n));
        throw new Error('Nor this.');
      },
    });
    await bus.start();
    const workflowId = testIds.random<WorkflowId>();
    for (const n of [1, 2]) await bus.publish(notification(n, workflowId));
    expect(await bus.timers.fire(1, TEST_RETRY_MAX_MS)).toBe(250);
    expect(await bus.timers.fire(1, TEST_RETRY_MAX_MS)).toBe(500);
    await eventually(() => expect(calls).toEqual([1, 1, 1, 2]));
    expect(givenUp).toEqual([1]);
    await eventually(async () => expect(await store.outboxSubscriptions()).toEqual([]));
  });

  test('are given up soon when the server itself is mistaken, and until that succeeds', async () => {
    const lines: string[] = [];
    const logger = createLogger({
      level: 'error',
      destination: { write: (line: string) => void lines.push(line) },
    });
    const store = await (await openStoreFolder()).open();
    const bus = createTestBus(store, { logger, limits: { durableMistakeAttempts: 2 } });
    let calls = 0;
    let givenUp = 0;
    bus.subscribeDurably('worker', 'Notification', {
      takes: () => true,
      handle: async () => {
        calls += 1;
        throw new TypeError('not a thing');
      },
      giveUp: async () => {
        givenUp += 1;
        if (givenUp === 1) throw new Error('The store is away.');
      },
    });
    await bus.start();
    await bus.publish(notification(1));
    expect(await bus.timers.fire(1, TEST_RETRY_MAX_MS)).toBe(250);
    expect(await bus.timers.fire(1, TEST_RETRY_MAX_MS)).toBe(500);
    await eventually(async () => expect(await store.outboxSubscriptions()).toEqual([]));
    expect([calls, givenUp]).toEqual([3, 2]);
    expect(lines.map((line) => JSON.parse(line).err.message)).toEqual([
      'not a thing',
      'The store is away.',
      'not a thing',
    ]);
  });

  test.each([
    ['network', new TypeError('fetch failed', { cause: new Error('refused') })],
    ['store', Object.assign(new RangeError('busy'), { code: 'ERR_BUSY' })],
  ])('go on for what may pass: an error of the %s', async (_, error) => {
    const store = await (await openStoreFolder()).open();
    const bus = createTestBus(store, { limits: { durableMistakeAttempts: 1 } });
    let calls = 0;
    bus.subscribeDurably('worker', 'Notification', {
      takes: () => true,
      handle: async () => {
        calls += 1;
        if (calls < 3) throw error;
      },
      giveUp: async () => expect.unreachable(),
    });
    await bus.start();
    await bus.publish(notification(1));
    expect(await bus.timers.fire(1, TEST_RETRY_MAX_MS)).toBe(250);
    expect(await bus.timers.fire(1, TEST_RETRY_MAX_MS)).toBe(500);
    await eventually(async () => expect(await store.outboxSubscriptions()).toEqual([]));
    expect(calls).toBe(3);
  });

  test('do nothing more for the commands of a run that is over', async () => {
    const opened = await (await openStoreFolder()).open();
    let isOver = false;
    const store: Store = {
      ...opened,
      workflow: async (id) => {
        const row = await opened.workflow(id);
        return row === null || !isOver ? row : { ...row, status: 'FAILED' };
      },
    };
    const bus = createTestBus(store);
    let calls = 0;
    bus.subscribeDurably('worker', 'GeneratorCommand', {
      takes: () => true,
      handle: async () => {
        calls += 1;
        isOver = calls === 2;
        throw new Error('Not now.');
      },
    });
    await bus.start();
    const command: GeneratorCommandEvent = {
      apiVersion: 'opentestfactory.org/v1alpha1',
      kind: 'GeneratorCommand',
      metadata: { ...notification(1).metadata, job_id: 'j' as JobId, job_origin: [] },
      generator: 'x',
    };
    await bus.publish(command);
    expect(await bus.timers.fire(1, TEST_RETRY_MAX_MS)).toBe(250);
    await eventually(async () => expect(await opened.outboxSubscriptions()).toEqual([]));
    expect(calls).toBe(2);
  });

  test('get what their filter takes, of their kind', async () => {
    const store = await (await openStoreFolder()).open();
    const bus = createTestBus(store);
    const handled: unknown[] = [];
    const isOdd = (event: object) => Object(event).n % 2 === 1;
    bus.subscribeDurably('worker', 'Notification', {
      takes: isOdd,
      handle: async (event) => {
        handled.push(Object(event).n);
      },
    });
    bus.subscribeDurably('other', 'WorkflowCanceled', {
      takes: () => true,
      handle: async () => {
        handled.push('another kind');
      },
    });
    await bus.start();
    const workflowId = testIds.random<WorkflowId>();
    for (const n of [1, 2, 3]) await bus.publish(notification(n, workflowId));
    await eventually(() => expect(handled).toEqual([1, 3]));
  });

  test('cannot subscribe twice, nor after the start', async () => {
    const { bus } = await durableSetUp();
    const subscribe = (name: string) => () =>
      bus.subscribeDurably(name, 'Notification', { takes: () => true, handle: async () => {} });
    expect(subscribe('worker')).toThrow('worker subscribes to Notification twice.');
    await bus.start();
    expect(subscribe('late')).toThrow('late subscribes after the bus has started.');
  });
});

/** A durable subscriber whose calls end when the test says so. */
async function durableSetUp() {
  const bus = createTestBus(await (await openStoreFolder()).open());
  const order: unknown[] = [];
  const running = new Map<unknown, () => void>();
  bus.subscribeDurably('worker', 'Notification', {
    takes: () => true,
    handle: (event, signal) => {
      const n: unknown = Object(event).n;
      return new Promise<void>((resolve, reject) => {
        running.set(n, resolve);
        signal.addEventListener('abort', () => reject(signal.reason));
      }).then(() => {
        running.delete(n);
        order.push(n);
      });
    },
  });
  return {
    bus,
    order,
    running: { [Symbol.iterator]: () => running.keys() },
    release: (n: number) => running.get(n)?.(),
  };
}

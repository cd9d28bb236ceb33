/** The bus with a real store and real inboxes. */
import type { RunEvent, WorkflowId } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { BUS_LIMITS } from './limits.ts';
import {
  createTestBus,
  eventually,
  type Inbox,
  notification,
  openInbox,
  openStoreFolder,
  subscriptionTo,
  TEST_RETRY_MAX_MS,
  testIds,
} from './testing.ts';

async function startedBus() {
  const store = await (await openStoreFolder()).open();
  const bus = createTestBus(store);
  await bus.start();
  return { bus, store };
}

const arrived = (inbox: Inbox, count: number): Promise<void> =>
  eventually(() => expect(inbox.received.length).toBeGreaterThanOrEqual(count));

describe('inboxes', () => {
  test('get the events of a run in the order of its log, each with its ids', async () => {
    const { bus } = await startedBus();
    const inbox = await openInbox();
    const id = await bus.createSubscription(subscriptionTo(inbox.url), '*');
    const workflowId = testIds.random<WorkflowId>();
    const numbers = Array.from({ length: 50 }, (_, index) => index);
    for (const n of numbers) await bus.publish(notification(n, workflowId));
    await arrived(inbox, 50);
    expect(inbox.numbers()).toEqual(numbers);
    expect(inbox.received.map(({ headers }) => headers['x-subscription-id'])).toEqual(
      numbers.map(() => id),
    );
    const publicationIds = inbox.received.map(({ headers }) => headers['x-publication-id']);
    expect(new Set(publicationIds).size).toBe(50);
    expect(inbox.received[0]).toMatchObject({
      headers: { 'content-type': 'application/json' },
      body: notification(0, workflowId),
    });
  });

  test('get publications that are about no run', async () => {
    const { bus } = await startedBus();
    const inbox = await openInbox();
    await bus.createSubscription(subscriptionTo(inbox.url, { matchKind: 'Mine' }), '*');
    expect(await bus.distribute({ kind: 'Mine', n: 1 })).toBe(1);
    expect(await bus.distribute({ kind: 'Other', n: 2 })).toBe(0);
    expect(await bus.distribute({})).toBe(0);
    await arrived(inbox, 1);
    expect(inbox.numbers()).toEqual([1]);
  });

  test.each<[string, Parameters<typeof subscriptionTo>[1], boolean]>([
    ['no selector', undefined, true],
    ['its kind', { matchKind: 'Mine' }, true],
    ['another kind', { matchKind: 'Yours' }, false],
    ['its version', { matchKind: 'Mine', matchFields: { apiVersion: 'a/v1' } }, true],
    ['another version', { matchKind: 'Mine', matchFields: { apiVersion: 'a/v2' } }, false],
    ['a field inside', { matchFields: { 'metadata.name': 'm' } }, true],
    ['a label', { matchLabels: { 'a/category': 'c' } }, true],
    ['another label', { matchLabels: { 'a/category': 'd' } }, false],
  ])('a selector with %s', async (_, selector, expected) => {
    const { bus } = await startedBus();
    await bus.createSubscription(subscriptionTo('http://127.0.0.1:9/inbox', selector), '*');
    const event = {
      kind: 'Mine',
      apiVersion: 'a/v1',
      metadata: { name: 'm', labels: { 'a/category': 'c' } },
    };
    expect(bus.hasInboxFor(event)).toBe(expected);
  });

  test('get only what whoever subscribed can reach', async () => {
    const { bus } = await startedBus();
    const inbox = await openInbox();
    await bus.createSubscription(subscriptionTo(inbox.url), new Set(['mine']));
    await bus.publish(notification(1, testIds.random(), 'theirs'));
    await bus.distribute({ n: 2 });
    await bus.publish(notification(3, testIds.random(), 'mine'));
    await arrived(inbox, 1);
    expect(inbox.numbers()).toEqual([3]);
  });

  test('that never answer do not delay the others', async () => {
    const { bus } = await startedBus();
    const slow = await openInbox('never');
    const quick = await openInbox();
    for (const inbox of [slow, quick]) {
      await bus.createSubscription(subscriptionTo(inbox.url), '*');
    }
    for (const n of [1, 2, 3]) await bus.distribute({ n });
    await arrived(quick, 3);
    expect(quick.numbers()).toEqual([1, 2, 3]);
    expect(slow.numbers()).toEqual([1]);
  });

  test.each([500, 503, 429] as const)(
    'that answer %i get it again, before anything newer',
    async (code) => {
      const { bus } = await startedBus();
      const inbox = await openInbox(code);
      await bus.createSubscription(subscriptionTo(inbox.url), '*');
      for (const n of [1, 2]) await bus.distribute({ n });
      await arrived(inbox, 1);
      inbox.answer = 200;
      await bus.timers.fire(250, 500);
      await arrived(inbox, 3);
      expect(inbox.numbers()).toEqual([1, 1, 2]);
      const [first, second] = inbox.received;
      expect(second?.headers['x-publication-id']).toBe(first?.headers['x-publication-id']);
    },
  );

  test.each([400, 404, 422, 302] as const)('that answer %i do not get it again', async (code) => {
    const { bus } = await startedBus();
    const inbox = await openInbox(code);
    const id = await bus.createSubscription(subscriptionTo(inbox.url), '*');
    for (const n of [1, 2]) await bus.distribute({ n });
    await arrived(inbox, 2);
    expect(inbox.numbers()).toEqual([1, 2]);
    await eventually(() =>
      expect(bus.listSubscriptions('*').get(id)?.status.publicationStatusSummary).toEqual({
        [code]: 2,
      }),
    );
  });

  test('that take too long to answer get it again', async () => {
    const { bus } = await startedBus();
    const inbox = await openInbox('never');
    const id = await bus.createSubscription(subscriptionTo(inbox.url), '*');
    await bus.distribute({ n: 1 });
    await arrived(inbox, 1);
    await bus.timers.fire(BUS_LIMITS.inboxTimeoutMs);
    inbox.answer = 200;
    await bus.timers.fire(250, 500);
    await eventually(() =>
      expect(bus.listSubscriptions('*').get(id)?.status.publicationStatusSummary).toEqual({
        Timeout: 1,
        '200': 1,
      }),
    );
  });

  test('that fail again and again are in quarantine until they answer', async () => {
    const { bus } = await startedBus();
    const inbox = await openInbox(503);
    const id = await bus.createSubscription(subscriptionTo(inbox.url), '*');
    const status = () => bus.listSubscriptions('*').get(id)?.status;
    for (const n of [1, 2]) await bus.distribute({ n });
    for (let failure = 1; failure < BUS_LIMITS.failuresBeforeQuarantine; failure += 1) {
      await arrived(inbox, failure);
      expect(status()).not.toHaveProperty('quarantine');
      await bus.timers.fire(1, TEST_RETRY_MAX_MS);
    }
    await eventually(() => expect(status()).toHaveProperty('quarantine', 10));
    await fireProbe(bus.timers);
    await eventually(() => expect(status()).toHaveProperty('quarantine', 11));
    inbox.answer = 200;
    await fireProbe(bus.timers);
    await arrived(inbox, 13);
    await eventually(() => expect(status()).not.toHaveProperty('quarantine'));
    expect(inbox.numbers().slice(-2)).toEqual([1, 2]);
  });

  test('that are not there get it when they are', async () => {
    const { bus } = await startedBus();
    const id = await bus.createSubscription(subscriptionTo('http://127.0.0.1:9/inbox'), '*');
    await bus.distribute({ n: 1 });
    await eventually(() =>
      expect(bus.listSubscriptions('*').get(id)?.status.publicationStatusSummary).toEqual({
        ConnectionError: 1,
      }),
    );
  });
});

/** The probe is as far away as the next sweep; whichever fires first does no harm. */
async function fireProbe(timers: ReturnType<typeof createTestBus>['timers']): Promise<void> {
  await eventually(() => expect(timers.pending.size).toBeGreaterThanOrEqual(2));
  for (const [key, { delayMs, callback }] of timers.pending) {
    if (delayMs !== BUS_LIMITS.quarantineProbeMs) continue;
    timers.pending.delete(key);
    callback();
  }
}

describe('after a restart', () => {
  test('an inbox gets what it did not get before, from the subscription made before', async () => {
    const folder = await openStoreFolder();
    const inbox = await openInbox(503);
    const store = await folder.open();
    const before = createTestBus(store);
    await before.start();
    await before.createSubscription(subscriptionTo(inbox.url), '*');
    for (const n of [1, 2, 3]) await before.distribute({ n });
    await arrived(inbox, 1);
    await before.stop();
    await store.close();

    inbox.answer = 200;
    const after = createTestBus(await folder.open());
    await after.start();
    await arrived(inbox, 4);
    expect(inbox.numbers()).toEqual([1, 1, 2, 3]);
  });

  test('what was delivered is not delivered again', async () => {
    const folder = await openStoreFolder();
    const inbox = await openInbox();
    const store = await folder.open();
    const before = createTestBus(store);
    await before.start();
    await before.createSubscription(subscriptionTo(inbox.url), '*');
    for (const n of [1, 2, 3]) await before.distribute({ n });
    await arrived(inbox, 3);
    await before.stop();
    expect(await store.outboxSubscriptions()).toEqual([]);
  });

  test('a durable subscriber gets what it did not finish', async () => {
    const folder = await openStoreFolder();
    const store = await folder.open();
    const before = createTestBus(store);
    const interrupted: unknown[] = [];
    before.subscribeDurably(
      'worker',
      'Notification',
      () => true,
      (event, signal) => {
        interrupted.push(event);
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      },
    );
    await before.start();
    const event = notification(1);
    await before.publish(event);
    await eventually(() => expect(interrupted).toEqual([event]));
    await before.stop();
    await store.close();

    const after = createTestBus(await folder.open());
    const handled: unknown[] = [];
    after.subscribeDurably(
      'worker',
      'Notification',
      () => true,
      async (again) => {
        handled.push(again);
      },
    );
    await after.start();
    await eventually(() => expect(handled).toEqual([event]));
  });

  test('what nobody subscribes to any more is removed', async () => {
    const folder = await openStoreFolder();
    const store = await folder.open();
    await store.write({
      outbox: [{ subscriptionId: testIds.random(), publicationId: testIds.random(), body: '{}' }],
    });
    const bus = createTestBus(store);
    await bus.start();
    expect(await store.outboxSubscriptions()).toEqual([]);
  });
});

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

  test('are called again when they reject, and given up in the end', async () => {
    const store = await (await openStoreFolder()).open();
    const bus = createTestBus(store, { limits: { durableAttempts: 3 } });
    const calls: number[] = [];
    bus.subscribeDurably(
      'worker',
      'Notification',
      () => true,
      async (event) => {
        calls.push(Number(Object(event).n));
        if (Object(event).n === 1) throw new Error('Not now.');
      },
    );
    await bus.start();
    const workflowId = testIds.random<WorkflowId>();
    for (const n of [1, 2]) await bus.publish(notification(n, workflowId));
    expect(await bus.timers.fire(1, TEST_RETRY_MAX_MS)).toBe(250);
    expect(await bus.timers.fire(1, TEST_RETRY_MAX_MS)).toBe(500);
    await eventually(() => expect(calls).toEqual([1, 1, 1, 2]));
    await eventually(async () => expect(await store.outboxSubscriptions()).toEqual([]));
  });

  test('get what their filter takes, of their kind', async () => {
    const store = await (await openStoreFolder()).open();
    const bus = createTestBus(store);
    const handled: unknown[] = [];
    const isOdd = (event: object) => Object(event).n % 2 === 1;
    bus.subscribeDurably('worker', 'Notification', isOdd, async (event) => {
      handled.push(Object(event).n);
    });
    bus.subscribeDurably(
      'other',
      'WorkflowCanceled',
      () => true,
      async () => {
        handled.push('another kind');
      },
    );
    await bus.start();
    const workflowId = testIds.random<WorkflowId>();
    for (const n of [1, 2, 3]) await bus.publish(notification(n, workflowId));
    await eventually(() => expect(handled).toEqual([1, 3]));
  });

  test('cannot subscribe twice, nor after the start', async () => {
    const { bus } = await durableSetUp();
    const subscribe = (name: string) => () =>
      bus.subscribeDurably(
        name,
        'Notification',
        () => true,
        async () => {},
      );
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
  bus.subscribeDurably(
    'worker',
    'Notification',
    () => true,
    (event, signal) => {
      const n: unknown = Object(event).n;
      return new Promise<void>((resolve, reject) => {
        running.set(n, resolve);
        signal.addEventListener('abort', () => reject(signal.reason));
      }).then(() => {
        running.delete(n);
        order.push(n);
      });
    },
  );
  return {
    bus,
    order,
    running: { [Symbol.iterator]: () => running.keys() },
    release: (n: number) => running.get(n)?.(),
  };
}

describe('subscribers in the process', () => {
  test('are called in the order of the log, those of a kind before those of all', async () => {
    const { bus } = await startedBus();
    const calls: string[] = [];
    bus.subscribeAll((event, seq) => calls.push(`all ${event.metadata.name} ${seq}`));
    bus.subscribe('Notification', (event) => calls.push(`kind ${event.metadata.name}`));
    bus.subscribe('WorkflowCanceled', () => calls.push('another kind'));
    bus.committed([notification(1), notification(2)], 7);
    expect(calls).toEqual([
      'kind notification 1',
      'all notification 1 7',
      'kind notification 2',
      'all notification 2 8',
    ]);
  });

  test('that throw do not keep the event from the others', async () => {
    const { bus } = await startedBus();
    const calls: RunEvent[] = [];
    bus.subscribe('Notification', () => {
      throw new Error('A bug.');
    });
    bus.subscribe('Notification', (event) => calls.push(event));
    const event = notification(1);
    bus.committed([event], 1);
    expect(calls).toEqual([event]);
  });

  test('are not called once they ended their subscription', async () => {
    const { bus } = await startedBus();
    const calls: unknown[] = [];
    const handler = (event: unknown) => calls.push(event);
    const end = bus.subscribe('Notification', handler);
    bus.subscribe('Notification', handler);
    end();
    bus.committed([notification(1)], 1);
    expect(calls).toHaveLength(1);
  });
});

describe('subscriptions', () => {
  test('that were canceled get nothing more, and nothing of them stays', async () => {
    const { bus, store } = await startedBus();
    const inbox = await openInbox('never');
    const id = await bus.createSubscription(subscriptionTo(inbox.url), '*');
    for (const n of [1, 2]) await bus.distribute({ n });
    await arrived(inbox, 1);
    await bus.cancelSubscription(id, '*');
    expect(await store.outboxSubscriptions()).toEqual([]);
    expect(await store.documents('subscriptions')).toEqual([]);
    expect(await bus.distribute({ n: 3 })).toBe(0);
    await expect(bus.cancelSubscription(id, '*')).rejects.toThrow(`Subscription ${id} not known.`);
  });

  test('of others cannot be seen or canceled with less access', async () => {
    const { bus } = await startedBus();
    const mine = new Set(['mine']);
    const endpoint = 'http://127.0.0.1:9/inbox';
    const own = await bus.createSubscription(subscriptionTo(endpoint), mine);
    const ofAll = await bus.createSubscription(subscriptionTo(endpoint), '*');
    const both = await bus.createSubscription(subscriptionTo(endpoint), new Set(['mine', 'b']));
    expect([...bus.listSubscriptions(mine).keys()]).toEqual([own]);
    expect([...bus.listSubscriptions('*').keys()]).toEqual([own, ofAll, both]);
    await expect(bus.cancelSubscription(ofAll, mine)).rejects.toThrow('not known');
  });

  test('are bounded in number', async () => {
    const bus = createTestBus(await (await openStoreFolder()).open(), {
      limits: { subscriptions: 1 },
    });
    await bus.start();
    const subscribe = () => bus.createSubscription(subscriptionTo('http://127.0.0.1:9/inbox'), '*');
    await subscribe();
    await expect(subscribe()).rejects.toMatchObject({ reason: 'Conflict' });
  });

  test.each(['inbox', 'ftp://host/inbox', 'file:///etc/passwd', 'http://'])(
    'cannot have the endpoint %s',
    async (endpoint) => {
      const { bus } = await startedBus();
      await expect(bus.createSubscription(subscriptionTo(endpoint), '*')).rejects.toMatchObject({
        reason: 'Invalid',
        message: 'Not a valid Subscription manifest.',
        details: { error: expect.stringContaining(JSON.stringify(endpoint)) },
      });
    },
  );

  test('of built-in services are listed under their names, count and cannot be canceled', async () => {
    const { bus } = await startedBus();
    bus.registerBuiltIn('arranger', { matchKind: 'Notification' });
    bus.registerBuiltIn('observer');
    bus.committed([notification(1)], 1);
    const listed = [...bus.listSubscriptions(new Set()).values()];
    expect(listed).toMatchObject([
      {
        metadata: {
          name: 'arranger',
          annotations: { 'opentestfactory.org/fieldselector': 'kind==Notification' },
        },
        spec: { subscriber: { endpoint: 'internal:arranger' } },
        status: {
          publicationCount: 1,
          lastPublicationTimestamp: '2026-01-31T12:34:56.789000',
          publicationStatusSummary: {},
        },
      },
      { metadata: { name: 'observer' }, status: { publicationCount: 1 } },
    ]);
    const [id] = bus.listSubscriptions('*').keys();
    await expect(bus.cancelSubscription(id ?? testIds.random(), '*')).rejects.toMatchObject({
      reason: 'Conflict',
    });
  });

  test('that cannot be read from the store do not keep the bus from starting', async () => {
    const store = await (await openStoreFolder()).open();
    await store.write({
      documents: [{ collection: 'subscriptions', key: testIds.random(), json: '{}' }],
    });
    const bus = createTestBus(store);
    await bus.start();
    expect(bus.listSubscriptions('*').size).toBe(0);
  });
});

/** Delivery to real inboxes from a real store. */
import type { WorkflowId } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { createLogger } from '../runtime/logger.ts';
import type { Store } from '../store/store.ts';
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
  // HTTP 4.4: Deliveries have the ids of subscription and publication.
  // Bound: Waiting publications in memory, per inbox.
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

  test('get many that come at once in order, each once', async () => {
    const { bus } = await startedBus();
    const inbox = await openInbox();
    await bus.createSubscription(subscriptionTo(inbox.url), '*');
    const numbers = Array.from({ length: 20 * BUS_LIMITS.inboxWindow }, (_, index) => index);
    const [first, ...others] = numbers;
    await bus.distribute({ n: first }, '*');
    await Promise.all(others.map((n) => bus.distribute({ n }, '*')));
    await arrived(inbox, numbers.length);
    expect(inbox.numbers()).toEqual(numbers);
  });

  test('get no more while the store does not say that what they got is removed', async () => {
    const opened = await (await openStoreFolder()).open();
    let isFull = true;
    const store: Store = {
      ...opened,
      write: (write) =>
        isFull && write.outboxDone !== undefined
          ? Promise.reject(new Error('The disk is full.'))
          : opened.write(write),
    };
    const unremoved = 3;
    const bus = createTestBus(store, { limits: { unremoved } });
    await bus.start();
    const inbox = await openInbox();
    await bus.createSubscription(subscriptionTo(inbox.url), '*');
    for (const n of [1, 2, 3]) await bus.distribute({ n }, '*');
    await arrived(inbox, unremoved);
    await bus.timers.fire(BUS_LIMITS.retryDelayMs);
    for (const n of [4, 5]) await bus.distribute({ n }, '*');
    await bus.timers.fire(BUS_LIMITS.retryDelayMs);
    expect(inbox.numbers()).toEqual([1, 2, 3]);
    isFull = false;
    await bus.timers.fire(BUS_LIMITS.retryDelayMs);
    await arrived(inbox, 5);
    expect(inbox.numbers()).toEqual([1, 2, 3, 4, 5]);
  });

  test('get publications that are about no run', async () => {
    const { bus } = await startedBus();
    const inbox = await openInbox();
    await bus.createSubscription(subscriptionTo(inbox.url, { matchKind: 'Mine' }), '*');
    expect(await bus.distribute({ kind: 'Mine', n: 1 }, '*')).toBe(1);
    expect(await bus.distribute({ kind: 'Other', n: 2 }, '*')).toBe(0);
    expect(await bus.distribute({}, '*')).toBe(0);
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
    // HTTP 6: Selectors match by kind, fields and labels.
  ])('a selector with %s', async (_, selector, expected) => {
    const { bus } = await startedBus();
    await bus.createSubscription(subscriptionTo('http://127.0.0.1:9/inbox', selector), '*');
    const metadata = { ...notification(1).metadata, name: 'm', labels: { 'a/category': 'c' } };
    const event = { kind: 'Mine', apiVersion: 'a/v1', metadata };
    expect(bus.hasInboxFor(event)).toBe(expected);
  });

  test('an inbox that gets everything did not ask for a label', async () => {
    const { bus } = await startedBus();
    const metadata = { ...notification(1).metadata, labels: { 'a/category': 'c' } };
    const event = { kind: 'Mine', metadata };
    const endpoint = 'http://127.0.0.1:9/inbox';
    await bus.createSubscription(subscriptionTo(endpoint, { matchKind: 'Mine' }), '*');
    expect(bus.hasInboxFor(event, { byLabel: true })).toBe(false);
    const byLabel = { matchLabels: { 'a/category': 'c' } };
    await bus.createSubscription(subscriptionTo(endpoint, byLabel), '*');
    expect(bus.hasInboxFor(event, { byLabel: true })).toBe(true);
  });

  test('are known by the labels that they asked for, as far as they reach', async () => {
    const { bus } = await startedBus();
    const subscribe = (selector: object, scope: ReadonlySet<string> | '*' = '*') =>
      bus.createSubscription(subscriptionTo('http://127.0.0.1:9/inbox', selector), scope);
    const matchKind = 'Notification';
    await subscribe({ matchKind });
    await subscribe({ matchKind: 'ProviderCommand', matchLabels: { c: 'other kind' } });
    await subscribe({ matchKind, matchLabels: { c: 'theirs' } }, new Set(['theirs']));
    await subscribe({ matchKind, matchFields: { kind: 'x' }, matchLabels: { c: 'never' } });
    await subscribe({ matchKind, matchLabels: { c: 'thing' } }, new Set(['mine']));
    const event = notification(1, testIds.random(), 'mine');
    const labeled = { ...event, metadata: { ...event.metadata, labels: { c: 'thnig', v: '1' } } };
    expect(bus.labelsWanted(labeled)).toEqual([{ c: 'thing', v: '1' }]);
  });

  // Bound: Publications that wait for one inbox.
  test('that are dead for days cost only so much: the oldest publications are given up, and told', async () => {
    const logged: string[] = [];
    const destination = { write: (line: string) => void logged.push(line) };
    const store = await (await openStoreFolder()).open();
    const bus = createTestBus(store, {
      limits: { undelivered: 3, acknowledgements: 2 },
      logger: createLogger({ level: 'warn', destination }),
    });
    await bus.start();
    const inbox = await openInbox(503);
    const id = await bus.createSubscription(subscriptionTo(inbox.url), '*');
    const workflowId = testIds.random<WorkflowId>();
    for (let n = 0; n < 8; n += 1) await bus.publish(notification(n, workflowId));
    await bus.timers.fire(BUS_LIMITS.sweepMs);
    const waiting = async () => (await store.outbox(id, 10)).map(({ body }) => JSON.parse(body).n);
    await eventually(async () => expect(await waiting()).toEqual([5, 6, 7]));
    await eventually(() =>
      expect(bus.listSubscriptions('*').get(id)?.status.publicationStatusSummary).toMatchObject({
        'given up': 5,
      }),
    );
    const actual = 'Too many publications wait for an inbox: the oldest are given up.';
    expect(logged.map((line) => JSON.parse(line)).find(({ msg }) => msg === actual)).toMatchObject({
      subscriptionId: id,
      count: 5,
      kept: 3,
    });
  });

  test('get only what whoever subscribed can reach', async () => {
    const { bus } = await startedBus();
    const inbox = await openInbox();
    await bus.createSubscription(subscriptionTo(inbox.url), new Set(['mine']));
    await bus.publish(notification(1, testIds.random(), 'theirs'));
    await bus.distribute({ n: 2 }, '*');
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
    for (const n of [1, 2, 3]) await bus.distribute({ n }, '*');
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
      for (const n of [1, 2]) await bus.distribute({ n }, '*');
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
    for (const n of [1, 2]) await bus.distribute({ n }, '*');
    await arrived(inbox, 2);
    expect(inbox.numbers()).toEqual([1, 2]);
    await eventually(() =>
      expect(bus.listSubscriptions('*').get(id)?.status.publicationStatusSummary).toEqual({
        [code]: 2,
      }),
    );
  });

  const authorizationsAt = ({ received }: Inbox) =>
    received.map(({ headers }) => headers.authorization);

  test('that ask for a token get that of whoever subscribed', async () => {
    const { bus } = await startedBus();
    const inbox = await openInbox();
    inbox.token = 'mine';
    const id = await bus.createSubscription(subscriptionTo(inbox.url), '*', { token: 'mine' });
    for (const n of [1, 2]) await bus.distribute({ n }, '*');
    await arrived(inbox, 3);
    expect(inbox.numbers()).toEqual([1, 1, 2]);
    expect(authorizationsAt(inbox)).toEqual([undefined, 'Bearer mine', 'Bearer mine']);
    const listed = () => bus.listSubscriptions('*').get(id);
    await eventually(() => expect(listed()?.status.publicationStatusSummary).toEqual({ '200': 2 }));
    expect(JSON.stringify(listed())).not.toContain('mine');
  });

  test('that ask for none get none', async () => {
    const { bus } = await startedBus();
    const inbox = await openInbox();
    await bus.createSubscription(subscriptionTo(inbox.url), '*', { token: 'mine' });
    for (const n of [1, 2]) await bus.distribute({ n }, '*');
    await arrived(inbox, 2);
    expect(authorizationsAt(inbox)).toEqual([undefined, undefined]);
  });

  test('that refuse the token of whoever subscribed do not get it again', async () => {
    const { bus } = await startedBus();
    const inbox = await openInbox();
    inbox.token = 'another';
    const id = await bus.createSubscription(subscriptionTo(inbox.url), '*', { token: 'mine' });
    for (const n of [1, 2]) await bus.distribute({ n }, '*');
    await arrived(inbox, 3);
    expect(inbox.numbers()).toEqual([1, 1, 2]);
    await eventually(() =>
      expect(bus.listSubscriptions('*').get(id)?.status.publicationStatusSummary).toEqual({
        '401': 2,
      }),
    );
  });

  test('that refuse are told in the log of the server, until they take one', async () => {
    const lines: string[] = [];
    const logger = createLogger({
      level: 'warn',
      destination: { write: (line) => lines.push(line) },
    });
    const bus = createTestBus(await (await openStoreFolder()).open(), { logger });
    await bus.start();
    const inbox = await openInbox(400);
    await bus.createSubscription(subscriptionTo(inbox.url), '*');
    for (const n of [1, 2]) await bus.distribute({ n }, '*');
    await arrived(inbox, 2);
    inbox.answer = 200;
    await bus.distribute({ n: 3 }, '*');
    await arrived(inbox, 3);
    inbox.answer = 400;
    await bus.distribute({ n: 4 }, '*');
    await eventually(() => expect(lines).toHaveLength(2));
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      name: 'listener',
      code: 400,
      msg: 'An inbox refuses publications: they are lost to it.',
    });
  });

  test('that answer 500 again and again get what comes after it', async () => {
    const { bus } = await startedBus();
    const inbox = await openInbox(500);
    await bus.createSubscription(subscriptionTo(inbox.url), '*');
    for (const n of [1, 2]) await bus.distribute({ n }, '*');
    for (let attempt = 1; attempt < BUS_LIMITS.attemptsAtInternalError; attempt += 1) {
      await arrived(inbox, attempt);
      await bus.timers.fire(1, TEST_RETRY_MAX_MS);
    }
    await arrived(inbox, BUS_LIMITS.attemptsAtInternalError + 1);
    expect(inbox.numbers()).toEqual([1, 1, 1, 1, 2]);
  });

  test('that answer 500 after they were away get it as often all the same', async () => {
    const { bus } = await startedBus();
    const inbox = await openInbox(503);
    await bus.createSubscription(subscriptionTo(inbox.url), '*');
    for (const n of [1, 2]) await bus.distribute({ n }, '*');
    const away = BUS_LIMITS.attemptsAtInternalError;
    for (let attempt = 1; attempt <= away; attempt += 1) {
      await arrived(inbox, attempt);
      if (attempt === away) inbox.answer = 500;
      await bus.timers.fire(1, TEST_RETRY_MAX_MS);
    }
    for (let attempt = 1; attempt < BUS_LIMITS.attemptsAtInternalError; attempt += 1) {
      await arrived(inbox, away + attempt);
      await bus.timers.fire(1, TEST_RETRY_MAX_MS);
    }
    await arrived(inbox, away + BUS_LIMITS.attemptsAtInternalError + 1);
    expect(inbox.numbers()).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 2]);
  });

  // Bound: Requests to inboxes at one time.
  test('that take too long to answer get it again', async () => {
    const { bus } = await startedBus();
    const inbox = await openInbox('never');
    const id = await bus.createSubscription(subscriptionTo(inbox.url), '*');
    await bus.distribute({ n: 1 }, '*');
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

  // HTTP 2.4: A listing has time, id, and what was delivered; `quarantine` while deliveries fail.
  // Bound: Retries of a delivery.
  test('that fail again and again are in quarantine until they answer', async () => {
    const { bus } = await startedBus();
    const inbox = await openInbox(503);
    const id = await bus.createSubscription(subscriptionTo(inbox.url), '*');
    const status = () => bus.listSubscriptions('*').get(id)?.status;
    for (const n of [1, 2]) await bus.distribute({ n }, '*');
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
    await bus.distribute({ n: 1 }, '*');
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

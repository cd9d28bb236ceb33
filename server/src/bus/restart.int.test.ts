/** Subscriptions and publications after a restart, with a real store. */
import { describe, expect, test } from 'vitest';
import {
  createTestBus,
  eventually,
  type Inbox,
  notification,
  openInbox,
  openStoreFolder,
  subscriptionTo,
  testIds,
} from './testing.ts';

const arrived = (inbox: Inbox, count: number): Promise<void> =>
  eventually(() => expect(inbox.received.length).toBeGreaterThanOrEqual(count));

describe('after a restart', () => {
  test('an inbox gets what it did not get before, from the subscription made before', async () => {
    const folder = await openStoreFolder();
    const inbox = await openInbox(503);
    const store = await folder.open();
    const before = createTestBus(store);
    await before.start();
    await before.createSubscription(subscriptionTo(inbox.url), '*');
    for (const n of [1, 2, 3]) await before.distribute({ n }, '*');
    await arrived(inbox, 1);
    await before.stop();
    await store.close();

    inbox.answer = 200;
    const after = createTestBus(await folder.open());
    await after.start();
    await arrived(inbox, 4);
    expect(inbox.numbers()).toEqual([1, 1, 2, 3]);
  });

  test('a subscription of an earlier version carries out commands where its token may', async () => {
    const folder = await openStoreFolder();
    const store = await folder.open();
    const before = createTestBus(store);
    await before.start();
    const id = await before.createSubscription(subscriptionTo('http://127.0.0.1:9/'), '*', {
      token: 'mine',
    });
    await before.stop();
    const [{ json } = { json: '{}' }] = await store.documents('subscriptions');
    const { commands, ...earlier } = JSON.parse(json);
    expect(commands).toBe('*');
    const document = { collection: 'subscriptions', key: id, json: JSON.stringify(earlier) };
    await store.write({ documents: [document] });
    await store.close();

    const commandsOf = async (token: string) => new Set([token]);
    const after = createTestBus(await folder.open(), { commandsOf });
    await after.start();
    const made = [...after.subscriptions()].find((record) => record.id === id);
    expect(made?.commands).toEqual(new Set(['mine']));
  });

  test('an inbox that asks for a token gets it, also from a subscription made before', async () => {
    const folder = await openStoreFolder();
    const inbox = await openInbox();
    inbox.token = 'mine';
    const store = await folder.open();
    const before = createTestBus(store);
    await before.start();
    await before.createSubscription(subscriptionTo(inbox.url), '*', { token: 'mine' });
    await before.stop();
    await store.close();

    const after = createTestBus(await folder.open());
    await after.start();
    await after.distribute({ n: 1 }, '*');
    await arrived(inbox, 2);
    expect(inbox.received.at(-1)?.headers.authorization).toBe('Bearer mine');
  });

  test('a plugin that subscribes anew goes on with its subscription, and with what waits for it', async () => {
    const inbox = await openInbox(503);
    const bus = createTestBus(await (await openStoreFolder()).open());
    await bus.start();
    const selector = { matchKind: 'Mine' };
    const subscribe = (more: object = {}, scope: ReadonlySet<string> | '*' = '*') =>
      bus.createSubscription({ ...subscriptionTo(inbox.url, selector), ...more }, scope, {
        token: 'old',
      });
    const id = await subscribe();
    for (const n of [1, 2]) await bus.distribute({ kind: 'Mine', n }, '*');
    await arrived(inbox, 1);
    inbox.answer = 200;
    inbox.token = 'new';
    const manifest = subscriptionTo(inbox.url, selector);
    const again = await bus.createSubscription(manifest, '*', { token: 'new' });
    await arrived(inbox, 4);
    expect(inbox.numbers()).toEqual([1, 1, 1, 2]);
    expect([...bus.listSubscriptions('*').keys()]).toEqual([id, again]);
    expect(await bus.distribute({ kind: 'Mine', n: 3 }, '*')).toBe(1);
    await subscribe({ metadata: { name: 'another' } });
    await subscribe({}, new Set(['less']));
    expect(await bus.distribute({ kind: 'Mine', metadata: { namespace: 'less' } }, '*')).toBe(3);
  });

  // HTTP 2.4: A listing has the selectors as two annotations, empty where there is none.
  test('a subscription is listed with its labels and annotations', async () => {
    const folder = await openStoreFolder();
    const store = await folder.open();
    const before = createTestBus(store);
    await before.start();
    const manifest = subscriptionTo('http://127.0.0.1:9/inbox');
    const metadata = { name: 'listener', labels: { a: 'b' }, annotations: { 'x/y': 'z' } };
    const id = await before.createSubscription({ ...manifest, metadata }, '*');
    await before.stop();
    await store.close();

    const after = createTestBus(await folder.open());
    await after.start();
    expect(after.listSubscriptions('*').get(id)?.metadata).toMatchObject(metadata);
  });

  test('delivered publications are not delivered again', async () => {
    const folder = await openStoreFolder();
    const inbox = await openInbox();
    const store = await folder.open();
    const before = createTestBus(store);
    await before.start();
    await before.createSubscription(subscriptionTo(inbox.url), '*');
    for (const n of [1, 2, 3]) await before.distribute({ n }, '*');
    await arrived(inbox, 3);
    await before.stop();
    expect(await store.outboxSubscriptions()).toEqual([]);
  });

  test('a durable subscriber gets an event of a log that it did not take when it came', async () => {
    const folder = await openStoreFolder();
    const bus = createTestBus(await folder.open());
    const handled: unknown[] = [];
    const isNew = (event: object) => Object(event).n === 2;
    bus.subscribeDurably('worker', 'Notification', {
      takes: isNew,
      handle: async (event) => {
        handled.push(Object(event).n);
      },
    });
    const old = notification(1, testIds.random());
    await bus.deliverAgain('worker', old);
    await bus.start();
    await eventually(() => expect(handled).toEqual([1]));
    await bus.deliverAgain('worker', old);
    await eventually(() => expect(handled).toEqual([1, 1]));
    await bus.stop();
  });

  test('a durable subscriber gets what it did not finish', async () => {
    const folder = await openStoreFolder();
    const store = await folder.open();
    const before = createTestBus(store);
    const interrupted: unknown[] = [];
    before.subscribeDurably('worker', 'Notification', {
      takes: () => true,
      handle: (event, signal) => {
        interrupted.push(event);
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      },
    });
    await before.start();
    const event = notification(1);
    await before.publish(event);
    await eventually(() => expect(interrupted).toEqual([event]));
    await before.stop();
    await store.close();

    const after = createTestBus(await folder.open());
    const handled: unknown[] = [];
    after.subscribeDurably('worker', 'Notification', {
      takes: () => true,
      handle: async (again) => {
        handled.push(again);
      },
    });
    await after.start();
    await eventually(() => expect(handled).toEqual([event]));
  });

  test('entries of ended subscriptions are removed', async () => {
    const folder = await openStoreFolder();
    const store = await folder.open();
    await store.write({
      outbox: [
        { subscriptionIds: [testIds.random()], publicationId: testIds.random(), body: '{}' },
      ],
    });
    const bus = createTestBus(store);
    await bus.start();
    expect(await store.outboxSubscriptions()).toEqual([]);
  });
});

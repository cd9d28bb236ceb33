/** Subscriptions that are made more than once, by plugins that run twice, were killed, or leave. With a real store and real inboxes. */
import { formatTimestamp, type SubscriptionId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import type { Store } from '../store/store.ts';
import { BUS_LIMITS } from './limits.ts';
import {
  createTestBus,
  eventually,
  openInbox,
  openStoreFolder,
  subscriptionTo,
  TEST_RETRY_MAX_MS,
  type TestBusOptions,
  testClock,
} from './testing.ts';

const { startMs, holders: HOLDERS_MAX } = BUS_LIMITS;

type Bus = ReturnType<typeof createTestBus>;

/** A started bus with a clock that the test turns. */
async function startBus(store: Store, more: TestBusOptions = {}) {
  const time = { ms: testClock.now() };
  const clock = {
    ...testClock,
    now: () => time.ms,
    timestamp: () => formatTimestamp(time.ms),
  };
  const bus = createTestBus(store, { clock, ...more });
  await bus.start();
  return { bus, time };
}

async function openBus(more: TestBusOptions = {}) {
  const store = await (await openStoreFolder()).open();
  return { store, ...(await startBus(store, more)) };
}

const listed = (bus: Bus): readonly SubscriptionId[] => [...bus.listSubscriptions('*').keys()];
const subscribe = (bus: Bus, url: string, token = 'a token'): Promise<SubscriptionId> =>
  bus.createSubscription(subscriptionTo(url), '*', { token });
const send = (bus: Bus, n: number): Promise<number> => bus.distribute({ n }, '*');
const cancel = (bus: Bus, id: SubscriptionId) => bus.cancelSubscription(id, '*');
/** Lets the time pass in which a plugin starts. */
const pass = (time: { ms: number }): void => {
  time.ms += startMs + 1;
};

test('each that subscribes holds the subscription, which ends with the last one', async () => {
  const { bus, store } = await openBus();
  const inbox = await openInbox();
  const first = await subscribe(bus, inbox.url);
  const second = await subscribe(bus, inbox.url);
  expect(listed(bus)).toEqual([first, second]);
  expect(await send(bus, 1)).toBe(1);
  await eventually(() => expect(inbox.numbers()).toEqual([1]));
  expect(inbox.received[0]?.headers['x-subscription-id']).toBe(second);
  await cancel(bus, first);
  await expect(cancel(bus, first)).rejects.toThrow(`Subscription ${first} not known.`);
  expect(await send(bus, 2)).toBe(1);
  await eventually(() => expect(inbox.numbers()).toEqual([1, 2]));
  await cancel(bus, second);
  expect(await send(bus, 3)).toBe(0);
  expect(listed(bus)).toEqual([]);
  expect(await store.documents('subscriptions')).toEqual([]);
});

test('a second start that fails leaves the first one its subscription, and the id that it knows', async () => {
  const { bus } = await openBus();
  const inbox = await openInbox();
  const first = await subscribe(bus, inbox.url);
  await cancel(bus, await subscribe(bus, inbox.url));
  await send(bus, 1);
  await eventually(() => expect(inbox.numbers()).toEqual([1]));
  expect(inbox.received[0]?.headers['x-subscription-id']).toBe(first);
  expect(listed(bus)).toEqual([first]);
});

test('two that subscribe at the same time share one subscription', async () => {
  const { bus } = await openBus();
  const inbox = await openInbox();
  const ids = await Promise.all([1, 2, 3].map(() => subscribe(bus, inbox.url)));
  expect(await send(bus, 1)).toBe(1);
  await Promise.all(ids.map((id) => cancel(bus, id)));
  expect(await send(bus, 2)).toBe(0);
});

test('labels and the time of each holder are listed', async () => {
  const { bus, time } = await openBus();
  const { url } = await openInbox();
  const ids: SubscriptionId[] = [];
  for (const pod of ['a', 'b']) {
    const metadata = { name: 'listener', labels: { pod } };
    ids.push(await bus.createSubscription({ ...subscriptionTo(url), metadata }, '*'));
    time.ms += 1000;
  }
  const all = [...bus.listSubscriptions('*').values()].map(({ metadata }) => metadata);
  expect(all).toMatchObject([
    {
      subscription_id: ids[0],
      labels: { pod: 'a' },
      creationTimestamp: formatTimestamp(testClock.now()),
    },
    {
      subscription_id: ids[1],
      labels: { pod: 'b' },
      creationTimestamp: formatTimestamp(time.ms - 1000),
    },
  ]);
});

test('a plugin that was killed is replaced when it is started again, and gets what waited', async () => {
  const { bus, time, store } = await openBus();
  const inbox = await openInbox();
  await subscribe(bus, inbox.url);
  await inbox.close();
  await send(bus, 1);
  pass(time);
  const again = await subscribe(bus, inbox.url);
  expect(listed(bus)).toEqual([again]);
  expect(await store.documents('subscriptions')).toHaveLength(1);
  const restarted = await openInbox(200, Number(new URL(inbox.url).port));
  await bus.timers.fire(1, TEST_RETRY_MAX_MS);
  await eventually(() => expect(restarted.numbers()).toEqual([1]));
  await cancel(bus, again);
  expect(listed(bus)).toEqual([]);
});

test('one that may still be starting is not taken for dead', async () => {
  const { bus, time } = await openBus();
  const inbox = await openInbox();
  await inbox.close();
  const first = await subscribe(bus, inbox.url);
  time.ms += startMs;
  const second = await subscribe(bus, inbox.url);
  expect(listed(bus)).toEqual([first, second]);
});

test('one that listens is not taken for dead, however old', async () => {
  const { bus, time } = await openBus();
  const inbox = await openInbox();
  const first = await subscribe(bus, inbox.url);
  pass(time);
  const second = await subscribe(bus, inbox.url);
  expect(listed(bus)).toEqual([first, second]);
});

test('killed ones go after the last one left', async () => {
  const { bus, store } = await openBus();
  const inbox = await openInbox();
  await subscribe(bus, inbox.url);
  // Started again before it is known whether the first one still starts.
  const again = await subscribe(bus, inbox.url);
  await inbox.close();
  await cancel(bus, again);
  await send(bus, 1);
  expect(listed(bus)).toHaveLength(1);
  await bus.timers.fire(startMs);
  await eventually(() => expect(listed(bus)).toEqual([]));
  await eventually(async () => expect(await store.outboxSubscriptions()).toEqual([]));
  expect(await store.documents('subscriptions')).toEqual([]);
});

test('after one left, those that listen stay, and so does one that came since', async () => {
  const { bus } = await openBus();
  const inbox = await openInbox();
  const first = await subscribe(bus, inbox.url);
  await cancel(bus, await subscribe(bus, inbox.url));
  await bus.timers.fire(startMs);
  await cancel(bus, await subscribe(bus, inbox.url));
  await inbox.close();
  const since = await subscribe(bus, inbox.url);
  await bus.timers.fire(startMs);
  await eventually(() => expect(listed(bus)).toEqual([since]));
  expect(listed(bus)).not.toContain(first);
});

// Bound: Holders of one subscription.
test('the newest holders are kept where there are too many', async () => {
  const { bus, store } = await openBus();
  const inbox = await openInbox();
  const ids: SubscriptionId[] = [];
  for (let made = 0; made < HOLDERS_MAX + 2; made += 1) {
    ids.push(await subscribe(bus, inbox.url));
  }
  expect(listed(bus)).toEqual(ids.slice(2));
  expect(await store.documents('subscriptions')).toHaveLength(HOLDERS_MAX);
  expect(await send(bus, 1)).toBe(1);
});

test('holders count in the memory of subscriptions, one that is replaced does not', async () => {
  const { bus, time } = await openBus({ limits: { subscriptionsBytes: 10_000 } });
  const inbox = await openInbox();
  const fill = async () => {
    for (;;) await subscribe(bus, inbox.url);
  };
  await expect(fill()).rejects.toMatchObject({ reason: 'TooManyRequests' });
  expect(listed(bus).length).toBeGreaterThan(1);
  await inbox.close();
  pass(time);
  const again = await subscribe(bus, inbox.url);
  expect(listed(bus)).toEqual([again]);
});

/** Tokens that count; others are refused. */
function createTokens(...names: readonly string[]) {
  const good = new Set(names);
  const refusal = async (token: string | null) => (good.has(token ?? '') ? null : `no ${token}`);
  return { good, tokens: { refusal } };
}

test('a subscription counts as long as the token of one holder does, and goes to the newest of these', async () => {
  const { good, tokens } = createTokens('old', 'new');
  const { bus } = await openBus({ tokens });
  const inbox = await openInbox();
  const first = await subscribe(bus, inbox.url, 'old');
  const second = await subscribe(bus, inbox.url, 'new');
  const receivers = () => inbox.received.map(({ headers }) => headers['x-subscription-id']);
  const suspended = () =>
    [...bus.listSubscriptions('*').values()].map(({ status }) => status.suspended);
  inbox.token = 'new';
  await send(bus, 1);
  await eventually(() => expect(receivers()).toEqual([second, second]));
  expect(inbox.received[1]?.headers.authorization).toBe('Bearer new');
  good.delete('new');
  inbox.token = 'old';
  await send(bus, 2);
  await eventually(() => expect(receivers()).toEqual([second, second, first]));
  expect(inbox.received[2]?.headers.authorization).toBe('Bearer old');
  good.delete('old');
  await send(bus, 3);
  await eventually(() => expect(suspended()).toEqual(['no new', 'no new']));
  good.add('old');
  await bus.checkSubscriptions();
  expect(suspended()).toEqual([undefined, undefined]);
  await eventually(() => expect(receivers()).toHaveLength(4));
});

test('a delivered publication is not delivered again after a pause, though its removal takes long', async () => {
  const { good, tokens } = createTokens('a token');
  const stored = await (await openStoreFolder()).open();
  const { promise: mayRemove, resolve: remove } = Promise.withResolvers<void>();
  const store: Store = {
    ...stored,
    write: async (write) => {
      if (write.outboxDone !== undefined) await mayRemove;
      await stored.write(write);
    },
  };
  const { bus } = await startBus(store, { tokens });
  const inbox = await openInbox();
  await subscribe(bus, inbox.url);
  await send(bus, 1);
  await eventually(() => expect(inbox.numbers()).toEqual([1]));
  good.delete('a token');
  await send(bus, 2);
  const suspended = () =>
    [...bus.listSubscriptions('*').values()].map(({ status }) => status.suspended);
  await eventually(() => expect(suspended()).toEqual(['no a token']));
  good.add('a token');
  await bus.checkSubscriptions();
  await send(bus, 3);
  remove();
  await eventually(() => expect(inbox.numbers()).toContain(3));
  expect(inbox.numbers()).toEqual([1, 2, 3]);
});

test('a token goes to no inbox after its holder left', async () => {
  const { bus } = await openBus();
  const inbox = await openInbox();
  inbox.token = 'second';
  await bus.createSubscription(subscriptionTo(inbox.url), '*');
  const second = await subscribe(bus, inbox.url, 'second');
  await send(bus, 1);
  await eventually(() => expect(inbox.numbers()).toEqual([1, 1]));
  await cancel(bus, second);
  await send(bus, 2);
  await eventually(() => expect(inbox.numbers()).toEqual([1, 1, 2]));
  expect(inbox.received[2]?.headers).not.toHaveProperty('authorization');
});

test('holders and what waits outlive a restart of the server, also when the first one has left', async () => {
  const folder = await openStoreFolder();
  const inbox = await openInbox(503);
  const before = await folder.open();
  const { bus: earlier, time } = await startBus(before);
  const first = await subscribe(earlier, inbox.url);
  // The document as a server without holders wrote it.
  const [{ json } = { json: '' }] = await before.documents('subscriptions');
  expect(JSON.parse(json)).not.toHaveProperty('queue');
  time.ms += 1;
  const second = await subscribe(earlier, inbox.url);
  time.ms += 1;
  const third = await subscribe(earlier, inbox.url);
  await send(earlier, 1);
  await cancel(earlier, first);
  await earlier.stop();
  await before.close();

  inbox.answer = 200;
  const { bus } = await startBus(await folder.open());
  expect(listed(bus)).toEqual([second, third]);
  await eventually(() => expect(inbox.numbers().at(-1)).toBe(1));
  await send(bus, 2);
  await eventually(() => expect(inbox.numbers().at(-1)).toBe(2));
  expect(inbox.numbers().filter((n) => n === 2)).toHaveLength(1);
  await cancel(bus, second);
  expect(await send(bus, 3)).toBe(1);
  await cancel(bus, third);
  expect(await send(bus, 4)).toBe(0);
});

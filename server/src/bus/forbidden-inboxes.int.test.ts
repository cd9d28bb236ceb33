/** Inboxes that the policy of outgoing requests forbids, with a real store and HTTP server. */
import type { SubscriptionId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { OutgoingPolicy, type Resolve } from '../runtime/outgoing-policy.ts';
import { BUS_LIMITS } from './limits.ts';
import {
  createTestBus,
  eventually,
  openInbox,
  openStoreFolder,
  subscriptionTo,
} from './testing.ts';

/** Each time that it is asked, a name has the next address, and the last one from then on. */
function rebinding(...addresses: readonly string[]): Resolve {
  let turn = 0;
  return (_hostname, _options, callback) => {
    const address = addresses[Math.min(turn, addresses.length - 1)] ?? '';
    turn += 1;
    callback(null, [{ address, family: 4 }]);
  };
}

/** Unlike any other time. */
const PROBE_MS = 61_234;

async function busWith(resolve: Resolve, privateNetworks: readonly string[] = []) {
  const store = await (await openStoreFolder()).open();
  const outgoing = new OutgoingPolicy({ privateNetworks, resolve });
  const bus = createTestBus(store, { outgoing, limits: { quarantineProbeMs: PROBE_MS } });
  await bus.start();
  return bus;
}

const summary = (bus: Awaited<ReturnType<typeof busWith>>, id: SubscriptionId) =>
  bus.listSubscriptions('*').get(id)?.status;

test('a name that resolves to another address when it is asked is not asked there', async () => {
  const inbox = await openInbox();
  const { port } = new URL(inbox.url);
  const bus = await busWith(rebinding('1.1.1.1', '127.0.0.1'));
  const id = await bus.createSubscription(subscriptionTo(`http://rebound.example:${port}/`), '*');
  await bus.distribute({ n: 1 }, '*');
  await eventually(() =>
    expect(summary(bus, id)).toMatchObject({
      publicationStatusSummary: { 'not allowed': 1 },
      quarantine: 1,
    }),
  );
  await bus.timers.fire(PROBE_MS);
  await eventually(() =>
    expect(summary(bus, id)).toMatchObject({
      publicationStatusSummary: { 'not allowed': 2 },
    }),
  );
  expect(inbox.received).toEqual([]);
});

test('waiting publications are delivered once the name leads to an allowed address', async () => {
  const inbox = await openInbox();
  const { port } = new URL(inbox.url);
  const bus = await busWith(rebinding('1.1.1.1', '10.0.0.1', '127.0.0.1'), ['127.0.0.1']);
  await bus.createSubscription(subscriptionTo(`http://moved.example:${port}/`), '*');
  await bus.distribute({ n: 1 }, '*');
  await bus.timers.fire(PROBE_MS);
  await eventually(() => expect(inbox.numbers()).toEqual([1]));
});

test('a kept connection to a program of the machine serves nobody else', async () => {
  const inbox = await openInbox();
  const { port } = new URL(inbox.url);
  const local = `http://name.example:${port}/`;
  const bus = await busWith(rebinding('127.0.0.1', '127.0.0.1', '1.1.1.1', '127.0.0.1'));
  const [mine, theirs] = [{ matchKind: 'Mine' }, { matchKind: 'Theirs' }];
  await bus.createSubscription(subscriptionTo(local, mine), '*', { asker: 'machine' });
  await bus.distribute({ kind: 'Mine', n: 1 }, '*');
  await eventually(() => expect(inbox.numbers()).toEqual([1]));
  const id = await bus.createSubscription(subscriptionTo(local, theirs), '*');
  await bus.distribute({ kind: 'Theirs', n: 2 }, '*');
  await eventually(() => expect(summary(bus, id)).toMatchObject({ quarantine: 1 }));
  expect(inbox.numbers()).toEqual([1]);
});

// Bound: Resolving the name of a new inbox.
test('a resolver that does not answer holds up nobody who subscribes', async () => {
  const bus = await busWith(() => undefined);
  const created = bus.createSubscription(subscriptionTo('http://silent.example/'), '*');
  await bus.timers.fire(BUS_LIMITS.resolveMs);
  expect(await created).toEqual(expect.any(String));
});

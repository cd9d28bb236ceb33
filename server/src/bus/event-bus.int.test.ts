/** Subscribers in the process and subscriptions, with a real store. */
import type { RunEvent, Subscription, SubscriptionId } from '@tutti/manifests';
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

type Selector = NonNullable<Subscription['spec']['selector']>;

async function startedBus() {
  const store = await (await openStoreFolder()).open();
  const bus = createTestBus(store);
  await bus.start();
  return { bus, store };
}

const arrived = (inbox: Inbox, count: number): Promise<void> =>
  eventually(() => expect(inbox.received.length).toBeGreaterThanOrEqual(count));

describe('subscribers in the process', () => {
  test('are called in the order of the log, those of a kind before those of all', async () => {
    const { bus } = await startedBus();
    const calls: string[] = [];
    bus.subscribeAll((event, seq) => calls.push(`all ${event.metadata.name} ${seq}`));
    bus.subscribe('Notification', (event) => calls.push(`kind ${event.metadata.name}`));
    bus.subscribe('WorkflowCanceled', () => calls.push('another kind'));
    bus.dispatcher.committed([notification(1), notification(2)], 7);
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
    bus.dispatcher.committed([event], 1);
    expect(calls).toEqual([event]);
  });

  test('are not called once they ended their subscription', async () => {
    const { bus } = await startedBus();
    const calls: unknown[] = [];
    const handler = (event: unknown) => calls.push(event);
    const end = bus.subscribe('Notification', handler);
    bus.subscribe('Notification', handler);
    end();
    bus.dispatcher.committed([notification(1)], 1);
    expect(calls).toHaveLength(1);
  });
});

describe('subscriptions', () => {
  // HTTP 3.2: A subscription is made and cancelled.
  test('that were canceled get nothing more, and nothing of them stays', async () => {
    const { bus, store } = await startedBus();
    const inbox = await openInbox('never');
    const id = await bus.createSubscription(subscriptionTo(inbox.url), '*');
    for (const n of [1, 2]) await bus.distribute({ n }, '*');
    await arrived(inbox, 1);
    await bus.cancelSubscription(id, '*');
    expect(await store.outboxSubscriptions()).toEqual([]);
    expect(await store.documents('subscriptions')).toEqual([]);
    expect(await bus.distribute({ n: 3 }, '*')).toBe(0);
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

  // Bound: Subscriptions.
  test('are bounded in number', async () => {
    const bus = createTestBus(await (await openStoreFolder()).open(), {
      limits: { subscriptions: 1 },
    });
    await bus.start();
    const subscribe = (port: number) =>
      bus.createSubscription(subscriptionTo(`http://127.0.0.1:${port}/inbox`), '*');
    await subscribe(9);
    await expect(subscribe(10)).rejects.toMatchObject({ reason: 'TooManyRequests' });
    // The same once more is no other.
    await subscribe(9);
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

  test('of built-in services are listed under their names, count and are kept', async () => {
    const { bus } = await startedBus();
    bus.registerBuiltIn('arranger', { matchKind: 'Notification' });
    bus.registerBuiltIn('observer');
    bus.dispatcher.committed([notification(1)], 1);
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
          publicationStatusSummary: { '200': 1 },
        },
      },
      {
        metadata: { name: 'observer' },
        status: { publicationCount: 1, publicationStatusSummary: { '200': 1 } },
      },
    ]);
    const [id] = bus.listSubscriptions('*').keys();
    expect(await bus.cancelSubscription(id ?? testIds.random(), '*')).toBe('arranger');
    expect(bus.listSubscriptions('*').size).toBe(2);
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

const COMMAND = { contexts: {}, step: { uses: 'a' }, 'runs-on': ['x'] };

const withLabel = (
  test: { operator: 'Exists' } | { operator: 'In' | 'NotIn'; values: string[] },
): Selector => ({
  matchKind: 'ProviderCommand',
  matchExpressions: [{ key: 'a/c', ...test }],
});

test.each<[kind: string, selector: Selector | undefined, sees: 'all' | 'what may be shown']>([
  ['ExecutionCommand', { matchKind: 'ExecutionCommand' }, 'all'],
  ['ExecutionCommand', undefined, 'what may be shown'],
  ['ExecutionCommand', { matchFields: { kind: 'ExecutionCommand' } }, 'what may be shown'],
  ['ProviderCommand', { matchKind: 'ProviderCommand' }, 'what may be shown'],
  ['ProviderCommand', { matchKind: 'ProviderCommand', matchLabels: { 'a/c': 'x' } }, 'all'],
  ['ProviderCommand', withLabel({ operator: 'In', values: ['w', 'x'] }), 'all'],
  ['ProviderCommand', withLabel({ operator: 'Exists' }), 'all'],
  ['ProviderCommand', withLabel({ operator: 'NotIn', values: ['w'] }), 'what may be shown'],
  ['ExecutionResult', { matchKind: 'ExecutionResult' }, 'what may be shown'],
  ['Workflow', { matchKind: 'Workflow' }, 'what may be shown'],
])('for %s, a subscription with %j gets %s', async (kind, selector, sees) => {
  const { bus } = await startedBus();
  const id = await bus.createSubscription(subscriptionTo('http://127.0.0.1:9/x', selector), '*');
  const like = notification(1);
  const metadata = { ...like.metadata, labels: { 'a/c': 'x' } };
  // The bus looks at nothing else of an event.
  const event = { ...like, ...COMMAND, kind, metadata } as unknown as RunEvent;
  const shown = { event, json: '"what may be shown"' };
  const rows = bus.dispatcher.outboxFor([{ event, json: '"all"', shown }]);
  const [row, ...others] = rows.filter(({ subscriptionIds }) => subscriptionIds.includes(id));
  expect(others).toEqual([]);
  const body = row?.body ?? '';
  expect(body === '"all"' ? 'all' : 'what may be shown').toBe(sees);
});

/** Subscribes to a kind in each of these versions, without version for null. */
async function subscribeToVersions(kind: string, versions: readonly (string | null)[]) {
  const { bus } = await startedBus();
  const ids: SubscriptionId[] = [];
  for (const version of versions) {
    const fields = version === null ? {} : { matchFields: { apiVersion: version } };
    const selector = { matchKind: kind, matchLabels: { 'a/c': 'x' }, ...fields };
    ids.push(await bus.createSubscription(subscriptionTo('http://127.0.0.1:9/x', selector), '*'));
  }
  const like = notification(1);
  const metadata = { ...like.metadata, labels: { 'a/c': 'x' } };
  const apiVersion = 'opentestfactory.org/v1beta1';
  // The bus looks at nothing else of an event.
  const event = { ...like, ...COMMAND, apiVersion, kind, metadata };
  return { bus, ids, event: event as unknown as RunEvent };
}

test('each subscription gets an event in the version that it asked for', async () => {
  const asked = [null, 'v1alpha1', 'v1beta1', 'v1', 'v2'].map((version) =>
    version === null ? null : `opentestfactory.org/${version}`,
  );
  const { bus, ids, event } = await subscribeToVersions('ProviderCommand', asked);
  const shown = { ...event, shown: true } as RunEvent;
  const json = JSON.stringify(event);
  const rows = bus.dispatcher.outboxFor([
    { event, json, shown: { event: shown, json: '"shown"' } },
  ]);
  const versionsAt = ids.map((id) =>
    rows
      .filter(({ subscriptionIds }) => subscriptionIds.includes(id))
      .map(({ body }) => JSON.parse(body)),
  );
  expect(versionsAt.map((bodies) => bodies.map(({ apiVersion }) => apiVersion))).toEqual([
    ['opentestfactory.org/v1beta1'],
    ['opentestfactory.org/v1alpha1'],
    ['opentestfactory.org/v1beta1'],
    ['opentestfactory.org/v1'],
    [],
  ]);
  expect(versionsAt.flat().filter((body) => 'shown' in body)).toEqual([]);
  expect(new Set(rows.map(({ publicationId }) => publicationId)).size).toBe(1);
});

test('a subscription to several versions gets the usual one, or the first that there is', async () => {
  const { bus, event } = await subscribeToVersions('ProviderCommand', []);
  const asked = [
    ['v1', 'v1beta1'],
    ['v2', 'v1', 'v1alpha1'],
    ['v2', 'v3'],
  ];
  const ids: SubscriptionId[] = [];
  for (const versions of asked) {
    const values = versions.map((version) => `opentestfactory.org/${version}`);
    const selector: Selector = {
      matchKind: 'ProviderCommand',
      matchFieldExpressions: [{ key: 'apiVersion', operator: 'In', values }],
    };
    ids.push(await bus.createSubscription(subscriptionTo('http://127.0.0.1:9/x', selector), '*'));
  }
  const json = JSON.stringify(event);
  const rows = bus.dispatcher.outboxFor([{ event, json, shown: { event, json } }]);
  const given = ids.map((id) =>
    JSON.parse(rows.find((row) => row.subscriptionIds.includes(id))?.body ?? '{}'),
  );
  expect(given.map(({ apiVersion }) => apiVersion)).toEqual([
    'opentestfactory.org/v1beta1',
    'opentestfactory.org/v1',
    undefined,
  ]);
});

test('functions that a plugin asks for by an expression are offered', async () => {
  const { bus, event } = await subscribeToVersions('ProviderCommand', []);
  const selector = withLabel({ operator: 'In', values: ['x', 'y'] });
  await bus.createSubscription(subscriptionTo('http://127.0.0.1:9/x', selector), '*');
  expect(bus.hasInboxFor(event, { byLabel: true })).toBe(true);
  expect(bus.labelsWanted(event)).toEqual([{ 'a/c': 'x' }, { 'a/c': 'y' }]);
});

test('a request for any environment is counted as missed by subscriptions to versions that need a tag', async () => {
  const versions = ['v1alpha1', 'v1beta1', 'v1'];
  const asked = versions.map((version) => `opentestfactory.org/${version}`);
  const { bus, ids, event } = await subscribeToVersions('ExecutionCommand', asked);
  const request = { ...event, 'runs-on': [] } as RunEvent;
  const json = JSON.stringify(request);
  const rows = bus.dispatcher.outboxFor([
    { event: request, json, shown: { event: request, json } },
  ]);
  expect(rows.flatMap(({ subscriptionIds }) => subscriptionIds)).toEqual([ids[2]]);
  const listed = bus.listSubscriptions('*');
  const summaries = ids.map((id) => listed.get(id)?.status.publicationStatusSummary);
  expect(summaries).toEqual([{ 'no tag for v1alpha1': 1 }, { 'no tag for v1beta1': 1 }, {}]);
});

test('readers see events as they are published', async () => {
  const { bus } = await startedBus();
  const seen: unknown[] = [];
  bus.tap({ scope: '*', take: (publication, json) => seen.push(publication, JSON.parse(json)) });
  const event = { ...notification(1), spec: { 'tutti.step-ended': true } };
  const json = JSON.stringify(event);
  bus.dispatcher.outboxFor([{ event, json, shown: { event, json } }]);
  bus.dispatcher.committed([event], 1);
  const published = { ...event, spec: { 'tutti.step-ended': 'true' } };
  expect(seen).toEqual([published, published]);
});

test('a request for an environment is brought again to those who carry out commands and answer', async () => {
  const { bus, store } = await startedBus();
  const [answers, fails] = [await openInbox(), await openInbox(503)];
  const inboxes = [
    [answers, { matchKind: 'ExecutionCommand' }],
    [answers, { matchFields: { kind: 'ExecutionCommand' } }],
    [fails, { matchKind: 'ExecutionCommand' }],
  ] as const;
  expect(bus.hasInboxOfKind('ExecutionCommand')).toBe(false);
  for (const [{ url }, selector] of inboxes) {
    await bus.createSubscription(subscriptionTo(url, selector), '*');
  }
  expect(bus.hasInboxOfKind('ExecutionCommand')).toBe(true);
  const event = { ...notification(1), ...COMMAND, kind: 'ExecutionCommand' };
  // The bus looks at nothing else of an event.
  const request = event as unknown as Parameters<typeof bus.askAgain>[0];
  await bus.askAgain(request);
  await arrived(answers, 1);
  await arrived(fails, 1);
  const summaries = () =>
    [...bus.listSubscriptions('*').values()].map(({ status }) => status.publicationStatusSummary);
  await eventually(() => expect(summaries()).toContainEqual({ '503': 1 }));
  await bus.askAgain(request);
  await arrived(answers, 2);
  expect(answers.received.map(({ body }) => body)).toEqual([request, request]);
  await eventually(async () => {
    const ids = await store.outboxSubscriptions();
    const rows = await Promise.all(ids.map((id) => store.outbox(id, 10)));
    expect(rows.flat()).toHaveLength(1);
  });
});

test('a plugin of any generation offers its function', async () => {
  const { bus, event } = await subscribeToVersions('ProviderCommand', ['opentestfactory.org/v1']);
  const { labels, ...metadata } = event.metadata as RunEvent['metadata'] & { labels: object };
  expect(labels).toEqual({ 'a/c': 'x' });
  expect(bus.hasInboxFor(event, { byLabel: true })).toBe(true);
  expect(bus.labelsWanted({ ...event, metadata } as RunEvent)).toEqual([{ 'a/c': 'x' }]);
});

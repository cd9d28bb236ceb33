/** The routes with a real bus, a real store and real inboxes (specification 4.4). */
import {
  OrchestratorError,
  parseWorkflowId,
  type Subscription,
  type WorkflowId,
} from '@tutti/manifests';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Access } from '../../auth/access.ts';
import type { TokenAuthority } from '../../auth/authenticator.ts';
import { HeldTokens } from '../../auth/held-tokens.ts';
import {
  createTestBus,
  eventually,
  notification,
  openInbox,
  openStoreFolder,
  silentLogger,
  subscriptionTo,
  testClock,
  testIds,
} from '../../bus/testing.ts';
import { createApp } from '../../http/app.ts';
import { DOCUMENT_TASK_LIMITS, type DocumentTasks, readHere } from '../../http/document-tasks.ts';
import { createIds, systemClock } from '../../runtime/clock.ts';
import { loadConfig } from '../../runtime/config.ts';
import { eventbusRoutes } from './routes.ts';

const NO_FILES = {
  blobs: { put: async () => ({ size: 0 }), info: async () => null },
  directory: null,
  fileBytesMax: 0,
};

const UNKNOWN = 'aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb';

interface SetUpOptions {
  /** Decides which tokens count; absent, all do. */
  readonly authority?: (access: Access) => TokenAuthority;
  readonly documents?: DocumentTasks;
}

async function setUp(
  namespaces: '*' | readonly string[] = '*',
  { authority, documents = readHere }: SetUpOptions = {},
) {
  const store = await (await openStoreFolder()).open();
  const bus = createTestBus(store);
  await bus.start();
  const scope = namespaces === '*' ? namespaces : new Set(namespaces);
  const access: Access = { subject: 'tester', keyId: 'a key', namespaces: () => scope };
  const tokens = authority?.(access);
  const app = createApp({
    authenticator: tokens ?? { authenticate: async () => access },
    ...(tokens && {
      heldTokens: new HeldTokens({ authority: tokens, clock: testClock, logger: silentLogger }),
    }),
    logger: silentLogger,
    ids: createIds(systemClock),
    config: loadConfig({ env: {} }),
    version: '0.0.0',
  });
  onTestFinished(() => app.close());
  const apiGroup = 'opentestfactory.org';
  const deps = {
    bus,
    store,
    clock: testClock,
    logger: silentLogger,
    apiGroup,
    documents,
  };
  eventbusRoutes({ ...deps, handlerIds: [], files: NO_FILES })(app);
  return { app, bus, store };
}

async function call(app: FastifyInstance, request: InjectOptions) {
  const response = await app.inject(request);
  return { headers: response.headers, code: response.statusCode, body: response.json() };
}

const publish = (app: FastifyInstance, body: object) =>
  call(app, { method: 'POST', url: '/publications', payload: body });

const subscribe = (app: FastifyInstance, manifest: object) =>
  call(app, { method: 'POST', url: '/subscriptions', payload: manifest });

const list = (app: FastifyInstance, query: Record<string, string> = {}) =>
  call(app, { method: 'GET', url: '/subscriptions', query });

describe('POST /publications', () => {
  test('answers whether a subscription matches, and delivers the publication', async () => {
    const { app } = await setUp();
    const inbox = await openInbox();
    await subscribe(app, subscriptionTo(inbox.url, { matchKind: 'Mine' }));
    expect(await publish(app, { kind: 'Mine', n: 1 })).toMatchObject({
      code: 200,
      body: {
        apiVersion: 'v1',
        kind: 'Status',
        metadata: {},
        message: 'Publication received.',
        status: 'Success',
        reason: 'OK',
        code: 200,
        details: null,
      },
    });
    for (const body of [{}, { kind: 'Yours' }, { kind: ['Mine'] }, { metadata: 'none' }]) {
      expect(await publish(app, body)).toMatchObject({
        code: 200,
        body: { message: 'Publication received, but no matching subscription.', details: null },
      });
    }
    await eventually(() => expect(inbox.numbers()).toEqual([1]));
  });

  test('delivers nothing to inboxes whose token ended while the publication waited', async () => {
    const [waits, isRevoked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let refusal: OrchestratorError | null = null;
    const authority = (access: Access): TokenAuthority => ({
      authenticate: async () => {
        if (refusal !== null) throw refusal;
        return access;
      },
      trust: async () => access,
      validityOf: () => ({ expiresAtMs: Infinity, checkAgainAtMs: Infinity }),
    });
    const documents: DocumentTasks = {
      ...readHere,
      run: async (task, input, asker) => {
        waits.resolve();
        await isRevoked.promise;
        return readHere.run(task, input, asker);
      },
    };
    const { app, bus } = await setUp('*', { authority, documents });
    const inbox = await openInbox();
    await bus.createSubscription(subscriptionTo(inbox.url), '*');
    const headers = { authorization: 'Bearer word', 'content-type': 'application/json' };
    const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/publications`;
    const body = JSON.stringify({ n: 1, text: ' '.repeat(DOCUMENT_TASK_LIMITS.jsonBytesHere) });
    const answer = fetch(url, { method: 'POST', headers, body });
    await waits.promise;
    refusal = new OrchestratorError('Unauthorized', 'The token was revoked.');
    isRevoked.resolve();
    expect((await answer).status).toBe(401);
    await bus.distribute({ n: 2 }, '*');
    await eventually(() => expect(inbox.numbers()).toEqual([2]));
  });

  test.each(['[]', '"text"', '7', 'null', 'tru', ''])('refuses %j as a body', async (payload) => {
    const { app } = await setUp();
    const headers = { 'content-type': 'application/json' };
    const answer = await call(app, { method: 'POST', url: '/publications', payload, headers });
    expect(answer).toMatchObject({
      code: 400,
      body: {
        reason: 'BadRequest',
        message: expect.stringMatching(/^Not a valid JSON document: /),
      },
    });
  });

  test('gives an event to the run that it is about', async () => {
    const { app, bus, store } = await setUp();
    const workflowId = testIds.random<WorkflowId>();
    await bus.publish(notification(1, workflowId));
    const event = { ...notification(2, workflowId), spec: { logs: ['hello'] } };
    expect(await publish(app, event)).toMatchObject({ body: { message: 'Publication received.' } });
    const log = await store.events(workflowId, 2, 10);
    expect(log?.items.map((item) => JSON.parse(item))).toMatchObject([
      { kind: 'Notification', n: 2, spec: { logs: ['hello'] } },
    ]);
  });

  // HTTP 4.5: GET of the status: all events about the workflow, also of kinds that only plugins know.
  test('4.5: gives an event of another kind to the run that it is about, and to each inbox once', async () => {
    const { app, bus, store } = await setUp();
    const inbox = await openInbox();
    const workflowId = testIds.random<WorkflowId>();
    await bus.publish(notification(1, workflowId));
    await subscribe(app, subscriptionTo(inbox.url, { matchKind: 'Mine' }));
    const metadata = {
      workflow_id: workflowId.toUpperCase(),
      namespace: 'default',
      labels: { team: 'red' },
      'tutti.masks': ['1'],
    };
    const event = { apiVersion: 7, kind: 'Mine', metadata, n: 1, status: { any: [1] } };
    expect(await publish(app, event)).toMatchObject({ body: { message: 'Publication received.' } });
    const kept = {
      kind: 'Mine',
      metadata: {
        name: 'Mine',
        workflow_id: workflowId,
        namespace: 'default',
        creationTimestamp: testClock.timestamp(),
        'tutti.actor': { subject: 'tester', key: 'a key' },
        labels: { team: 'red' },
      },
      n: 1,
      status: { any: [1] },
    };
    const log = await store.events(workflowId, 2, 10);
    expect(log?.items.map((item) => JSON.parse(item))).toEqual([kept]);
    await eventually(() => expect(inbox.received).toMatchObject([{ body: kept }]));
  });

  test.each<[string, object]>([
    ['of an unknown run', { metadata: { name: 'n', workflow_id: UNKNOWN }, spec: {} }],
    ['that does not fit its kind', { metadata: { name: 'n', workflow_id: 'RUN' } }],
    [
      'of a kind that only the server makes',
      { kind: 'WorkflowCompleted', metadata: { name: 'n', workflow_id: 'RUN' } },
    ],
    ['of a kind that is too long', { kind: 'O'.repeat(257), metadata: { workflow_id: 'RUN' } }],
    ['without a kind', { kind: '', metadata: { name: 'n', workflow_id: 'RUN' } }],
    // HTTP 6: An event of kind Workflow that is none starts nothing.
  ])('gives an event %s to subscribers alone', async (_, event) => {
    const { app, bus, store } = await setUp();
    const inbox = await openInbox();
    const workflowId = testIds.random<WorkflowId>();
    await bus.publish(notification(1, workflowId));
    await subscribe(app, subscriptionTo(inbox.url));
    const body = JSON.parse(
      JSON.stringify({ apiVersion: 'v1', kind: 'Notification', ...event }).replace(
        'RUN',
        workflowId,
      ),
    );
    expect(await publish(app, body)).toMatchObject({ body: { message: 'Publication received.' } });
    await eventually(() => expect(inbox.received).toMatchObject([{ body }]));
    expect(await store.events(workflowId, 1, 10)).toMatchObject({ total: 1 });
  });

  test('gives an event that the run refuses to subscribers alone', async () => {
    const { app, bus } = await setUp();
    const inbox = await openInbox();
    const workflowId = testIds.random<WorkflowId>();
    await bus.publish(notification(1, workflowId));
    bus.gate.submit = async () => ({ outcome: 'refused', why: 'The run is over.' });
    await subscribe(app, subscriptionTo(inbox.url));
    const event = notification(2, workflowId);
    expect(await publish(app, event)).toMatchObject({ code: 200 });
    await eventually(() => expect(inbox.received).toMatchObject([{ body: event }]));
  });

  test('refuses events of namespaces that the bearer does not reach', async () => {
    const { app, bus } = await setUp(['mine']);
    const workflowId = testIds.random<WorkflowId>();
    await bus.publish(notification(1, workflowId, 'theirs'));
    const forbidden = {
      code: 403,
      body: { message: 'User tester is not authorized to create publications.' },
    };
    const ofTheirRun = notification(2, workflowId, 'mine');
    for (const kind of ['Notification', 'Custom']) {
      expect(await publish(app, { ...ofTheirRun, kind })).toMatchObject(forbidden);
    }
    expect(await publish(app, { metadata: { namespace: 'theirs' } })).toMatchObject(forbidden);
    expect(await publish(app, { metadata: { namespace: 'mine' } })).toMatchObject({ code: 200 });
  });
});

describe('POST /subscriptions', () => {
  test('registers a subscription', async () => {
    const { app } = await setUp();
    const { code, body } = await subscribe(app, subscriptionTo('http://127.0.0.1:9/inbox'));
    const id = parseWorkflowId(body.details.uuid);
    expect({ code, body }).toMatchObject({
      code: 201,
      body: {
        reason: 'Created',
        message: `Subscription 'listener' successfully registered (id=${id}).`,
        details: { uuid: id },
      },
    });
  });

  // HTTP 2.4: Keys of fields and of labels have their forms, values are texts.
  test('takes a field with an empty name, which no event has', async () => {
    const { app } = await setUp();
    const matchFields = { 'metadata..n': '1' };
    const inbox = subscriptionTo('http://127.0.0.1:9/inbox', { matchFields });
    expect(await subscribe(app, inbox)).toMatchObject({ code: 201 });
    for (const event of [{ metadata: { n: 1 } }, { metadata: { '': { n: 1 } } }]) {
      expect(await publish(app, event)).toMatchObject({
        body: { message: 'Publication received, but no matching subscription.' },
      });
    }
  });

  const valid = subscriptionTo('http://127.0.0.1:9/inbox');
  const withSelector = (selector: object) => ({ ...valid, spec: { ...valid.spec, selector } });
  test.each<[string, unknown, string]>([
    ['no subscriber', { ...valid, spec: {} }, 'subscriber'],
    ['an unknown entry in spec', { ...valid, spec: { ...valid.spec, queues: {} } }, 'queues'],
    ['no name', { ...valid, metadata: {} }, 'name'],
    ['another kind', { ...valid, kind: 'Workflow' }, 'kind'],
    ['an empty selector', { ...valid, spec: { ...valid.spec, selector: {} } }, 'selector'],
    ['an unknown selector', withSelector({ matchAll: {} }), 'matchAll'],
    ['no expression', withSelector({ matchExpressions: [] }), 'matchExpressions'],
    [
      'too many expressions',
      withSelector({ matchExpressions: Array(65).fill({ key: 'a', operator: 'Exists' }) }),
      'matchExpressions',
    ],
    [
      'an operator that labels do not have',
      withSelector({ matchExpressions: [{ key: 'a', operator: 'ContainsAll', values: ['b'] }] }),
      'operator',
    ],
    [
      'an expression without values',
      withSelector({ matchFieldExpressions: [{ key: 'a', operator: 'In' }] }),
      'The operator In of "a" needs values.',
    ],
    [
      'an expression with too many values',
      withSelector({
        matchFieldExpressions: [{ key: 'a', operator: 'In', values: Array(65).fill('b') }],
      }),
      'values',
    ],
    [
      'a field of an expression that is none',
      withSelector({ matchFieldExpressions: [{ key: 'a b', operator: 'Exists' }] }),
      'a b',
    ],
    [
      'a field that is none',
      { ...valid, spec: { ...valid.spec, selector: { matchFields: { '.a': 'c' } } } },
      '.a',
    ],
    ['an address of another protocol', subscriptionTo('ftp://h/inbox'), 'ftp://h/inbox'],
    ['a list', [], 'object'],
  ])('refuses a manifest with %s', async (_, manifest, piece) => {
    const { app } = await setUp();
    expect(await subscribe(app, Object(manifest))).toMatchObject({
      code: 422,
      body: {
        reason: 'Invalid',
        message: 'Not a valid Subscription manifest.',
        details: { error: expect.stringContaining(piece) },
      },
    });
  });

  // HTTP 4.4: POST /subscriptions: 400 for what is no JSON.
  test('refuses what is no JSON', async () => {
    const { app } = await setUp();
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', url: '/subscriptions', payload: '{', headers } as const;
    expect(await call(app, request)).toMatchObject({ code: 400, body: { reason: 'BadRequest' } });
  });
});

describe('GET /subscriptions', () => {
  const manifest: Subscription = {
    ...subscriptionTo('https://inbox.example/inbox', {
      matchKind: 'ProviderCommand',
      matchFields: { apiVersion: 'opentestfactory.org/v1beta1' },
      matchLabels: { 'opentestfactory.org/category': 'checkout' },
    }),
  };

  // HTTP 2.4: A listing has the selectors as two annotations, empty where there is none.
  // HTTP 2.4: A listing has time, id, and what was delivered; `quarantine` while deliveries fail.
  test('shows each subscription with its selectors and what was delivered', async () => {
    const { app } = await setUp();
    const { body } = await subscribe(app, manifest);
    const id = body.details.uuid;
    expect(await list(app)).toMatchObject({
      code: 200,
      body: {
        apiVersion: 'v1',
        kind: 'SubscriptionList',
        items: {
          [id]: {
            apiVersion: 'opentestfactory.org/v1alpha1',
            kind: 'Subscription',
            metadata: {
              name: 'listener',
              annotations: {
                'opentestfactory.org/fieldselector':
                  'kind==ProviderCommand,apiVersion==opentestfactory.org/v1beta1',
                'opentestfactory.org/labelselector': 'opentestfactory.org/category==checkout',
              },
              creationTimestamp: '2026-01-31T12:34:56.789000',
              subscription_id: id,
            },
            spec: manifest.spec,
            status: {
              lastPublicationTimestamp: null,
              publicationCount: 0,
              publicationStatusSummary: {},
            },
          },
        },
      },
    });
  });

  test('shows expressions as they came, and as selectors', async () => {
    const { app } = await setUp();
    const selector = {
      matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['red', 'blue'] }],
      matchFieldExpressions: [
        { key: 'metadata.name', operator: 'Exists' },
        { key: 'runs-on', operator: 'ContainsAll', values: ['linux'] },
      ],
    };
    const { subscriber } = manifest.spec;
    await subscribe(app, { ...manifest, spec: { selector, subscriber } });
    const { body } = await list(app);
    expect(valuesOf(body, 'spec')).toEqual([{ selector, subscriber }]);
    expect(valuesOf(body, 'annotations')).toEqual([
      {
        'opentestfactory.org/fieldselector': 'metadata.name,(linux) in runs-on',
        'opentestfactory.org/labelselector': 'team notin (red, blue)',
      },
    ]);
  });

  // HTTP 2.4: A listing has the selectors as two annotations, empty where there is none.
  test('keeps annotations of whoever subscribed beside its own, which win', async () => {
    const { app } = await setUp();
    const annotations = {
      'example.org/team': 'red',
      'opentestfactory.org/fieldselector': 'not this one',
      count: 1,
    };
    await subscribe(app, { ...manifest, metadata: { name: 'listener', annotations } });
    const [listed] = valuesOf((await list(app)).body, 'annotations');
    expect(listed).toEqual({
      'example.org/team': 'red',
      'opentestfactory.org/fieldselector':
        'kind==ProviderCommand,apiVersion==opentestfactory.org/v1beta1',
      'opentestfactory.org/labelselector': 'opentestfactory.org/category==checkout',
    });
  });

  // HTTP 4.4: Its message says whether a subscription matches.
  test('of a built-in service counts events of runs, which it takes with 200, and no other publication', async () => {
    const { app, bus } = await setUp();
    bus.registerBuiltIn('observer');
    const workflowId = testIds.random<WorkflowId>();
    await bus.publish(notification(1, workflowId));
    expect(await publish(app, notification(2, workflowId))).toMatchObject({
      body: { message: 'Publication received.' },
    });
    expect(await publish(app, { kind: 'Other' })).toMatchObject({
      body: { message: 'Publication received, but no matching subscription.' },
    });
    const [status] = valuesOf((await list(app)).body, 'status');
    expect(status).toMatchObject({
      publicationCount: 2,
      publicationStatusSummary: { '200': 2 },
    });
  });

  test('has no list of scalars except of expressions, and no name that is no text', async () => {
    const { app, bus } = await setUp();
    bus.registerBuiltIn('arranger');
    const metadata = {
      name: 'listener',
      name2: 1,
      list: ['a'],
      labels: { team: 'x', name: 7, list: [1] },
      annotations: { list: [1] },
    };
    await subscribe(app, { ...manifest, metadata, extra: [1] });
    const { body } = await list(app);
    expect(listsOfScalars(body)).toEqual([]);
    expect(valuesOf(body, 'name').every((value) => typeof value === 'string')).toBe(true);
    expect(valuesOf(body, 'name')).toContain('arranger');
  });

  test.each<[Record<string, string>, readonly string[]]>([
    [{}, ['arranger', 'listener']],
    [{ fieldSelector: 'metadata.name==listener' }, ['listener']],
    [{ fieldSelector: 'spec.selector.matchKind' }, ['listener']],
    [
      { fieldSelector: 'spec.selector.matchLabels[opentestfactory.org/category]==checkout' },
      ['listener'],
    ],
    [{ fieldSelector: 'metadata.name!=listener' }, ['arranger']],
    [{ labelSelector: 'team==x' }, ['listener']],
    [{ labelSelector: 'team==x', fieldSelector: 'metadata.name==arranger' }, []],
    // HTTP 4.4: GET /subscriptions: a list, with selectors.
  ])('selected by %j gives %j', async (query, expected) => {
    const { app, bus } = await setUp();
    bus.registerBuiltIn('arranger');
    await subscribe(app, { ...manifest, metadata: { name: 'listener', labels: { team: 'x' } } });
    const { body, headers } = await list(app, query);
    expect(valuesOf(body, 'name')).toEqual(expected);
    expect(headers['x-processed-query']?.toString().split(',').sort() ?? []).toEqual(
      Object.keys(query).sort(),
    );
  });

  test.each([{ fieldSelector: '[apiVersion]' }, { labelSelector: 'a b' }])(
    // HTTP 4.4: GET /subscriptions: a list, with selectors.
    'refuses %j',
    async (query) => {
      const { app } = await setUp();
      expect(await list(app, query)).toMatchObject({ code: 422, body: { reason: 'Invalid' } });
    },
  );
});

describe('DELETE /subscriptions/{subscription_id}', () => {
  const remove = (app: FastifyInstance, id: string) =>
    call(app, { method: 'DELETE', url: `/subscriptions/${id}` });

  // HTTP 4.4: DELETE of a subscription: 200 and message.
  test('cancels a subscription', async () => {
    const { app } = await setUp();
    const id = (await subscribe(app, subscriptionTo('http://127.0.0.1:9/inbox'))).body.details.uuid;
    expect(await remove(app, id.toUpperCase())).toMatchObject({
      code: 200,
      body: { reason: 'OK', message: `Subscription ${id} canceled.`, details: null },
    });
    expect((await list(app)).body.items).toEqual({});
    expect(await remove(app, id)).toMatchObject({
      code: 404,
      body: { reason: 'NotFound', message: `Subscription ${id} not known.`, details: null },
    });
  });

  // HTTP 4.4: DELETE of a subscription: 404 if unknown.
  // HTTP 7: Messages for what is unknown: agents, subscriptions, workflows.
  test.each([UNKNOWN, 'no-id'])('does not know %s', async (id) => {
    const { app } = await setUp();
    expect(await remove(app, id)).toMatchObject({
      code: 404,
      body: { reason: 'NotFound', message: `Subscription ${id} not known.`, details: null },
    });
  });

  // HTTP 4.4: DELETE of a subscription: 403 for what is not the bearer's; those of built-in services are kept.
  test('of a built-in service keeps it, and is no error to clients that cancel all', async () => {
    const { app, bus } = await setUp();
    bus.registerBuiltIn('arranger');
    const [id = UNKNOWN] = bus.listSubscriptions('*').keys();
    expect(await remove(app, id)).toMatchObject({
      code: 200,
      body: {
        reason: 'OK',
        message: `Subscription ${id} belongs to the built-in service arranger and is kept.`,
        details: null,
      },
    });
    expect((await list(app)).body.items).toHaveProperty(id);
  });
});

function listsOfScalars(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.values(value);
  const isBad = Array.isArray(value) && inside.some((item) => typeof item !== 'object');
  return isBad ? [value] : inside.flatMap(listsOfScalars);
}

function valuesOf(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) =>
    name === key ? [item] : valuesOf(item, key),
  );
}

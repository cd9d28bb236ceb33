/** Agents and subscriptions as they register (specification 2.2, 2.4, 4.3, 4.4 and 7), from outside. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, detailsOf, itemsOf, type Loose } from '../support/api.ts';
import { expectStatus } from '../support/expect-status.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const JSON_TYPE = { 'content-type': 'application/json' };

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

const registration = (spec: Loose, more: Loose = {}) => ({
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'AgentRegistration',
  metadata: { name: 'one', namespaces: 'default', version: '2.0' },
  spec: { encoding: 'utf-8', script_path: '/tmp', ...spec },
  ...more,
});

const subscription = (spec: Loose, more: Loose = {}) => ({
  apiVersion: 'opentestfactory.org/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'one' },
  spec,
  ...more,
});

const subscriber = { endpoint: 'http://127.0.0.1:9/inbox' };

describe('4.3: POST /agents', () => {
  // HTTP 3.2: A registration gives an id.
  // HTTP 4.3: POST /agents: 201, a message with name, id and tags, id and version.
  // HTTP 4.3: DELETE of an agent: 200 and message; 404 if unknown.
  // HTTP 9: An agent tells its version, and is told that of the server.
  test('answers id and version, and says name, id and tags', async () => {
    const answer = await server.call('POST', '/agents', {
      body: registration({ tags: ['a', 'b'] }),
    });
    expectStatus(answer);
    const { uuid, version, ...others } = detailsOf(answer);
    expect(others).toEqual({});
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(bodyOf(answer)).toMatchObject({ code: 201, reason: 'Created' });
    for (const said of ['one', String(uuid), 'a', 'b']) {
      expect(bodyOf(answer).message).toContain(said);
    }
    const removed = await server.call('DELETE', `/agents/${uuid}`);
    expectStatus(removed);
    expect(bodyOf(removed)).toMatchObject({
      code: 200,
      message: `Agent ${uuid} de-registered.`,
      details: null,
    });
  });

  test.each(['force', 'force=true', 'force=false', 'force=maybe', 'force=true&force=false'])(
    // HTTP 3.2: An agent that goes takes the workflow of its job with it. With `force` it goes in any state.
    'with ?%s is de-registered',
    async (query) => {
      const { uuid } = detailsOf(
        await server.call('POST', '/agents', { body: registration({ tags: ['a'] }) }),
      );
      const removed = await server.call('DELETE', `/agents/${uuid}`, { query });
      expect(bodyOf(removed)).toMatchObject({ code: 200, message: `Agent ${uuid} de-registered.` });
    },
  );

  test.each<[string, unknown]>([
    ['no tags', registration({ tags: [] })],
    ['absent tags', registration({})],
    ['a tag with a blank', registration({ tags: ['a b'] })],
    ['a tag that begins with a digit', registration({ tags: ['1a'] })],
    ['a tag that is no text', registration({ tags: [1] })],
    ['no name', registration({ tags: ['a'] }, { metadata: {} })],
    ['another kind', registration({ tags: ['a'] }, { kind: 'Agent' })],
    ['another version', registration({ tags: ['a'] }, { apiVersion: 'opentestfactory.org/v1' })],
    ['another group', registration({ tags: ['a'] }, { apiVersion: 'example.com/v1alpha1' })],
    ['no group', registration({ tags: ['a'] }, { apiVersion: 'v1alpha1' })],
    ['two systems', registration({ tags: ['linux', 'windows'] })],
    [
      'an empty name among its namespaces',
      registration({ tags: ['a'] }, { metadata: { name: 'one', namespaces: 'a,,b' } }),
    ],
    ['no spec', { ...registration({}), spec: undefined }],
    ['nothing', {}],
    // HTTP 2.2: Version and kind of an AgentRegistration.
    // HTTP 2.2: Tags: at least one, each of the given form.
    // HTTP 4.3: POST /agents: 422 with a text of what is wrong.
    // HTTP 7: Messages for wrong manifests of agents and subscriptions.
    // HTTP 8: Tags of an agent: at least one.
  ])('with %s is Invalid', async (_name, body) => {
    const answer = await server.call('POST', '/agents', { body });
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'Not a valid AgentRegistration manifest.',
      details: { error: expect.stringMatching(/./) },
    });
  });

  test.each([
    ['*', '*'],
    ['default', 'default'],
    [' team-a, team-b ', 'team-a,team-b'],
    ['', 'default'],
    // HTTP 2.2: `namespaces` is `*`, one name, or names with commas.
  ])('with the namespaces %j is listed with %j', async (namespaces, listed) => {
    const body = registration({ tags: ['a'] }, { metadata: { name: 'spaced', namespaces } });
    const { uuid } = detailsOf(await server.call('POST', '/agents', { body }));
    const query = 'fieldSelector=metadata.name==spaced';
    const { items } = bodyOf(await server.call('GET', '/agents', { query }));
    expect(items).toMatchObject([{ metadata: { namespaces: listed } }]);
    await server.call('DELETE', `/agents/${uuid}`);
  });

  test.each([
    ['', 400],
    ['{', 400],
    ['[]', 422],
    ['"x"', 422],
    // HTTP 4.3: POST /agents: 400 for what is malformed.
  ])('with the body %j is %i', async (body, code) => {
    const answer = await server.call('POST', '/agents', { body, headers: JSON_TYPE });
    expectStatus(answer);
    expect(answer.code).toBe(code);
  });
});

describe('4.3: PATCH /agents', () => {
  // HTTP 4.3: PATCH /agents: 200, fixed message, no details.
  test('refreshes known agents and passes over unknown ones', async () => {
    const { uuid } = detailsOf(
      await server.call('POST', '/agents', { body: registration({ tags: ['a'] }) }),
    );
    const body = { [String(uuid)]: {}, [UNKNOWN]: { any: 'thing' } };
    const answer = await server.call('PATCH', '/agents', { body });
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({
      code: 200,
      message: 'Agents status refreshed.',
      details: null,
    });
    await server.call('DELETE', `/agents/${uuid}`);
  });

  test.each([
    '',
    '{',
    '[]',
    '1',
    '{"a":',
    '{"no id": {}}',
    `{"${UNKNOWN}": 1}`,
    `{"${UNKNOWN}": []}`,
    // HTTP 4.3: PATCH /agents: 400 for another body.
  ])('with the body %j is a bad request', async (body) => {
    const answer = await server.call('PATCH', '/agents', { body, headers: JSON_TYPE });
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: expect.stringMatching(/^Not a valid JSON document/),
    });
  });
});

describe('4.4: POST /subscriptions', () => {
  test.each<[string, Loose]>([
    ['no selector', { subscriber }],
    ['a kind', { subscriber, selector: { matchKind: 'Workflow' } }],
    [
      'fields',
      { subscriber, selector: { matchFields: { apiVersion: 'a', 'metadata.name': 'b' } } },
    ],
    ['labels', { subscriber, selector: { matchLabels: { 'a.b/c-d_e': 'x', plain: 'y' } } }],
    [
      'an inbox without verification',
      { subscriber: { ...subscriber, 'insecure-skip-tls-verify': true } },
    ],
    // HTTP 2.4: Keys of fields and of labels have their forms, values are texts.
    // HTTP 4.4: POST /subscriptions: 201, message with name and id, id.
  ])('with %s subscribes', async (_name, spec) => {
    const answer = await server.call('POST', '/subscriptions', { body: subscription(spec) });
    expectStatus(answer);
    const { uuid } = detailsOf(answer);
    expect(bodyOf(answer)).toMatchObject({
      code: 201,
      message: `Subscription 'one' successfully registered (id=${uuid}).`,
    });
    const listing = bodyOf(await server.call('GET', '/subscriptions'));
    expect(listing.items).toMatchObject({ [String(uuid)]: { spec } });
    await server.call('DELETE', `/subscriptions/${uuid}`);
  });

  // HTTP 2.4: Version and kind of a Subscription.
  test.each(['v1alpha1', 'v1'])('takes the version %s', async (version) => {
    const apiVersion = `opentestfactory.org/${version}`;
    const body = subscription({ subscriber }, { apiVersion });
    const { uuid } = detailsOf(await server.call('POST', '/subscriptions', { body }));
    const listing = bodyOf(await server.call('GET', '/subscriptions'));
    const listed = { apiVersion: 'opentestfactory.org/v1alpha1' };
    expect(listing.items).toMatchObject({ [String(uuid)]: listed });
    await server.call('DELETE', `/subscriptions/${uuid}`);
  });

  test.each<[string, unknown]>([
    ['no subscriber', subscription({ selector: { matchKind: 'x' } })],
    ['no endpoint', subscription({ subscriber: {} })],
    ['another property of spec', subscription({ subscriber, other: 1 })],
    ['another property of subscriber', subscription({ subscriber: { ...subscriber, other: 1 } })],
    ['an empty selector', subscription({ subscriber, selector: {} })],
    ['another property of selector', subscription({ subscriber, selector: { matchAll: 'x' } })],
    ['no fields', subscription({ subscriber, selector: { matchFields: {} } })],
    [
      'a field with a capital',
      subscription({ subscriber, selector: { matchFields: { Kind: 'x' } } }),
    ],
    [
      'a field that is a number',
      subscription({ subscriber, selector: { matchFields: { kind: 1 } } }),
    ],
    ['no labels', subscription({ subscriber, selector: { matchLabels: {} } })],
    [
      'a label with a blank',
      subscription({ subscriber, selector: { matchLabels: { 'a b': 'x' } } }),
    ],
    ['no name', subscription({ subscriber }, { metadata: {} })],
    ['another kind', subscription({ subscriber }, { kind: 'Other' })],
    ['another version', subscription({ subscriber }, { apiVersion: 'opentestfactory.org/v2' })],
    ['another group', subscription({ subscriber }, { apiVersion: 'example.com/v1alpha1' })],
    ['no group', subscription({ subscriber }, { apiVersion: 'v1' })],
    ['no version', subscription({ subscriber }, { apiVersion: undefined })],
    ['nothing', {}],
    // HTTP 2.4: Version and kind of a Subscription.
    // HTTP 2.4: A selector has at least one of its three properties, and no other but expressions, which toolkits send.
    // HTTP 2.4: Keys of fields and of labels have their forms, values are texts.
    // HTTP 2.4: A subscriber has an endpoint, may turn verification off, and has nothing else.
    // HTTP 4.4: POST /subscriptions: 422 with a text of what is wrong.
    // HTTP 7: Messages for wrong manifests of agents and subscriptions.
  ])('with %s is Invalid', async (_name, body) => {
    const answer = await server.call('POST', '/subscriptions', { body });
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'Not a valid Subscription manifest.',
      details: { error: expect.stringMatching(/./) },
    });
  });
});

describe('4.4: POST /publications', () => {
  test.each([
    ['', 400],
    ['[]', 400],
    ['null', 400],
    ['"x"', 400],
    ['{', 400],
    ['{}', 200],
    ['{"any": ["thing"]}', 200],
    // HTTP 4.4: POST /publications takes any JSON object, also an empty one.
    // HTTP 4.4: POST /publications: 400 for what is no object.
  ])('of %j is %i', async (body, code) => {
    const answer = await server.call('POST', '/publications', { body, headers: JSON_TYPE });
    expectStatus(answer);
    expect(answer.code).toBe(code);
    if (code === 200) {
      const message = 'Publication received, but no matching subscription.';
      expect(bodyOf(answer)).toMatchObject({ message, details: null });
    }
  });

  // HTTP 4.4: Its message says whether a subscription matches.
  test('says when a subscription matches', async () => {
    const spec = { subscriber, selector: { matchKind: 'Own', matchLabels: { 'a/b': 'c' } } };
    const { uuid } = detailsOf(
      await server.call('POST', '/subscriptions', { body: subscription(spec) }),
    );
    const publish = async (labels: Loose) =>
      bodyOf(
        await server.call('POST', '/publications', { body: { kind: 'Own', metadata: { labels } } }),
      ).message;
    expect(await publish({ 'a/b': 'c', d: 'e' })).toBe('Publication received.');
    expect(await publish({ 'a/b': 'other' })).toBe(
      'Publication received, but no matching subscription.',
    );
    await server.call('DELETE', `/subscriptions/${uuid}`);
  });
});

describe('4.5: GET /namespaces', () => {
  const resources =
    'agents channelhandlers channels providers qualitygates status subscriptions workflows';
  // HTTP 4.5: GET /namespaces: every resource with every verb.
  test.each(resources.split(' '))('knows the resource %s with every verb', async (resource) => {
    for (const verb of ['list', 'get', 'create', 'delete']) {
      const query = `resource=${resource}&verb=${verb}`;
      const answer = await server.call('GET', '/namespaces', { query });
      expectStatus(answer);
      expect(bodyOf(answer).message).toBe('Accessible namespaces');
      expect(itemsOf(answer), query).toEqual(['*']);
    }
  });

  test.each([
    ['resource=workflows', /^resource and verb must be both provided or not provided at all\.$/],
    ['resource=others', /^resource and verb must be both provided or not provided at all\.$/],
    ['resource=&verb=get', /^resource and verb must be both provided or not provided at all\.$/],
    ['verb=get', /^resource and verb must be both provided or not provided at all\.$/],
    ['resource=others&verb=get', /resource/],
    ['resource=workflows&verb=patch', /verb/],
    // HTTP 4.5: GET /namespaces: one without the other is Invalid, whatever its value, as are other values.
  ])('?%s is Invalid', async (query, message) => {
    const answer = await server.call('GET', '/namespaces', { query });
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 422, reason: 'Invalid', details: null });
    expect(bodyOf(answer).message).toMatch(message);
  });
});

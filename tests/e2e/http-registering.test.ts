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
  ])('with the body %j is %i', async (body, code) => {
    const answer = await server.call('POST', '/agents', { body, headers: JSON_TYPE });
    expectStatus(answer);
    expect(answer.code).toBe(code);
  });
});

describe('4.3: PATCH /agents', () => {
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
  ])('of %j is %i', async (body, code) => {
    const answer = await server.call('POST', '/publications', { body, headers: JSON_TYPE });
    expectStatus(answer);
    expect(answer.code).toBe(code);
    if (code === 200) {
      const message = 'Publication received, but no matching subscription.';
      expect(bodyOf(answer)).toMatchObject({ message, details: null });
    }
  });

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
  ])('?%s is Invalid', async (query, message) => {
    const answer = await server.call('GET', '/namespaces', { query });
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 422, reason: 'Invalid', details: null });
    expect(bodyOf(answer).message).toMatch(message);
  });
});

/** Rules for every endpoint (specification 2.1, 4.1, 5 and 7), from outside. */
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyOf, detailsOf, itemsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { ended, oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const JSON_TYPE = { 'content-type': 'application/json' };
const STATUS_FIELDS = 'apiVersion code details kind message metadata reason status'.split(' ');

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

/** The answer of a connection to raw bytes, until the server closes it. */
function exchange(bytes: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    connect(Number(port), hostname)
      .setEncoding('utf8')
      .on('data', (text: string) => {
        answer += text;
      })
      .on('close', () => resolve(answer))
      .on('error', reject)
      .write(bytes);
  });
}

test.each<[string, number, string, string, string, string | undefined]>([
  ['an unknown path', 404, 'NotFound', 'GET', '/nowhere', undefined],
  ['an unknown path with a body', 404, 'NotFound', 'POST', '/nowhere', '{'],
  ['another method', 405, 'MethodNotAllowed', 'PUT', '/workflows', '{'],
  ['a bad percent encoding', 400, 'BadRequest', 'GET', '/workflows/%zz/status', undefined],
  ['a NUL in a path', 404, 'NotFound', 'GET', '/workflows/%00/status', undefined],
  ['a path that climbs', 404, 'NotFound', 'GET', `/agents/${UNKNOWN}/%2e%2e/%2e%2e/x`, undefined],
  ['malformed JSON', 400, 'BadRequest', 'POST', '/publications', '{"a":'],
  ['JSON that is no object', 400, 'BadRequest', 'POST', '/publications', '[]'],
  ['an empty body', 400, 'BadRequest', 'POST', '/publications', ''],
  ['a key that reaches a prototype', 400, 'BadRequest', 'POST', '/agents', '{"__proto__":{}}'],
  ['an unknown agent', 404, 'NotFound', 'GET', `/agents/${UNKNOWN}`, undefined],
  ['an unknown workflow', 404, 'NotFound', 'GET', `/workflows/${UNKNOWN}/status`, undefined],
  ['an id of a wrong form', 422, 'Invalid', 'DELETE', '/workflows/nope', undefined],
])(
  // HTTP 2.1: `status` and `reason` follow from the code.
  // HTTP 7: Errors are Status manifests with a message, and perhaps with a text in the details.
  '2.1, 7: %s is answered with a Status manifest',
  async (_name, code, reason, method, path, body) => {
    const answer = await server.call(method, path, {
      ...(body === undefined ? {} : { body, headers: JSON_TYPE }),
    });
    expect(Object.keys(bodyOf(answer)).sort()).toEqual(STATUS_FIELDS);
    expect(bodyOf(answer)).toMatchObject({
      apiVersion: 'v1',
      kind: 'Status',
      metadata: {},
      status: 'Failure',
      reason,
      code,
      details: null,
    });
    expect(answer.code).toBe(code);
  },
);

/** Each endpoint with an id in its path, what else it needs, and its answer to an invalid id. */
const ID = 'nope';
const NO_WORKFLOW = `Workflow ${ID} not found.`;
const NO_AGENT = `Agent ${ID} not known.`;
test.each<[string, string, string, string, string]>([
  ['4.3', 'DELETE', `/agents/${ID}`, '', NO_AGENT],
  ['4.3', 'GET', `/agents/${ID}`, '', NO_AGENT],
  ['4.3', 'POST', `/agents/${ID}`, '', NO_AGENT],
  ['4.3', 'GET', `/agents/${ID}/files/${UNKNOWN}`, '', NO_AGENT],
  ['4.3', 'POST', `/agents/${ID}/files/${UNKNOWN}`, '', NO_AGENT],
  ['4.3', 'PUT', `/agents/${ID}/files/${UNKNOWN}`, '', NO_AGENT],
  ['4.4', 'DELETE', `/subscriptions/${ID}`, '', `Subscription ${ID} not known.`],
  ['4.5', 'GET', `/workflows/${ID}/status`, '', NO_WORKFLOW],
  ['4.5', 'GET', `/workflows/${ID}/workers`, '', NO_WORKFLOW],
  ['4.5', 'GET', `/workflows/${ID}/logs`, '', NO_WORKFLOW],
  ['4.5', 'GET', `/workflows/${ID}/datasources/jobs`, '', NO_WORKFLOW],
  ['4.8', 'GET', `/workflows/${ID}/files/${UNKNOWN}`, '', NO_WORKFLOW],
  ['4.9', 'POST', `/workflows/${ID}/insights`, 'insight=*', NO_WORKFLOW],
  ['4.10', 'GET', `/workflows/${ID}/qualitygate`, '', NO_WORKFLOW],
  ['4.10', 'POST', `/workflows/${ID}/qualitygate`, 'mode=strict', NO_WORKFLOW],
  // HTTP 1: Ids in paths are UUIDs; another form is refused.
])('%s: %s %s?%s is answered as for an unknown id', async (_part, method, path, query, message) => {
  const body = method === 'POST' ? { body: {} } : {};
  const answer = await server.call(method, path, { query, ...body });
  expect(bodyOf(answer)).toMatchObject({ code: 404, reason: 'NotFound', message, details: null });
});

test('4.3: an unknown agent is told before what is wrong with its body', async () => {
  for (const body of ['{', '']) {
    const headers = { 'content-type': 'application/json' };
    const answer = await server.call('POST', `/agents/${UNKNOWN}`, { body, headers });
    const message = `Agent ${UNKNOWN} not known.`;
    expect(bodyOf(answer), body).toMatchObject({ code: 404, message, details: null });
  }
});

// HTTP 1: Ids in paths are UUIDs; another form is refused.
test('4.3: an id that is none is that of no file', async () => {
  const body = {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'AgentRegistration',
    metadata: { name: 'one' },
    spec: { tags: ['linux'] },
  };
  const { uuid } = detailsOf(await server.call('POST', '/agents', { body }));
  for (const method of ['GET', 'POST', 'PUT']) {
    const sent = method === 'GET' ? {} : { body: 'x' };
    const answer = await server.call(method, `/agents/${uuid}/files/${ID}`, sent);
    const message = `File ${ID} not known.`;
    expect(bodyOf(answer), method).toMatchObject({ code: 404, message, details: null });
  }
  await server.call('DELETE', `/agents/${uuid}`);
});

// HTTP 7: Also for what is no request of the interface at all.
test('7: bytes that are no request are answered with a Status manifest', async () => {
  const answer = await exchange('GET / HTTP/1.1\r\nno header\r\n\r\n');
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 400 /);
  expect(head).toMatch(/\r\nContent-Security-Policy: default-src 'none'/);
  expect(JSON.parse(body)).toMatchObject({ kind: 'Status', code: 400, reason: 'BadRequest' });
});

test.each([
  ['/health', 200],
  ['/workflows', 200],
  ['/nowhere', 404],
  ['/workflows/%zz/logs', 400],
])('wire facts 7.2: GET %s has the security headers', async (path, code) => {
  const answer = await server.call('GET', path);
  expect(answer.code).toBe(code);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    'strict-transport-security': 'max-age=31536000; includeSubdomains',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
  });
});

test('clients 8.8: double and trailing slashes are no other paths, and lead to no redirect', async () => {
  for (const path of ['/workflows/', '//workflows', '/workflows//status/']) {
    expect((await server.call('GET', path)).code, path).toBe(200);
  }
});

test('HEAD answers as GET does, without a body', async () => {
  const [head, get] = await Promise.all([
    server.call('HEAD', '/workflows'),
    server.call('GET', '/workflows'),
  ]);
  expect([head.code, head.text]).toEqual([200, '']);
  expect(head.headers.get('content-length')).toBe(String(get.text.length));
});

test.each([
  ['/workflows', 'expand=manifest&fieldSelector=a==b', 'expand,fieldSelector'],
  ['/workflows', 'fieldSelector=kind==Workflow', 'fieldSelector'],
  ['/agents', 'labelSelector=a&fieldSelector=b', 'fieldSelector,labelSelector'],
  ['/channels', 'fieldSelector=a', 'fieldSelector'],
  ['/subscriptions', 'labelSelector=a&other=1', 'labelSelector'],
  ['/subscriptions', 'other=1', null],
])('wire facts 7.2: X-Processed-Query of %s?%s names %s', async (path, query, names) => {
  const answer = await server.call('GET', path, { query });
  expect(answer.code).toBe(200);
  expect(answer.headers.get('x-processed-query')).toBe(names);
});

test('clients 8.6: a parameter that is repeated with its value is given once', async () => {
  const query = 'expand=manifest&expand=manifest';
  expect((await server.call('GET', '/workflows', { query })).code).toBe(200);
});

test.each([
  'key==',
  '(a',
  'a in ()',
  'a b',
  ',',
  '[apiVersion]',
  'spec[selector][matchLabels][x]',
  `a==${'b'.repeat(5000)}`,
  // HTTP 4.1: A wrong selector is Invalid.
  // HTTP 4.3: GET /agents: a list, no Status; wrong selectors are Invalid.
])('4.1: the selector %j is Invalid', async (selector) => {
  const query = `fieldSelector=${encodeURIComponent(selector)}`;
  for (const path of ['/agents', '/channels', '/subscriptions', '/workflows']) {
    expect(bodyOf(await server.call('GET', path, { query })), path).toMatchObject({
      code: 422,
      reason: 'Invalid',
    });
  }
});

test('4.1: label selectors have no brackets', async () => {
  const answer = await server.call('GET', '/workflows', { query: 'labelSelector=a%5Bb%5D==c' });
  expect(bodyOf(answer)).toMatchObject({ code: 422, reason: 'Invalid' });
});

test.each(['__proto__', 'constructor', 'metadata.__proto__.name', 'metadata.constructor.name'])(
  // HTTP 2.4: A list is a SubscriptionList whose items are keyed by id.
  'the selector %s sees nothing that is not in the item',
  async (fieldSelector) => {
    const answer = await server.call('GET', '/subscriptions', {
      query: `fieldSelector=${fieldSelector}`,
    });
    expect(bodyOf(answer)).toMatchObject({ kind: 'SubscriptionList', items: {} });
  },
);

test.each([
  ['no token', '', 'No Bearer token'],
  ['another scheme', 'Basic YTpi', 'Invalid Authorization header.'],
  ['three words', 'Bearer a b', 'Invalid Authorization header.'],
  ['no token of ours', 'Bearer nope', 'Invalid JWT token.'],
  ['an unsigned token', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.', 'Invalid JWT token.'],
  // HTTP 4.2: Health is the text OK, with a token.
  // HTTP 5: Each call has a bearer token.
  // HTTP 5: A ping needs one.
])('5: a request with %s is Unauthorized, everywhere', async (_name, authorization, message) => {
  const headers = { authorization };
  for (const path of ['/workflows', '/health', '/version', '/namespaces', '/nowhere']) {
    const answer = await server.call('GET', path, { headers });
    expect(bodyOf(answer), path).toMatchObject({ code: 401, reason: 'Unauthorized', message });
  }
  const ping = await server.call('POST', '/workflows', { query: 'ping', headers });
  expect(bodyOf(ping)).toMatchObject({ code: 401, message });
});

// HTTP 4.2: Health is the text OK, with a token.
test('4.2: GET /health answers OK', async () => {
  const answer = await server.call('GET', '/health');
  expect([answer.code, answer.text]).toEqual([200, 'OK']);
});

// HTTP 4.5: GET /namespaces: where the operation, or any, is allowed; `*` for everywhere.
// HTTP 7: Message for a resource without a verb.
test('4.5: GET /namespaces answers * when nothing is restricted', async () => {
  expect(itemsOf(await server.call('GET', '/namespaces'))).toEqual(['*']);
  expect(bodyOf(await server.call('GET', '/namespaces', { query: 'verb=list' }))).toMatchObject({
    code: 422,
    reason: 'Invalid',
    message: 'resource and verb must be both provided or not provided at all.',
    details: null,
  });
});

// HTTP 2.9: The bill of materials has a name and lists of components.
// HTTP 4.5: GET /version: the bill of materials.
test('4.5: GET /version answers the bill of materials', async () => {
  const answer = await server.call('GET', '/version');
  expect(bodyOf(answer)).toMatchObject({ code: 200, message: 'BOM' });
  expect(detailsOf(answer).items).toMatchObject({
    name: 'tutti',
    'internal-components': expect.arrayContaining([
      expect.objectContaining({ name: '@tutti/server', env_version_key: 'TUTTI_SERVER_VERSION' }),
    ]),
  });
});

// HTTP 3.2: Value 1: the orchestrator is IDLE without running workflows and without workers.
// HTTP 3.2: Value 4: the status of a data source follows from workflow and workers.
// HTTP 4.5: Data sources: the time of the end only while workers go on after it.
test('3.2: a plugin that works after the end keeps the orchestrator BUSY and the data sources ONGOING', async () => {
  const id = await start(server, oneJob('late', [sh('true')], { 'runs-on': 'nowhere' }));
  await server.call('DELETE', `/workflows/${id}`);
  expect(await ended(server, id)).toBe('FAILED');
  const orchestrator = async () => detailsOf(await server.call('GET', '/workflows/status'));
  const jobs = async () => detailsOf(await server.call('GET', `/workflows/${id}/datasources/jobs`));
  const work = (status: string) =>
    server.call('POST', '/publications', {
      body: {
        apiVersion: 'opentestfactory.org/v1alpha1',
        kind: 'Notification',
        metadata: { name: 'worker', workflow_id: id },
        spec: { worker: { worker_id: 'my-worker', status } },
      },
    });
  await work('setup');
  await eventually('the worker', async () => (await jobs()).workers_count === 1);
  expect(await orchestrator()).toEqual({ items: [], status: 'BUSY' });
  expect(await jobs()).toMatchObject({
    status: 'ONGOING',
    handled: false,
    completionTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
  });
  await work('teardown');
  await eventually('the end of the worker', async () => (await jobs()).workers_count === 0);
  expect(await orchestrator()).toEqual({ items: [], status: 'IDLE' });
  expect(await jobs()).toEqual({
    items: expect.any(Array),
    status: 'INTERRUPTED',
    workers_count: 0,
    handled: true,
  });
});

/** Selectors, HEAD, refusals and tracing on every endpoint that has them (specification 2.1, 4.1 and 7), from outside. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, bodyOf, itemsOf, type Loose } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { expectStatus } from '../support/expect-status.ts';
import { oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const GROUP = 'opentestfactory.org';
const BODY_BYTES = 8192;
const JSON_TYPE = { 'content-type': 'application/json' };
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let bench: Workbench;
let server: ServerChild;
/** A workflow that waits for an environment that never comes. */
let waiting: string;

/** An agent and a subscription, each with the label that selectors ask for. */
const labels = { 'example.com/team': 'blue', plain: 'x' };
const AGENT = {
  apiVersion: `${GROUP}/v1alpha1`,
  kind: 'AgentRegistration',
  metadata: { name: 'one', namespaces: 'default', version: '1.0', labels },
  spec: { tags: ['linux', 'shell'], encoding: 'utf-8', script_path: '/tmp' },
};
const SUBSCRIPTION = {
  apiVersion: `${GROUP}/v1alpha1`,
  kind: 'Subscription',
  metadata: { name: 'one', labels },
  spec: {
    selector: { matchKind: 'Own', matchLabels: { 'example.com/zone': 'north' } },
    subscriber: { endpoint: 'http://127.0.0.1:9/inbox' },
  },
};

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server({ config: { logLevel: 'debug', limits: { bodyBytes: BODY_BYTES } } });
  const manifest = oneJob('one', [sh('true')], { 'runs-on': 'nowhere' });
  waiting = await start(server, { ...manifest, metadata: { name: 'one', labels } });
  await server.call('POST', '/agents', { body: AGENT });
  await server.call('POST', '/subscriptions', { body: SUBSCRIPTION });
});

afterAll(() => bench.close());

/** The five listings that take selectors, and how to count what each answers. */
const listings = {
  agents: { path: () => '/agents', count: (answer: Answer) => sizeOf(bodyOf(answer).items) },
  channels: {
    path: () => '/channels',
    // Without that of rehearsals, which every server has.
    count: (answer: Answer) =>
      itemsOf(answer).filter((item) => !JSON.stringify(item).includes('"inception"')).length,
  },
  subscriptions: {
    path: () => '/subscriptions',
    count: (answer: Answer) => sizeOf(bodyOf(answer).items),
  },
  workflows: { path: () => '/workflows', count: (answer: Answer) => itemsOf(answer).length },
  status: {
    path: () => `/workflows/${waiting}/status`,
    count: (answer: Answer) => itemsOf(answer).length,
  },
};
type Listing = keyof typeof listings;
const LISTINGS = Object.keys(listings) as readonly Listing[];

const sizeOf = (items: unknown): number => Object.keys(items ?? {}).length;

function select(listing: Listing, parameters: Readonly<Record<string, string>>): Promise<Answer> {
  const query = new URLSearchParams(parameters).toString();
  return server.call('GET', listings[listing].path(), { query });
}

/** Selectors for the one item named "one" in each listing, among others of that name. */
const ONLY: Readonly<Record<Listing, string>> = {
  agents: 'kind==AgentRegistration',
  channels: 'kind==Channel',
  subscriptions: 'spec.selector.matchKind==Own',
  workflows: 'kind==Workflow',
  status: 'kind==Workflow',
};

describe('4.1: field selectors', () => {
  const forms: readonly (readonly [string, boolean])[] = [
    ['metadata.name', true],
    ['metadata.nothing', false],
    ['!metadata.nothing', true],
    ['!metadata.name', false],
    ['metadata.name==one', true],
    ['metadata.name=one', true],
    ['metadata.name==two', false],
    ['metadata.name!=two', true],
    ['metadata.name!=one', false],
    ['metadata.nothing!=one', true],
    ['metadata.name in (one, two)', true],
    ['metadata.name in (two)', false],
    ['metadata.nothing in (one)', false],
    ['metadata.name notin (two, three)', true],
    ['metadata.name notin (one, two)', false],
    ['metadata.nothing notin (one)', true],
    ['metadata.name in (my tests, one)', true],
    ['metadata.name notin (one, my tests)', false],
    ['metadata.name==my tests', false],
    ['metadata.name!=my tests', true],
    ['metadata.name!=*', true],
    ['metadata.name==one,kind,!metadata.nothing', true],
    ['metadata.name==one,kind==Nothing', false],
  ];

  // HTTP 4.1: Five listings take a field selector and a label selector, combined by AND.
  // HTTP 4.1: Conditions are separated by commas.
  // HTTP 4.1: Form: a key that exists, or does not.
  // HTTP 4.1: Form: equal with one sign or two, and unequal, also where the key is absent.
  // HTTP 4.1: Form: a value in a list, or not in it, also where the key is absent.
  test.each(forms)('%s chooses the same in every listing: %s', async (form, isChosen) => {
    for (const listing of LISTINGS) {
      const fieldSelector = `${form},${ONLY[listing]}`;
      const answer = await select(listing, { fieldSelector });
      expect(listings[listing].count(answer), listing).toBe(isChosen ? 1 : 0);
      expect(answer.headers.get('x-processed-query'), listing).toBe('fieldSelector');
    }
  });

  test.each<[string, boolean]>([
    ['(linux) in spec.tags', true],
    ['(shell, linux) in spec.tags', true],
    ['(linux, windows) in spec.tags', false],
    ['(linux) in spec.nothing', false],
    ['(linux, windows) notin spec.tags', true],
    ['(linux) notin spec.tags', false],
    ['(linux) notin spec.nothing', true],
    // HTTP 4.1: Form: values that a key contains, or does not all contain.
    // HTTP 4.5: GET /channels: channels, with selectors.
  ])('%s chooses by what a list contains: %s', async (fieldSelector, isChosen) => {
    for (const listing of ['agents', 'channels'] as const) {
      const answer = await select(listing, { fieldSelector });
      expect(listings[listing].count(answer), listing).toBe(isChosen ? 1 : 0);
    }
  });

  // HTTP 4.1: Keys of fields are names with dots; the last alone may be in brackets.
  test('a name with dots is taken in brackets', async () => {
    const key = 'spec.selector.matchLabels[example.com/zone]';
    const count = async (fieldSelector: string) =>
      listings.subscriptions.count(await select('subscriptions', { fieldSelector }));
    expect(await count(`${key}==north`)).toBe(1);
    expect(await count(`${key}!=north,${ONLY.subscriptions}`)).toBe(0);
    expect(await count('spec.selector.matchLabels.example.com/zone')).toBe(0);
  });
});

describe('4.1: label selectors', () => {
  test.each<[string, boolean]>([
    ['example.com/team', true],
    ['!example.com/team', false],
    ['example.com/team==blue', true],
    ['example.com/team=blue', true],
    ['example.com/team!=blue', false],
    ['example.com/team in (red, blue)', true],
    ['example.com/team notin (red, blue)', false],
    ['(blue) in example.com/team', true],
    ['(blue, red) notin example.com/team', true],
    ['plain,example.com/team', true],
    ['example.com/team in (dark [blue], blue)', true],
    ['example.com/team==dark [blue]', false],
    ['nothing', false],
    ['!nothing', true],
    // HTTP 4.1: Five listings take a field selector and a label selector, combined by AND.
    // HTTP 4.1: Keys of labels may have dots and have no brackets.
  ])('%s chooses in every listing of labelled things: %s', async (labelSelector, isChosen) => {
    for (const listing of ['agents', 'subscriptions', 'workflows', 'status'] as const) {
      const fieldSelector = `metadata.name==one,${ONLY[listing]}`;
      const answer = await select(listing, { fieldSelector, labelSelector });
      expect(listings[listing].count(answer), listing).toBe(isChosen ? 1 : 0);
    }
  });
});

describe('4.1: selectors that are wrong', () => {
  test.each([
    ['kind Workflow', 6],
    ['a,,b', 3],
    ['a=', 3],
    ['a==b==c', 5],
    ['a==b c==d', 7],
    ['a==(b)', 4],
    ['a in b', 6],
    ['a in ()', 7],
    ['a in(b)', 5],
    ['(a) b', 5],
    ['!', 2],
    ['[apiVersion]', 1],
    ['spec[selector][matchLabels][a]', 15],
    // HTTP 4.1: A wrong selector is Invalid.
    // HTTP 4.1: Keys of fields are names with dots; the last alone may be in brackets.
  ])('%s is Invalid in every listing, and the message points at position %i', async (text, at) => {
    for (const listing of LISTINGS) {
      const answer = await select(listing, { fieldSelector: text });
      expectStatus(answer);
      expect(bodyOf(answer), listing).toMatchObject({ code: 422, reason: 'Invalid' });
      expect(bodyOf(answer).message).toContain(`${JSON.stringify(text)}`);
      expect(bodyOf(answer).message).toMatch(new RegExp(` at position ${at}\\b`));
    }
  });

  test.each(['spec[a]', 'a[b.c]==d', '[a]'])(
    // HTTP 4.1: Keys of labels may have dots and have no brackets.
    'brackets in the label selector %s are Invalid in every listing',
    async (labelSelector) => {
      for (const listing of LISTINGS) {
        const answer = await select(listing, { labelSelector });
        expect(bodyOf(answer), listing).toMatchObject({ code: 422, reason: 'Invalid' });
        expect(bodyOf(answer).message).toMatch(/\[\] not allowed in label selectors/);
      }
    },
  );

  // HTTP 4.1: A wrong selector is Invalid.
  test('one wrong selector is enough', async () => {
    for (const listing of LISTINGS) {
      const answer = await select(listing, { fieldSelector: 'kind', labelSelector: 'a=' });
      expect(answer.code, listing).toBe(422);
    }
  });
});

describe('HEAD', () => {
  /** Paths with GET; those by which agents take their work have no HEAD, which would lose it. */
  const paths = async (): Promise<readonly string[]> => {
    const described = bodyOf(await server.call('GET', '/openapi.json')).paths as Loose;
    return Object.entries(described)
      .filter(([path, operations]) => 'get' in Object(operations) && !path.includes('{agent_id}'))
      .map(([path]) => path.replace('{workflow_id}', waiting).replace('{kind}', 'jobs'))
      .filter((path) => !path.includes('{'));
  };

  test('has the code and the headers of GET, and no body, wherever GET is', async () => {
    const found = await paths();
    expect(found.length).toBeGreaterThanOrEqual(13);
    for (const path of [...found, '/nowhere', '/workflows?fieldSelector=a=']) {
      const head = await server.call('HEAD', path);
      const get = await server.call('GET', path);
      expect([head.code, head.text], path).toEqual([get.code, '']);
      for (const name of ['content-type', 'link', 'x-processed-query', 'x-frame-options']) {
        expect(head.headers.get(name), `${name} of ${path}`).toBe(get.headers.get(name));
      }
    }
  });
});

describe('2.1, 7: refusals', () => {
  test.each<[string, number, string, string, Readonly<Record<string, string>>, string]>([
    [
      'a body that is too large',
      413,
      'PayloadTooLarge',
      '/publications',
      JSON_TYPE,
      `"${'x'.repeat(BODY_BYTES)}"`,
    ],
    [
      'a content type that is not JSON',
      415,
      'UnsupportedMediaType',
      '/subscriptions',
      { 'content-type': 'application/xml' },
      '<a/>',
    ],
    [
      'a content type that is none',
      415,
      'UnsupportedMediaType',
      '/agents',
      { 'content-type': '@' },
      '{}',
    ],
    [
      'a document that is too deep',
      400,
      'BadRequest',
      '/publications',
      JSON_TYPE,
      `${'['.repeat(100)}${']'.repeat(100)}`,
    ],
    [
      'a body that is compressed',
      415,
      'UnsupportedMediaType',
      '/agents',
      { 'content-encoding': 'gzip' },
      '\u001f\u008b',
    ],
    ['a body that is no JSON', 400, 'BadRequest', '/agents', {}, '\u001f\u008b'],
    // HTTP 2.1: A Status manifest has all eight fields, in success and in failure.
    // HTTP 7: 400 for what is malformed, and for JSON beyond our bounds.
  ])('%s is answered with a Status manifest', async (_name, code, reason, path, headers, body) => {
    const answer = await server.call('POST', path, { body, headers });
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code, reason, details: null });
  });

  test('JSON is read whatever a client that was told nothing calls it', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain;charset=UTF-8']) {
      const headers = { 'content-type': type };
      const answer = await server.call('POST', '/publications', { body: '{"a": 1}', headers });
      expect(answer.code, type).toBe(200);
    }
  });

  test.each([
    ['application/json', '{"a": 1}', 422],
    ['application/x-yaml', 'a: 1', 422],
    ['application/x-yaml', '{"a": 1}', 422],
    ['application/vnd.own+yaml', 'a: 1', 422],
    ['text/plain', 'a: 1', 422],
    ['text/plain', '{"a": 1}', 422],
    ['application/x-www-form-urlencoded', 'a: 1', 415],
    ['application/x-www-form-urlencoded', '{"a": 1}', 415],
    ['application/octet-stream', 'a: 1', 415],
    ['application/xml', '<a/>', 415],
    // HTTP 4.6: JSON and YAML as bodies; JSON under a type of YAML.
  ])('4.6, 4.9, 4.10: documents of type %s, as %s, are %i alike', async (type, body, code) => {
    for (const [path, query] of [
      ['/workflows', 'dryRun'],
      [`/workflows/${waiting}/insights`, 'insight=a'],
      [`/workflows/${waiting}/qualitygate`, 'mode=a'],
    ] as const) {
      const request = { query, body, headers: { 'content-type': type } };
      const answer = await server.call('POST', path, request);
      expectStatus(answer);
      expect(answer.code, path).toBe(code);
      if (code === 415) {
        expect(bodyOf(answer).message).toMatch(
          /application\/json, application\/x-yaml or multipart\/form-data, not .* With curl: /,
        );
      }
    }
  });

  test.each<[string, string, unknown, readonly string[]]>([
    [
      'a workflow',
      '/workflows',
      {
        metadata: { name: 3, labels: [] },
        jobs: { a: { 'runs-on': [1], steps: [{}], x: 1 } },
        y: 1,
      },
      [
        'unknown key "y"',
        'metadata.name: ',
        'metadata.labels: ',
        'jobs.a: unknown key "x"',
        'jobs.a.runs-on[0]: ',
        'jobs.a.steps[0]: ',
      ],
    ],
    [
      'an agent',
      '/agents',
      { ...AGENT, metadata: {}, spec: { tags: ['a', 'b c', 3] } },
      ['metadata: "name" ', 'spec.tags[1]: ', 'spec.tags[2]: '],
    ],
    [
      'a subscription',
      '/subscriptions',
      { ...SUBSCRIPTION, spec: { selector: {}, subscriber: { other: 1 }, more: 1 } },
      [
        'spec: unknown key "more"',
        'spec.selector: ',
        'spec.subscriber: "endpoint" ',
        'spec.subscriber: unknown key "other"',
      ],
    ],
  ])(
    // HTTP 4.3: POST /agents: 422 with a text of what is wrong.
    // HTTP 4.4: POST /subscriptions: 422 with a text of what is wrong.
    // HTTP 7: Errors are Status manifests with a message, and perhaps with a text in the details.
    'all problems of %s are told at once, each with its path',
    async (_name, path, body, expected) => {
      const answer = await server.call('POST', path, { body });
      expectStatus(answer);
      expect(bodyOf(answer)).toMatchObject({ code: 422, reason: 'Invalid' });
      const { error } = bodyOf(answer).details as { error: string };
      expect(error.split('\n')).toHaveLength(expected.length);
      for (const problem of expected) expect(error).toContain(problem);
    },
  );
});

test('pages of other sites get no leave to read answers', async () => {
  const headers = { origin: 'https://elsewhere.example' };
  const preflight = await server.call('OPTIONS', '/workflows', {
    headers: { ...headers, 'access-control-request-method': 'GET' },
  });
  expectStatus(preflight);
  expect(bodyOf(preflight)).toMatchObject({ code: 405, reason: 'MethodNotAllowed' });
  expect(preflight.headers.get('allow')).toBe('GET, HEAD, POST');
  const answer = await server.call('GET', '/workflows', { headers });
  expect(answer.code).toBe(200);
  for (const { headers: given } of [preflight, answer]) {
    expect([...given.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  }
});

test('parameters that an endpoint does not know change nothing', async () => {
  for (const path of ['/workflows', '/agents', '/channels', '/subscriptions', '/namespaces']) {
    const plain = await server.call('GET', path);
    const asked = await server.call('GET', path, { query: 'colour=blue&page=0' });
    expect([asked.code, asked.text], path).toEqual([200, plain.text]);
    expect(asked.headers.get('x-processed-query'), path).toBeNull();
  }
});

test('a request has an id, its own or a new one, which is in the answer and in the log', async () => {
  const given = await server.call('GET', '/workflows', { headers: { 'x-request-id': 'our-id-7' } });
  expect(given.headers.get('x-request-id')).toBe('our-id-7');
  expect(given.headers.get('server-timing')).toMatch(/^total;dur=\d/);
  const other = (await server.call('GET', '/nowhere')).headers.get('x-request-id');
  expect(other).toMatch(UUID);
  for (const id of ['our-id-7', other]) {
    await eventually(`"${id}" in the log`, () =>
      server.child.stderr.includes(`"requestId":"${id}"`),
    );
  }
});

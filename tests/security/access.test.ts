/**
 * Every endpoint with every kind of token (specification part 5). The endpoints come from the description of the interface, so
 * that a new one without a row fails.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readRepositoryFile } from '../structure/source-files.ts';
import { type Answer, bodyOf, createApi, itemsOf, type Loose } from '../support/api.ts';
import { registerExisting } from '../support/existing-agent.ts';
import { expectStatus } from '../support/expect-status.ts';
import { oneJob, sh, start } from '../support/runs.ts';
import { hmacToken, signedToken, unsignedToken } from '../support/tokens.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import {
  givers,
  type Hands,
  type Needed,
  OURS,
  RESOURCES,
  ROWS,
  type Row,
  type Target,
  VERBS,
} from './access-rows.ts';

const CLAIMS = { iss: 'an authority', sub: 'somebody' };
const ES256 = { alg: 'ES256' };
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let bench: Workbench;
let server: ServerChild;
let hands: Hands;

beforeAll(async () => {
  bench = await Workbench.open();
  const path = bench.path('authority.pem');
  await writeFile(path, publicKey.export({ type: 'spki', format: 'pem' }));
  const trustedKeys = [{ path, namespaces: 'ours,theirs' }];
  server = await bench.server({ config: { auth: { trustedKeys } } });
  hands = { admin: server, ours: createApi(server.url, token({ tutti: { namespaces: [OURS] } })) };
});

afterAll(() => bench.close());

const ENDPOINTS = endpointsOf(JSON.parse(readRepositoryFile('openapi.json')));

/** Endpoints of the description, and two that only the specification names. */
function endpointsOf(description: { readonly paths: Readonly<Record<string, object>> }) {
  const described = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => method !== 'parameters')
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  const others = ['GET /openapi.json', 'HEAD /workflows/{workflow_id}/files/{attachment_id}'];
  return [...new Set([...described, ...others])].sort();
}

test('every endpoint of the interface has a row', () => {
  expect(ENDPOINTS.length).toBeGreaterThan(20);
  expect(Object.keys(ROWS).sort()).toEqual(ENDPOINTS);
});

/** GET takes something there, so that nothing answers HEAD. */
const WITHOUT_HEAD = ['GET /agents/{agent_id}', 'GET /agents/{agent_id}/files/{file_id}'];

/** Endpoints with GET also answer HEAD, and need the same right. */
const rows = ENDPOINTS.flatMap((endpoint) => {
  const row = ROWS[endpoint];
  if (row === undefined) return [];
  const head = endpoint.replace(/^GET /, 'HEAD ');
  const isAlone = Object.hasOwn(ROWS, head) || WITHOUT_HEAD.includes(endpoint);
  return (isAlone ? [endpoint] : [endpoint, head]).map((each) => [each, row] as const);
});

const token = (claims: Loose): string =>
  signedToken(privateKey, { header: ES256, claims: { ...CLAIMS, ...claims } });

const bearer = (claims: Loose): string => `Bearer ${token(claims)}`;

const scoped = (tutti: Loose): string => bearer({ tutti });

/** No more than what is needed, in that namespace. */
const exactly = ({ needs, needsAlso }: Pick<Row, 'needs' | 'needsAlso'>, namespace: string) => {
  const rights = [needs, needsAlso].filter((right) => right !== undefined);
  return scoped({
    namespaces: [namespace],
    resources: rights.map(({ resource }) => resource),
    verbs: rights.map(({ verb }) => verb),
  });
};

function ask(endpoint: string, target: Target, authorization: string): Promise<Answer> {
  const [method = ''] = endpoint.split(' ');
  const { path, headers = {}, ...request } = target;
  return server.call(method, path, { ...request, headers: { ...headers, authorization } });
}

function expectRefusal(
  endpoint: string,
  answer: Answer,
  { resource, verb }: Needed,
  details: Row['refusal'] | null = null,
): void {
  expect(answer.code).toBe(403);
  if (endpoint.startsWith('HEAD ')) return;
  expectStatus(answer);
  expect(bodyOf(answer)).toMatchObject({
    reason: 'Forbidden',
    message: expect.stringContaining(`User somebody is not authorized to ${verb} ${resource}`),
    details,
  });
}

const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const RS256 = { alg: 'RS256' };
const HS256 = { alg: 'HS256' };

/** Tokens that nobody who is trusted made for this time: 401, whatever the endpoint. */
const INVALID: readonly (readonly [kind: string, authorization: () => string])[] = [
  ['no token', () => ''],
  ['an empty token', () => 'Bearer '],
  ['garbage', () => 'Bearer garbage'],
  ['another scheme', () => `Basic ${btoa(`admin:${server.token}`)}`],
  ['two tokens', () => `Bearer ${server.token}, Bearer ${server.token}`],
  ['a cut signature', () => `Bearer ${server.token.slice(0, -6)}`],
  [
    'claims of another token',
    () => {
      const [header, , signature] = server.token.split('.');
      return `Bearer ${header}.${token({}).split('.')[1]}.${signature}`;
    },
  ],
  ['alg none', () => `Bearer ${unsignedToken({ header: { alg: 'none' }, claims: CLAIMS })}`],
  [
    'a public key as a shared secret',
    () => {
      const pem = String(publicKey.export({ type: 'spki', format: 'pem' }));
      return `Bearer ${hmacToken(pem, { header: HS256, claims: CLAIMS })}`;
    },
  ],
  [
    'the algorithm of another key',
    () => `Bearer ${token({}).replace(/^[^.]+/, encodedHeader(RS256))}`,
  ],
  ['the key of a stranger', () => `Bearer ${signedBy(stranger.privateKey, ES256)}`],
  [
    'the key of a stranger, in its header',
    () => {
      const jwk = stranger.publicKey.export({ format: 'jwk' });
      return `Bearer ${signedBy(stranger.privateKey, { ...ES256, jwk })}`;
    },
  ],
  ['a token that has expired', () => bearer({ exp: inSeconds(-1) })],
  ['a token of tomorrow', () => bearer({ nbf: inSeconds(86_400) })],
  ['an end that is no number', () => bearer({ exp: 'never' })],
  ['namespaces that are a map', () => scoped({ namespaces: { [OURS]: true } })],
  ['verbs that are a text', () => scoped({ verbs: 7 })],
];

const encodedHeader = (header: object) =>
  Buffer.from(JSON.stringify({ typ: 'JWT', ...header })).toString('base64url');

const signedBy = (key: KeyObject, header: Loose) => signedToken(key, { header, claims: CLAIMS });

describe.each(rows)('%s', (endpoint, row) => {
  /** A refused request changes nothing, so all of them are about the same thing. */
  let target: Promise<Target> | null = null;

  // HTTP 4.1: Any endpoint may answer 401 and 403.
  // HTTP 5: Each call has a bearer token.
  test.each(INVALID)('is 401 with %s', async (_, authorization) => {
    target ??= Promise.resolve(row.prepare(hands));
    const answer = await ask(endpoint, await target, authorization());
    expect(answer.code).toBe(401);
    if (!endpoint.startsWith('HEAD ')) {
      expectStatus(answer);
      expect(bodyOf(answer).reason).toBe('Unauthorized');
    }
  });
});

describe.each(rows)('%s', (endpoint: string, row: Row) => {
  // HTTP 5: Rights by namespace, resource and verb; listings leave out the rest.
  test('serves a token with exactly the rights that are needed', async () => {
    const target = await row.prepare(hands);
    const rights = row.isOfAll ? `Bearer ${server.token}` : exactly(row, OURS);
    const answer = await ask(endpoint, target, rights);
    expect(answer.code, answer.text).toBe(row.allowed);
  });

  test(`to a token of another namespace is ${row.elsewhere}`, async () => {
    const target = await row.prepare(hands);
    const answer = await ask(endpoint, target, exactly(row, 'theirs'));
    if (row.elsewhere === 'refused' && row.needs !== undefined) {
      const { refusal = null } = row;
      expectRefusal(endpoint, answer, row.needs, refusal);
      return;
    }
    expect(answer.code).toBe(row.allowed);
    for (const secret of target.secrets ?? []) expect(answer.text).not.toContain(secret);
  });
});

const restricted = rows.flatMap(([endpoint, row]) =>
  row.needs === undefined ? [] : [[endpoint, row, row.needs] as const],
);

describe.each(restricted)('%s', (endpoint: string, row: Row, needs: Needed) => {
  test.each<[string, Loose]>([
    ['every verb but the one', { verbs: VERBS.filter((verb) => verb !== needs.verb) }],
    [
      'every resource but the one',
      { resources: RESOURCES.filter((resource) => !givers(needs).includes(resource)) },
    ],
    ['no verb', { verbs: [] }],
    ['no resource', { resources: [] }],
    ['no namespace', { namespaces: [] }],
    ['a namespace that its key does not reach', { namespaces: ['a-third'] }],
    // HTTP 4.1: Any endpoint may answer 401 and 403.
    // HTTP 5: 403 for a token that does not give the right.
  ])('is refused to a token of %s', async (_, tutti) => {
    const answer = await ask(endpoint, await row.prepare(hands), scoped(tutti));
    expectRefusal(endpoint, answer, needs);
  });

  test('is refused before anything else of the request is looked at', async () => {
    const [method = '', path = ''] = endpoint.split(' ');
    const wrong = path.replace(/\{\w+\}/g, 'no-id');
    const request = {
      query: 'page=0&fieldSelector=((',
      headers: { authorization: scoped({ verbs: [] }) },
    };
    expectRefusal(endpoint, await server.call(method, wrong, request), needs);
  });
});

const ofRuns = restricted.filter(([endpoint]) => endpoint.includes('{workflow_id}'));
/** Parameters and a body that are wrong wherever they are looked at. */
const WRONG = {
  query: 'page=0&timeout=soon&dryRun=maybe&fieldSelector=((&scope=((',
  headers: { 'content-type': 'application/json' },
};

describe.each(ofRuns)('%s', (endpoint: string, row: Row, needs: Needed) => {
  const [method = ''] = endpoint.split(' ');
  const hasBody = method === 'POST';

  // HTTP 5: A run that is out of reach, or is none, is told before all else that is wrong.
  test('says of a run of another namespace nothing but that', async () => {
    const { path } = await row.prepare(hands);
    const wrong = path.replace(/(?:datasources|files)\/[^/]*/, (part) => `${part}-no-such-thing`);
    const headers = { ...WRONG.headers, authorization: exactly(row, 'theirs') };
    const request = { ...WRONG, headers, ...(hasBody ? { body: '{' } : {}) };
    expectRefusal(endpoint, await server.call(method, wrong, request), needs);
  });

  // HTTP 5: A run that is out of reach, or is none, is told before all else that is wrong.
  test('says of a run that is not there nothing but that', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    const path = endpoint
      .slice(method.length + 1)
      .replace('{workflow_id}', unknown)
      .replace(/\{\w+\}/, 'no-such-thing');
    const answer = await server.call(method, path, { ...WRONG, ...(hasBody ? { body: '{' } : {}) });
    expect(answer.code).toBe(404);
    if (method === 'HEAD') return;
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({
      reason: 'NotFound',
      message: `Workflow ${unknown} not found.`,
      details: null,
    });
  });
});

const ofStatus = restricted.filter(([, , { resource }]) => resource === 'status');

test.each(ofStatus)(
  // HTTP 4.5: GET /namespaces: where the operation, or any, is allowed; `*` for everywhere.
  '4.5: %s agrees with GET /namespaces, for a right on the status as for one on workflows',
  async (endpoint, row, { verb }) => {
    for (const resource of RESOURCES) {
      const right = scoped({ namespaces: [OURS], resources: [resource], verbs: [verb] });
      const query = `resource=status&verb=${verb}`;
      const namespaces = itemsOf(await ask('GET', { path: '/namespaces', query }, right));
      const { code } = await ask(endpoint, await row.prepare(hands), right);
      const isServed = givers({ resource: 'status', verb }).includes(resource);
      expect([resource, namespaces, code]).toEqual(
        isServed ? [resource, [OURS], 200] : [resource, [], 403],
      );
    }
  },
);

// HTTP 5: Rights by namespace, resource and verb; listings leave out the rest.
test('counts are of the namespaces that a token reaches', async () => {
  const get = { path: '/workflows/status' };
  await ROWS['GET /workflows/status']?.prepare(hands);
  const all = await ask('GET', get, `Bearer ${server.token}`);
  expect(bodyOf(all)).toMatchObject({ details: { status: 'BUSY' } });
  const theirs = await ask('GET', get, scoped({ namespaces: ['theirs'] }));
  expect(bodyOf(theirs)).toMatchObject({
    message: 'No workflow in progress',
    details: { items: [], status: 'IDLE' },
  });
});

describe('an agent that serves other namespaces too', () => {
  test('is seen, without its work, and neither spoken for nor removed', async () => {
    const agent = await registerExisting(server, ['shared'], { metadata: { namespaces: '*' } });
    onTestFinished(async () => {
      await server.call('DELETE', `/agents/${agent.id}`);
    });
    const job = { 'runs-on': 'shared' };
    await start(server, oneJob('theirs', [sh('true')], job), 'namespace=theirs');
    await agent.work();
    const mine = scoped({ namespaces: [OURS] });
    const busy = async (path: string, field: string, authorization: string) => {
      const answer = await ask(
        'GET',
        { path, query: `fieldSelector=${encodeURIComponent(field)}` },
        authorization,
      );
      const [item] = path === '/channels' ? itemsOf(answer) : [bodyOf(answer).items].flat();
      return item;
    };
    const admin = `Bearer ${server.token}`;
    for (const path of ['/channels', '/agents']) {
      const status = { phase: 'BUSY', currentJobID: expect.any(String) };
      expect(await busy(path, '(shared) in spec.tags', admin)).toMatchObject({ status });
      expect(await busy(path, '(shared) in spec.tags', mine)).toMatchObject({
        status: { ...status, currentJobID: null },
      });
    }
    for (const method of ['GET', 'POST', 'DELETE']) {
      const target = { path: `/agents/${agent.id}`, ...(method === 'POST' && { body: {} }) };
      expect((await ask(method, target, mine)).code, method).toBe(403);
    }
  });
});

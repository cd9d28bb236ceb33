/** Tokens that are forged, expired, or lack the right for their request (specification part 5, wire facts 8). */
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bodyOf, detailsOf, itemsOf, type Loose } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { registerExisting } from '../support/existing-agent.ts';
import { expectStatus } from '../support/expect-status.ts';
import { openInbox } from '../support/inbox.ts';
import { oneJob, sh, start } from '../support/runs.ts';
import { hmacToken, signedToken, unsignedToken } from '../support/tokens.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const CLAIMS = { iss: 'an authority', sub: 'mallory' };
const ES256 = { alg: 'ES256' };

let bench: Workbench;
let server: ServerChild;
/** Its tokens reach the namespace "ours" alone. */
let oursKey: KeyObject;
let oursPem: string;
/** In the namespace "theirs". */
let theirs: string;
let ours: string;

beforeAll(async () => {
  bench = await Workbench.open();
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  oursKey = pair.privateKey;
  oursPem = String(pair.publicKey.export({ type: 'spki', format: 'pem' }));
  const path = bench.path('ours.pem');
  await writeFile(path, oursPem);
  const trustedKeys = [{ path, namespaces: 'ours' }];
  server = await bench.server({ config: { auth: { trustedKeys } } });
  theirs = await start(server, oneJob('theirs', [sh('true')]), 'namespace=theirs');
  ours = await start(server, oneJob('ours', [sh('true')]), 'namespace=ours');
});

afterAll(() => bench.close());

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const nowSeconds = () => Math.floor(Date.now() / 1000);

/** The own public key of the server, which anybody who can read its files knows. */
async function serversPem(): Promise<string> {
  const pem = await readFile(join(server.dataDir, 'keys', 'signing.pem'), 'utf8');
  return String(createPublicKey(pem).export({ type: 'spki', format: 'pem' }));
}

/** One request of each form: with and without a body, streams, files, and what there is no path for. */
const REQUESTS = [
  ['GET', '/workflows', {}],
  ['GET', '/health', {}],
  ['GET', '/nowhere', {}],
  ['HEAD', '/workflows', {}],
  ['POST', '/workflows?ping', {}],
  ['POST', '/workflows', { body: oneJob('forged', [sh('true')]) }],
  ['POST', '/publications', { body: {} }],
  ['DELETE', '/workflows/THEIRS', {}],
  ['GET', '/workflows/THEIRS/logs', {}],
  ['GET', '/workflows/THEIRS/status', { headers: { accept: 'text/event-stream' } }],
  ['POST', '/agents', { body: {} }],
] as const;

// HTTP 5: 401 for a token that is absent or not valid.
describe('a token that the server did not make is Unauthorized in every form of request', () => {
  test.each<[string, () => Promise<string> | string]>([
    ['no token', () => ''],
    ['an empty token', () => 'Bearer '],
    ['another scheme', () => `Basic ${btoa('admin:admin')}`],
    ['a second word', () => `Bearer ${server.token} ${server.token}`],
    ['a token in another case of letters', () => `Bearer ${server.token.toLowerCase()}`],
    ['a token without its signature', () => `Bearer ${server.token.replace(/[^.]+$/, '')}`],
    ['a token with another signature', () => `Bearer ${server.token.slice(0, -6)}AAAAAA`],
    ['alg none', () => `Bearer ${unsignedToken({ header: { alg: 'none' }, claims: CLAIMS })}`],
    ['alg None', () => `Bearer ${unsignedToken({ header: { alg: 'None' }, claims: CLAIMS })}`],
    ['no alg', () => `Bearer ${unsignedToken({ header: {}, claims: CLAIMS })}`],
    [
      'the public key used as a shared secret',
      async () =>
        `Bearer ${hmacToken(await serversPem(), { header: { alg: 'HS256' }, claims: CLAIMS })}`,
    ],
    [
      'a public key of an authority used as a shared secret',
      () => `Bearer ${hmacToken(oursPem, { header: { alg: 'HS256' }, claims: CLAIMS })}`,
    ],
    [
      'a key of its own in its header',
      () => {
        const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        const header = {
          ...ES256,
          jwk: publicKey.export({ format: 'jwk' }),
          kid: '../../dev/null',
        };
        return `Bearer ${signedToken(privateKey, { header, claims: CLAIMS })}`;
      },
    ],
    [
      'an end in the past',
      () => {
        const claims = { ...CLAIMS, exp: nowSeconds() - 60 };
        return `Bearer ${signedToken(oursKey, { header: ES256, claims })}`;
      },
    ],
    [
      'a beginning in the future',
      () => {
        const claims = { ...CLAIMS, nbf: nowSeconds() + 3600 };
        return `Bearer ${signedToken(oursKey, { header: ES256, claims })}`;
      },
    ],
    [
      'an end that is no number',
      () =>
        `Bearer ${signedToken(oursKey, { header: ES256, claims: { ...CLAIMS, exp: 'never' } })}`,
    ],
    [
      'a restriction that is not understood',
      () => {
        const claims = { ...CLAIMS, tutti: { namespaces: 'ours' } };
        return `Bearer ${signedToken(oursKey, { header: ES256, claims })}`;
      },
    ],
    [
      'a critical header that is not understood',
      () =>
        `Bearer ${signedToken(oursKey, { header: { ...ES256, crit: ['x'], x: 1 }, claims: CLAIMS })}`,
    ],
    ['a very long token', () => `Bearer ${'a'.repeat(9_000)}`],
  ])('%s', async (_name, make) => {
    const authorization = await make();
    for (const [method, path, request] of REQUESTS) {
      const headers = { ...('headers' in request ? request.headers : {}), authorization };
      const answer = await server.call(method, path.replace('THEIRS', theirs), {
        ...request,
        headers,
      });
      expect(answer.code, `${method} ${path}`).toBe(401);
      if (method !== 'HEAD') expectStatus(answer);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });
});

describe('a token of one namespace', () => {
  const call = (method: string, path: string, body?: unknown, headers: Loose = {}) =>
    server.call(method, path, {
      headers: {
        ...(headers as Readonly<Record<string, string>>),
        ...bearer(signedToken(oursKey, { header: ES256, claims: CLAIMS })),
      },
      ...(body === undefined ? {} : { body }),
    });

  // HTTP 1: A token of one namespace sees nothing of others.
  test('reaches what is there', async () => {
    expect(itemsOf(await call('GET', '/namespaces'))).toEqual(['ours']);
    expect(itemsOf(await call('GET', '/workflows'))).toEqual([ours]);
    expect(detailsOf(await call('GET', '/workflows/status')).items).toEqual([ours]);
    expect((await call('GET', `/workflows/${ours}/status`)).code).toBe(200);
    expect((await call('POST', '/workflows?namespace=ours', oneJob('o', [sh('true')]))).code).toBe(
      201,
    );
  });

  test.each<[string, string, unknown?, Loose?]>([
    ['GET', '/workflows/THEIRS/status'],
    ['GET', '/workflows/THEIRS/status', undefined, { accept: 'text/event-stream' }],
    ['GET', '/workflows/THEIRS/logs'],
    ['GET', '/workflows/THEIRS/logs', undefined, { range: 'bytes=99999-' }],
    ['GET', '/workflows/THEIRS/workers'],
    ['GET', '/workflows/THEIRS/datasources/jobs'],
    ['GET', '/workflows/THEIRS/files/00000000-0000-4000-8000-000000000000'],
    ['DELETE', '/workflows/THEIRS'],
    ['DELETE', '/workflows/THEIRS?dryRun'],
    ['POST', '/workflows?namespace=theirs', oneJob('x', [sh('true')])],
    ['POST', '/workflows', oneJob('of the default namespace', [sh('true')])],
    [
      'POST',
      '/workflows?dryRun',
      { ...oneJob('x', [sh('true')]), metadata: { name: 'x', namespace: 'theirs' } },
    ],
    ['POST', '/publications', { kind: 'Notification', metadata: { workflow_id: 'THEIRS' } }],
    ['POST', '/publications', { kind: 'Notification', metadata: { namespace: 'theirs' } }],
    ['POST', '/agents', registration('theirs')],
    ['POST', '/agents', registration('*')],
    ['POST', '/agents', registration('ours,theirs')],
    // HTTP 5: 403 for a token that does not give the right.
  ])('is Forbidden to %s %s %j', async (method, path, body, headers) => {
    const text = JSON.stringify(body)?.replace('THEIRS', theirs);
    const answer = await call(
      method,
      path.replace('THEIRS', theirs),
      text === undefined ? undefined : JSON.parse(text),
      headers,
    );
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 403, reason: 'Forbidden' });
  });

  // HTTP 1: A token of one namespace sees nothing of others.
  // HTTP 2.2: `namespaces` is `*`, one name, or names with commas.
  test('does not see agents and channels of others, and cannot touch them', async () => {
    const agent = await registerExisting(server, ['linux'], { metadata: { namespaces: 'hidden' } });
    expect(bodyOf(await call('GET', '/agents')).items).toEqual([]);
    const channels = itemsOf(await call('GET', '/channels'));
    // Everybody sees the channel for rehearsals.
    expect(channels).toMatchObject([{ metadata: { name: 'inception' } }]);
    for (const [method, body] of [['GET'], ['DELETE'], ['POST', { exit_status: 0 }]] as const) {
      const answer = await call(method, `/agents/${agent.id}`, body);
      expect(answer.code, method).toBe(403);
    }
    const refreshed = await call('PATCH', '/agents', { [agent.id]: {} });
    expect(bodyOf(refreshed)).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect((await agent.poll()).code).toBe(204);
    await server.call('DELETE', `/agents/${agent.id}`);
  });

  // HTTP 4.5: GET /channels: channels, with selectors.
  test('tells of no channels of others, and takes none away', async () => {
    const handler = '99999999-0000-4000-8000-000000000002';
    const channel = (namespaces: string) => ({
      metadata: { name: namespaces, namespaces },
      spec: { tags: ['linux'] },
    });
    const listOf = (...namespaces: readonly string[]) => {
      const channels = namespaces.map(channel);
      const spec = { channelHandler: { channelhandler_id: handler, channels } };
      return { apiVersion: 'v1', kind: 'Notification', metadata: {}, spec };
    };
    await server.call('POST', '/publications', { body: listOf('ours', 'theirs') });
    await call('POST', '/publications', listOf());
    await call('POST', '/publications', listOf('theirs, ours', '*', 'ours'));
    const query = `fieldSelector=metadata.channelhandler_id==${handler}`;
    const listed = itemsOf(await server.call('GET', '/channels', { query }));
    expect(listed).toMatchObject([channel('theirs'), channel('ours')]);
    expect(listed).toHaveLength(2);
  });

  // HTTP 4.4: DELETE of a subscription: 403 for what is not the bearer's; those of built-in services are kept.
  // HTTP 5: Rights by namespace, resource and verb; listings leave out the rest.
  test('does not see or cancel subscriptions of others', async () => {
    const body = subscription('http://127.0.0.1:9/inbox');
    const made = await server.call('POST', '/subscriptions', { body });
    const { uuid } = detailsOf(made);
    const listed = bodyOf(await call('GET', '/subscriptions')).items;
    expect(Object.keys(listed as Loose)).not.toContain(uuid);
    expect((await call('DELETE', `/subscriptions/${uuid}`)).code).toBe(403);
    expect((await server.call('DELETE', `/subscriptions/${uuid}`)).code).toBe(200);
  });

  test('subscribes to the events of its namespace alone', async () => {
    const inbox = await openInbox();
    onTestFinished(() => inbox.close());
    const made = await call('POST', '/subscriptions', subscription(inbox.endpoint));
    expect(made.code).toBe(201);
    await start(server, oneJob('not for it', [sh('true')]), 'namespace=theirs');
    const id = await start(server, oneJob('for it', [sh('true')]), 'namespace=ours');
    const ofRun = () =>
      inbox.deliveries.filter(({ event }) => metadataOf(event).workflow_id === id);
    await eventually('the events of its own run', () => ofRun().length > 1);
    const namespaces = inbox.deliveries.map(({ event }) => metadataOf(event).namespace);
    expect(new Set(namespaces)).toEqual(new Set(['ours']));
  });

  test('leaves the run of others as it was', async () => {
    expect(detailsOf(await server.call('GET', `/workflows/${theirs}/status`)).status).toBe(
      'PENDING',
    );
  });
});

const metadataOf = ({ metadata }: Loose): Loose => metadata as Loose;

function registration(namespaces: string) {
  return {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'AgentRegistration',
    metadata: { name: 'intruder', namespaces },
    spec: { tags: ['linux'] },
  };
}

function subscription(endpoint: string) {
  return {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'Subscription',
    metadata: { name: 'everything' },
    spec: { subscriber: { endpoint } },
  };
}

describe('a token of some verbs and resources', () => {
  const withScope = (tutti: Loose, method: string, path: string) => {
    const token = signedToken(oursKey, { header: ES256, claims: { ...CLAIMS, tutti } });
    return server.call(method, path.replace('OURS', ours), {
      headers: bearer(token),
      ...(method === 'POST' ? { body: {} } : {}),
    });
  };

  test.each<[Loose, string, string, number]>([
    [{ verbs: ['get'] }, 'GET', '/workflows/OURS/status', 200],
    [{ verbs: ['get'] }, 'GET', '/workflows', 403],
    [{ verbs: ['get', 'list'] }, 'DELETE', '/workflows/OURS', 403],
    [{ verbs: ['list'] }, 'POST', '/workflows', 403],
    [{ verbs: ['list'] }, 'POST', '/publications', 403],
    [{ verbs: ['list'] }, 'POST', '/agents', 403],
    [{ verbs: ['list'] }, 'POST', '/subscriptions', 403],
    [{ resources: ['agents'] }, 'GET', '/agents', 200],
    [{ resources: ['agents'] }, 'GET', '/workflows', 403],
    [{ resources: ['agents'] }, 'GET', '/channels', 403],
    [{ resources: ['agents'] }, 'GET', '/channelhandlers', 403],
    [{ resources: ['agents'] }, 'GET', '/workflows/status', 403],
    [{ resources: ['workflows'] }, 'GET', '/subscriptions', 403],
    [{ namespaces: ['theirs'] }, 'GET', '/workflows', 403],
    [{ namespaces: ['*'] }, 'GET', '/workflows/OURS/logs', 200],
    [{ namespaces: [] }, 'GET', '/workflows', 403],
    // HTTP 5: Rights by namespace, resource and verb; listings leave out the rest.
  ])('of %j: %s %s is %i', async (scope, method, path, code) => {
    expect((await withScope(scope, method, path)).code).toBe(code);
  });
});

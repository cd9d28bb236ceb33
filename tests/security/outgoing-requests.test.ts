/** Requests that the server must not make. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect } from 'vitest';
import { createApi, detailsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { openInbox } from '../support/inbox.ts';
import {
  FORWARDED,
  listedStatus,
  subscribe,
  subscribed,
  summaryOf,
} from '../support/subscriptions.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';

const bench = await Workbench.open();
const server = await bench.server();
afterAll(() => bench.close());

/** Counts connections to a port of this machine, by whatever address. */
async function openCanary() {
  let connections = 0;
  const canary = createServer((_request, response) => response.end());
  canary.on('connection', () => {
    connections += 1;
  });
  const port = await freePort();
  await new Promise<void>((resolve) => canary.listen(port, '::', resolve));
  afterAll(() => {
    canary.closeAllConnections();
    canary.close();
  });
  return { port, connections: () => connections };
}

const LOOPBACK_IN_DISGUISE = [
  ...['2130706433', '0177.0.0.1', '0x7f000001', '0x7f.1', '127.1', '127.0.1', '0'],
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:0:0:1]', '[::127.0.0.1]'],
] as const;

const MACHINE = [
  ...LOOPBACK_IN_DISGUISE,
  '0.0.0.0',
  '[::]',
  '127.0.0.1',
  '127.0.0.2',
  '[::1]',
  'localhost',
  'localhost.',
];

const NETWORKS = [
  ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '169.254.169.254', '198.18.0.1'],
  ...[
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2001:0:7f00:1::1]',
    '[fe80::1]',
    '[fd00::1]',
    '[::ffff:10.0.0.1]',
    '2852039166',
  ],
];

const SETTING = 'outgoing.privateNetworks';

const publish = (to: ServerChild, body: object) => to.call('POST', '/publications', { body });

attack('forged-addresses', async () => {
  const canary = await openCanary();
  for (const host of [...MACHINE, ...NETWORKS].flatMap((each) => [each, `example.org@${each}`])) {
    const endpoint = `http://${host}:${canary.port}/inbox`;
    const answer = await subscribe(server, endpoint, { headers: FORWARDED });
    expect([host, answer.code]).toEqual([host, 422]);
    expect(String(detailsOf(answer).error)).toContain(SETTING);
    const started = await server.call('POST', '/workflows', {
      headers: FORWARDED,
      body: {
        metadata: { name: 'fetches' },
        resources: { files: [{ name: 'data', url: endpoint }] },
        jobs: { a: { 'runs-on': 'linux', steps: [{ run: 'true' }] } },
      },
    });
    expect([host, started.code]).toEqual([host, 422]);
  }
  await publish(server, { kind: 'Test' });
  expect(canary.connections()).toBe(0);
});

attack('disguised-machine', async () => {
  const inbox = await openInbox();
  afterAll(() => inbox.close());
  const { port } = new URL(inbox.endpoint);
  for (const host of LOOPBACK_IN_DISGUISE) {
    const answer = await subscribe(server, `http://${host}:${port}/inbox`, { kind: 'Disguised' });
    expect([host, answer.code]).toEqual([host, 422]);
  }
  for (const network of NETWORKS) {
    expect((await subscribe(server, `http://${network}/inbox`)).code).toBe(422);
  }
  const headers = [FORWARDED, { via: '1.1 proxy' }, { forwarded: 'for=203.0.113.9' }];
  for (const each of headers) {
    const kind = 'Disguised';
    expect((await subscribe(server, inbox.endpoint, { kind, headers: each })).code).toBe(422);
  }
  for (const host of ['127.0.0.1', 'localhost']) {
    await subscribed(server, `http://${host}:${port}/inbox`, { kind: 'Plain', name: host });
  }
  await publish(server, { kind: 'Disguised' });
  await publish(server, { kind: 'Plain' });
  await eventually('both plain inboxes have it', () => inbox.deliveries.length === 2);
  expect(inbox.deliveries.map(({ event }) => event.kind)).toEqual(['Plain', 'Plain']);
});

/** A server whose subscriptions were made when everything was allowed, and no longer is. */
async function afterPolicyChange(endpoints: readonly string[]) {
  const before = await bench.server({ config: { resources: { privateAddresses: true } } });
  const ids: string[] = [];
  for (const [index, endpoint] of endpoints.entries()) {
    ids.push(await subscribed(before, endpoint, { name: `old ${index}`, headers: FORWARDED }));
  }
  await before.child.kill('SIGTERM');
  await before.child.whenGone;
  const now = await bench.server({ dataDir: before.dataDir });
  return { now, ids };
}

attack('older-subscriptions', async () => {
  const canary = await openCanary();
  const { now, ids } = await afterPolicyChange([`http://127.0.0.1:${canary.port}/inbox`]);
  const [id = ''] = ids;
  await publish(now, { kind: 'Test' });
  const summary = await eventually('the delivery is told', async () => {
    const shownBy = await summaryOf(now, id);
    return Object.keys(shownBy).length > 0 && shownBy;
  });
  expect(summary).toEqual({ 'not allowed': 1 });
  expect((await listedStatus(now, id)).quarantine).toBe(1);
  expect(canary.connections()).toBe(0);
  expect(now.child.stderr).toContain(SETTING);
});

attack('port-scanner', async () => {
  const canary = await openCanary();
  const closed = await freePort();
  const ports = [canary.port, closed].map((port) => `http://127.0.0.1:${port}/`);
  const { now, ids } = await afterPolicyChange([...ports, 'http://10.255.255.1/']);
  await publish(now, { kind: 'Test' });
  const shownBy = await eventually('all deliveries are told', async () => {
    const all = await Promise.all(ids.map((id) => listedStatus(now, id)));
    return all.every(({ quarantine }) => quarantine !== undefined) && all;
  });
  const withoutTimes = shownBy.map(({ lastPublicationTimestamp: _, ...status }) => status);
  expect(new Set(withoutTimes.map((each) => JSON.stringify(each))).size).toBe(1);
});

/** Answers each request with the redirection that its query says; `asked` counts. */
async function openRedirector() {
  let asked = 0;
  const redirector = createServer((request, response) => {
    asked += 1;
    const query = new URL(request.url ?? '', 'http://any').searchParams;
    response.writeHead(Number(query.get('code')), { location: query.get('to') ?? '' }).end();
  });
  await new Promise<void>((resolve) => redirector.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    redirector.closeAllConnections();
    redirector.close();
  });
  const { port } = redirector.address() as AddressInfo;
  const to = (target: string, code = 302, host = '127.0.0.1') =>
    `http://${host}:${port}/?${new URLSearchParams({ code: String(code), to: target })}`;
  return { to, asked: () => asked };
}

/** Addresses of each name, one list for each look-up. */
const NAMES = {
  'inner.example': [['::1']],
  'rebound.example': [['1.1.1.1'], ['127.0.0.2']],
  // First what may be asked, which leads to the same name, which then leads to another one.
  'moving.example': [['127.0.0.1'], ['127.0.0.2']],
  'several.example': [['127.0.0.2', '::1']],
} as const;

const RESOLVER = new URL('../support/own-resolver.js', import.meta.url);
RESOLVER.searchParams.set('names', JSON.stringify(NAMES));

/** A server that may ask 127.0.0.1, and nothing else of its machine. */
const serverWithNames = (config: object = {}) =>
  bench.server({
    config: { outgoing: { privateNetworks: ['127.0.0.1'] }, ...config },
    nodeOptions: ['--import', RESOLVER.href],
  });

/** The server's error about a file of a workflow. */
async function fetchError(from: ServerChild, url: string): Promise<string> {
  const answer = await from.call('POST', '/workflows', {
    body: {
      metadata: { name: 'fetches' },
      resources: { files: [{ name: 'data', url }] },
      jobs: { a: { 'runs-on': 'linux', steps: [{ run: 'true' }] } },
    },
  });
  expect([url, answer.code]).toEqual([url, 422]);
  return answer.text;
}

attack('redirected-requests', async () => {
  const [canary, redirector] = [await openCanary(), await openRedirector()];
  const { port } = canary;
  const keySets = [{ url: redirector.to(`http://127.0.0.1:${port}/`), namespaces: '*' }];
  const strict = await serverWithNames({ auth: { keySets } });
  const targets = [
    ...['127.0.0.2', '[::1]', '2130706434', '[::ffff:127.0.0.2]', 'inner.example'].map(
      (host) => `http://${host}:${port}/`,
    ),
    `//127.0.0.2:${port}/`,
    `https://127.0.0.2:${port}/`,
    redirector.to(`http://[::1]:${port}/`, 307),
    `${strict.url}/health`,
  ];
  for (const target of targets) {
    for (const code of [301, 302, 303, 307, 308]) {
      const error = await fetchError(strict, redirector.to(target, code));
      expect(error).toMatch(/outgoing\.privateNetworks|an address of this server/);
    }
  }
  const endpoint = redirector.to(`http://[::1]:${port}/`, 307);
  const id = await subscribed(strict, endpoint, { headers: FORWARDED });
  await publish(strict, { kind: 'Test' });
  await eventually('its answer counts', async () => (await summaryOf(strict, id))['307'] === 1);
  const before = redirector.asked();
  const [header, payload] = strict.token.split('.');
  const stranger = createApi(strict.url, `${header}.${payload}.${'A'.repeat(86)}`);
  expect((await stranger.call('GET', '/version')).code).toBe(401);
  expect(redirector.asked()).toBe(before + 1);
  expect(canary.connections()).toBe(0);
});

attack('rebound-names', async () => {
  const [canary, redirector] = [await openCanary(), await openRedirector()];
  const strict = await serverWithNames();
  const at = (host: string) => `http://${host}:${canary.port}/`;
  const moving = redirector.to(at('moving.example'), 302, 'moving.example');
  expect(await fetchError(strict, moving)).toContain(
    'moving.example is an address of a private network',
  );
  expect(redirector.asked()).toBe(1);
  expect(await fetchError(strict, at('several.example'))).toContain(SETTING);
  const headers = FORWARDED;
  expect((await subscribe(strict, at('several.example'), { headers })).code).toBe(422);
  const id = await subscribed(strict, at('rebound.example'), { headers });
  await publish(strict, { kind: 'Test' });
  const summary = await eventually('the delivery is told', async () => {
    const shownBy = await summaryOf(strict, id);
    return Object.keys(shownBy).length > 0 && shownBy;
  });
  expect(summary).toEqual({ 'not allowed': 1 });
  expect(canary.connections()).toBe(0);
});

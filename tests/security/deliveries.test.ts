/** Costs of publications for the server. */
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { afterAll, expect } from 'vitest';
import { databaseOf } from '../../server/src/runtime/data-directory.ts';
import { databaseBytes } from '../../server/src/services/metrics/disk-readings.ts';
import { detailsOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { scrape } from '../support/exposition.ts';
import { freePort } from '../support/free-port.ts';
import { openInbox } from '../support/inbox.ts';
import { peakMemory } from '../support/process-facts.ts';
import { oneJob, sh, start } from '../support/runs.ts';
import { subscribe, subscribed, summaryOf } from '../support/subscriptions.ts';
import { signedToken } from '../support/tokens.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';

const ANYWHERE = { resources: { privateAddresses: true } } as const;
const MIB = 1024 * 1024;

const bench = await Workbench.open();
afterAll(() => bench.close());

const waiting = oneJob('waits', [sh('true')], { 'runs-on': 'nowhere' });

const publish = (to: ServerChild, body: object) => to.call('POST', '/publications', { body });

const diskBytes = ({ dataDir }: ServerChild): Promise<number> => databaseBytes(databaseOf(dataDir));

attack('inbox-own-server', async () => {
  const server = await bench.server({
    config: { ...ANYWHERE, services: [{ name: 'eventbus', prefix: '/bus' }] },
  });
  const { port } = new URL(server.url);
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const own = addresses.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
  const hosts = [
    ...['127.0.0.1', '127.0.0.2', 'localhost', 'localhost.', '2130706433', '0177.0.0.1', '0'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]'],
    ...own,
    ...own.map((address) => `[::ffff:${address}]`),
  ];
  for (const host of hosts) {
    for (const path of ['/publications', '/bus/publications', '']) {
      const answer = await subscribe(server, `http://${host}:${port}${path}`);
      expect([host, path, answer.code]).toEqual([host, path, 422]);
    }
  }
});

/** Hands on whatever comes, with its headers. */
async function openProxyTo(url: string, token: string) {
  let requests = 0;
  const proxy = createServer((request, response) => {
    requests += 1;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { 'x-subscription-id': subscription, 'x-publication-id': publication } =
        request.headers;
      const answer = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'x-subscription-id': String(subscription),
          'x-publication-id': String(publication),
        },
        body: Buffer.concat(chunks),
      });
      response.writeHead(answer.status).end();
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return {
    endpoint: `http://127.0.0.1:${Object(proxy.address()).port}/`,
    requests: () => requests,
  };
}

attack('inbox-behind-proxy', async () => {
  const server = await bench.server();
  const proxy = await openProxyTo(`${server.url}/publications`, server.token);
  const ids = await Promise.all(
    [1, 2, 3].map((n) => subscribed(server, proxy.endpoint, { name: `loop ${n}` })),
  );
  await publish(server, { kind: 'Test', content: 'x'.repeat(100_000) });
  for (const id of ids) {
    await eventually('the delivery is told', async () => (await summaryOf(server, id))[403] === 1);
    expect(await summaryOf(server, id)).toEqual({ 403: 1 });
  }
  expect(proxy.requests()).toBe(3);
});

attack('inbox-starts-workflows', async () => {
  const config = { auth: { insecureLogin: true } };
  const [server, other] = [await bench.server({ config }), await bench.server({ config })];
  const first = await start(server, waiting);
  const paths = ['/workflows', `/workflows/${first}/rerun`];
  const endpoints = await Promise.all(
    paths.map(async (path) => (await openProxyTo(`${server.url}${path}`, server.token)).endpoint),
  );
  endpoints.push(`${other.url}/workflows`);
  const ids: string[] = [];
  for (const [n, endpoint] of endpoints.entries()) {
    ids.push(await subscribed(server, endpoint, { name: `loop ${n}`, kind: 'Workflow' }));
  }
  const second = await start(server, waiting);
  for (const id of ids) {
    const summary = await eventually('the answer is told', async () => {
      const actual = await summaryOf(server, id);
      return Object.keys(actual).length > 0 ? actual : null;
    });
    expect(summary).toEqual({ 403: 1 });
  }
  expect(await workflowIds(server)).toEqual([first, second]);
  expect(await workflowIds(other)).toEqual([]);
});

const workflowIds = async (server: ServerChild): Promise<unknown> =>
  detailsOf(await server.call('GET', '/workflows')).items;

attack('inbox-each-other', async () => {
  const config = { auth: { insecureLogin: true } };
  const [one, other] = [await bench.server({ config }), await bench.server({ config })];
  const toOther = await subscribed(one, `${other.url}/publications`);
  const toOne = await subscribed(other, `${one.url}/publications`);
  await publish(one, { kind: 'Test' });
  await eventually('the delivery is told', async () => (await summaryOf(one, toOther))[403] === 1);
  expect(await summaryOf(other, toOne)).toEqual({});
  expect(await summaryOf(one, toOther)).toEqual({ 403: 1 });
});

attack('dead-inboxes', async () => {
  const server = await bench.server();
  const port = await freePort();
  const ids: string[] = [];
  for (let n = 0; n < 100; n += 1) {
    ids.push(await subscribed(server, `http://127.0.0.1:${port}/`, { name: `dead ${n}` }));
  }
  const before = await diskBytes(server);
  const answer = await publish(server, { kind: 'Test', content: 'x'.repeat(4_000_000) });
  expect(answer.code).toBe(200);
  await eventually('each was tried', async () => {
    const summaries = await Promise.all(ids.slice(-3).map((id) => summaryOf(server, id)));
    return summaries.every(({ ConnectionError = 0 }) => ConnectionError > 0);
  });
  // The database and its log have it once each.
  expect((await diskBytes(server)) - before).toBeLessThan(12 * MIB);
  expect(peakMemory(server.child.pid)).toBeLessThan(400 * MIB);
});

// Bound: Bytes that wait for one inbox, with 192 for each entry.
attack('backlog-of-inbox', async () => {
  const server = await bench.server({ config: { limits: { undeliveredBytes: MIB } } });
  const id = await subscribed(server, `http://127.0.0.1:${await freePort()}/`);
  const before = await diskBytes(server);
  for (let n = 0; n < 40; n += 1) {
    const answer = await publish(server, { kind: 'Test', content: 'x'.repeat(300_000) });
    expect(answer.code).toBe(200);
  }
  expect((await summaryOf(server, id))['inbox full']).toBe(37);
  const metrics = await scrape(server);
  expect(metrics.value('tutti_dropped_deliveries_total', { reason: 'inbox-full' })).toBe(37);
  expect(metrics.value('tutti_outbox_bytes', {})).toBeLessThanOrEqual(MIB);
  expect((await diskBytes(server)) - before).toBeLessThan(6 * MIB);
  expect(server.child.stderr).toContain('limits.undeliveredBytes');
});

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

// Bound: Bytes that wait for all inboxes of one namespace; for those of all namespaces.
attack('backlog-of-namespace', async () => {
  const path = bench.path('authority.pem');
  await writeFile(path, publicKey.export({ type: 'spki', format: 'pem' }));
  const server = await bench.server({
    config: {
      limits: { undeliveredNamespaceBytes: MIB },
      auth: { trustedKeys: [{ path, namespaces: 'team' }] },
    },
  });
  const port = await freePort();
  const inbox = await openInbox();
  afterAll(() => inbox.close());
  const ids: string[] = [];
  for (let n = 0; n < 10; n += 1) {
    ids.push(await subscribed(server, `http://127.0.0.1:${port}/`, { name: `dead ${n}` }));
  }
  for (let n = 0; n < 10; n += 1) {
    await publish(server, { kind: 'Test', content: 'x'.repeat(100_000) });
  }
  const summaries = await Promise.all(ids.map((id) => summaryOf(server, id)));
  const dropped = summaries.map((summary) => summary['namespace full'] ?? 0);
  // Each inbox keeps one in any case; together they keep ten.
  expect(dropped).toEqual(Array.from({ length: 10 }, () => 9));
  const team = signedToken(privateKey, { header: { alg: 'ES256' }, claims: { sub: 'team' } });
  const headers = { authorization: `Bearer ${team}` };
  await subscribed(server, inbox.endpoint, { kind: 'Team', headers });
  await publish(server, { kind: 'Team', metadata: { namespace: 'team' } });
  await eventually('another namespace gets its publication', () => inbox.deliveries.length === 1);
});

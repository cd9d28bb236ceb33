/** Requirements of clients on every answer. The numbers are those of the checklist of clients. */
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyOf, detailsOf, itemsOf } from '../../support/api.ts';
import { expectStatus } from '../../support/expect-status.ts';
import { oneJob, sh, start, startedId } from '../../support/runs.ts';
import { signedToken } from '../../support/tokens.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { cellsOf, idOf } from './ctl.ts';
import { inItsManner, recordedClient } from './recorded-client.ts';
import { freePorts, onPorts, type Ports } from './service-places.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const KEYS = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
};

let bench: Workbench;
let server: ServerChild;
let ports: Ports;
const call: ServerChild['call'] = (...words) => inItsManner(server)(...words);
const get = (path: string, query?: string) =>
  call('GET', path, query === undefined ? {} : { query });

beforeAll(async () => {
  bench = await Workbench.open();
  const trustedKeys = await Promise.all(
    Object.values(KEYS).map(async ({ publicKey }) => {
      const path = bench.path('key.pem');
      await writeFile(path, publicKey.export({ type: 'spki', format: 'pem' }));
      return { path, namespaces: '*' };
    }),
  );
  ports = await freePorts();
  // Without agents: what starts here stays PENDING.
  server = await bench.server({ config: { auth: { trustedKeys }, ...onPorts(ports) } });
});

afterAll(() => bench.close());

const client = (context: Parameters<typeof recordedClient>[1]) =>
  recordedClient({ bench, server }, context);
const waiting = (name: string) => oneJob(name, [sh('true')]);

test.concurrent.each([
  ['GET', '/nowhere', 404, {}],
  ['GET', '/', 404, {}],
  ['PATCH', '/workflows', 405, {}],
  ['GET', `/workflows/${UNKNOWN}/qualitygates`, 404, {}],
  ['DELETE', `/subscriptions/${UNKNOWN}`, 404, {}],
  ['GET', '/workflows?fieldSelector=,', 422, {}],
  ['POST', '/workflows', 422, {}],
  ['POST', '/publications', 400, {}],
  ['GET', '/workflows', 401, { authorization: 'Bearer none' }],
  ['GET', '/workflows', 401, { authorization: '' }],
])('8.1: %s %s fails with a Status of the code %i, never HTML', async (...row) => {
  const [method, path, code, headers] = row;
  const answer = await call(method, path, { headers: { ...headers } });
  expect(answer.code).toBe(code);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expectStatus(answer);
});

test.concurrent('8.2: the code of the body is that of the answer', async () => {
  for (const path of ['/workflows', '/nowhere', `/workflows/${UNKNOWN}/status`, '/version']) {
    const answer = await get(path);
    expect(bodyOf(answer).code).toBe(answer.code);
    expect(bodyOf(answer).status).toBe(answer.code < 300 ? 'Success' : 'Failure');
  }
});

// HTTP 5: It is signed by a trusted authority.
test.concurrent('8.3: tokens with iss and sub alone are taken, expired ones are not', async () => {
  for (const alg of [
    ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'],
  ]) {
    const pair = Object.entries(KEYS).find(([name]) => name === alg)?.[1] ?? KEYS.RS256;
    const answers = [{}, { exp: 1_700_000_000 }].map((more) => {
      const claims = { iss: 'an authority', sub: 'a person', ...more };
      const token = signedToken(pair.privateKey, { header: { alg }, claims });
      return call('GET', '/workflows', { headers: { authorization: `Bearer ${token}` } });
    });
    const [taken, expired] = await Promise.all(answers);
    expect([taken?.code, expired?.code], alg).toEqual([200, 401]);
    if (expired !== undefined) expectStatus(expired);
  }
});

test.concurrent('8.4: all is at one address, at each port, and below each prefix', async () => {
  const addresses = Object.values(ports).map((port) => `http://127.0.0.1:${port}`);
  for (const base of [server.url, ...addresses]) {
    for (const prefix of ['', '/of/observer', '/of/localstore', '//of/killswitch']) {
      const headers = { authorization: `Bearer ${server.token}` };
      const answer = await fetch(`${base}${prefix}/workflows`, { headers });
      expect(answer.status, `${base}${prefix}`).toBe(200);
    }
  }
});

test.concurrent('8.5: blanks in selectors come as + or %20, and == as it is', async (context) => {
  const id = await start(server, waiting('blanks'));
  const { ask } = await client(context);
  const selector = `metadata.workflow_id in (${id})`;
  const { lines, exchanges } = await ask('get', 'workflows', '--field-selector', selector);
  expect(exchanges[0]?.url).toContain('metadata.workflow_id+in+');
  expect(lines.map((line) => cellsOf(line)[0])).toContain(id);
  for (const query of [
    `metadata.workflow_id%20in%20(${id})`,
    `metadata.workflow_id==${id}`,
    `metadata.workflow_id%3D%3D${id}`,
  ]) {
    expect(itemsOf(await get('/workflows', `fieldSelector=${query}`)), query).toEqual([id]);
  }
});

test.concurrent('8.6: a parameter that is given twice counts once', async () => {
  const id = await start(server, waiting('twice'));
  const selector = 'fieldSelector=kind==Workflow';
  const once = await get(`/workflows/${id}/status`, selector);
  const twice = await get(`/workflows/${id}/status`, `${selector}&${selector}`);
  expect(itemsOf(once)).toHaveLength(1);
  expect([twice.code, itemsOf(twice)]).toEqual([200, itemsOf(once)]);
  for (const [path, query] of [
    ['/workflows', 'expand=manifest&expand=manifest'],
    ['/workflows', 'fieldSelector=a&fieldSelector=a&labelSelector=b&labelSelector=b'],
    ['/agents', 'fieldSelector=a==b&fieldSelector=a==b'],
    ['/subscriptions', 'labelSelector=a&labelSelector=a'],
    ['/channels', 'labelSelector=a&labelSelector=a'],
  ] as const) {
    const answer = await get(path, query);
    expect(answer.code, query).toBe(200);
    expect(answer.headers.get('x-processed-query')).toContain(query.split('=')[0]);
  }
});

// HTTP 3.2: An agent that goes takes the workflow of its job with it. With `force` it goes in any state.
test.concurrent('8.7: dryRun and force without a value are set', async (context) => {
  const { ctl, ask } = await client(context);
  await ctl.write('w.yaml', waiting('dry'));
  const run = await ask('run', 'workflow', 'w.yaml', '--dry-run');
  expect(run.exchanges[0]?.url).toMatch(/[?&]dryRun=(?:&|$)/);
  expect((await get(`/workflows/${idOf(run)}/status`)).code).toBe(404);
  for (const query of ['dryRun', 'dryRun=', 'dryRun=true']) {
    const body = waiting('not started');
    const none = startedId(await call('POST', '/workflows', { query, body }));
    expect((await get(`/workflows/${none}/status`)).code).toBe(404);
    const id = await start(server, waiting('kept'));
    expect((await call('DELETE', `/workflows/${id}`, { query })).code).toBe(200);
    expect(detailsOf(await get(`/workflows/${id}/status`)).status).toBe('PENDING');
  }
  for (const query of ['force', 'force=']) {
    const answer = bodyOf(await call('DELETE', `/agents/${UNKNOWN}`, { query }));
    expect(answer).toMatchObject({ code: 404, message: `Agent ${UNKNOWN} not known.` });
  }
});

test.concurrent('8.8: a slash too much or too few is no redirect', async () => {
  for (const path of [
    ...['/workflows/', '//workflows', '//workflows//status', '//workflows//status/'],
    ...['//agents', '//agents/', '/subscriptions/'],
  ]) {
    expect((await get(path)).code, path).toBe(200);
  }
});

test.concurrent('8.9: X-Processed-Query names what was understood', async (context) => {
  const { ask } = await client(context);
  for (const [listing, names] of [
    ['workflows', 'expand,fieldSelector'],
    ['agents', 'fieldSelector'],
    ['subscriptions', 'fieldSelector'],
    ['channels', 'fieldSelector'],
  ] as const) {
    const { code, exchanges } = await ask('get', listing, '--field-selector', 'metadata.name==x');
    const header = String(exchanges[0]?.answerHeaders['x-processed-query']);
    expect([code, header.split(',').toSorted().join()], listing).toEqual([0, names]);
  }
  const id = await start(server, waiting('named'));
  for (const [path, query, names] of [
    ['/workflows', 'expand=manifest', 'expand'],
    ['/workflows', 'expand=manifest&labelSelector=a', 'expand,labelSelector'],
    ['/subscriptions', 'fieldSelector=a&unknown=1', 'fieldSelector'],
    ['/channels', 'labelSelector=a', 'labelSelector'],
    [`/workflows/${id}/status`, 'fieldSelector=kind==x&per_page=1', 'fieldSelector,per_page'],
  ] as const) {
    const header = (await get(path, query)).headers.get('x-processed-query');
    expect(header?.split(',').toSorted().join(), query).toBe(names);
  }
});

/** What clients require of every answer, and of the answers about workflows. The numbers are those of the checklist of clients. */
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyOf, detailsOf, eventsOf, itemsOf, type Loose } from '../../support/api.ts';
import { expectStatus } from '../../support/expect-status.ts';
import { freePort } from '../../support/free-port.ts';
import { oneJob, sh, start } from '../../support/runs.ts';
import { signedToken } from '../../support/tokens.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { cellsOf, idOf } from './ctl.ts';
import { answerOf, inItsManner, recordedClient } from './recorded-client.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const KEYS = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
};
const PORTS = ['receptionist', 'observer', 'killswitch', 'eventbus', 'agentchannel'];

let bench: Workbench;
let server: ServerChild;
let ports: readonly number[];
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
  ports = await Promise.all(PORTS.map(() => freePort()));
  const others = ['qualitygate', 'localstore', 'insightcollector'];
  const services = [...PORTS, ...others].map((name, index) => ({
    name,
    port: ports[index % ports.length],
    prefix: `/${name}`,
  }));
  // Without agents: what starts here stays PENDING.
  server = await bench.server({
    config: { auth: { trustedKeys }, servicePorts: true, services },
  });
});

afterAll(() => bench.close());

const client = (context: Parameters<typeof recordedClient>[1]) =>
  recordedClient({ bench, server }, context);
const waiting = (name: string, more: Loose = {}) => ({ ...oneJob(name, [sh('true')]), ...more });

test.concurrent('8.1: an error has a Status as its body, never HTML', async () => {
  for (const [method, path, headers] of [
    ['GET', '/nowhere', {}],
    ['PATCH', '/workflows', {}],
    ['GET', '/workflows', { authorization: 'Bearer none' }],
    ['GET', '/workflows', { authorization: '' }],
    ['POST', '/workflows', {}],
  ] as const) {
    const answer = await call(method, path, { headers });
    expect(answer.code).toBeGreaterThanOrEqual(400);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expectStatus(answer);
  }
});

test.concurrent('8.2: the code of the body is that of the answer', async () => {
  for (const path of ['/workflows', '/nowhere', `/workflows/${UNKNOWN}/status`, '/version']) {
    const answer = await get(path);
    expect(bodyOf(answer).code).toBe(answer.code);
    expect(bodyOf(answer).status).toBe(answer.code < 300 ? 'Success' : 'Failure');
  }
});

test.concurrent('8.3: tokens with iss and sub alone are taken, expired ones are not', async () => {
  for (const alg of [
    ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'],
  ]) {
    const pair = Object.entries(KEYS).find(([name]) => name === alg)?.[1] ?? KEYS.RS256;
    const codes = [{}, { exp: 1_700_000_000 }].map(async (more) => {
      const claims = { iss: 'an authority', sub: 'a person', ...more };
      const token = signedToken(pair.privateKey, { header: { alg }, claims });
      const headers = { authorization: `Bearer ${token}` };
      return (await call('GET', '/workflows', { headers })).code;
    });
    expect(await Promise.all(codes), alg).toEqual([200, 401]);
  }
});

test.concurrent('8.4: all is at one address, at each port, and below each prefix', async () => {
  for (const base of [server.url, ...ports.map((port) => `http://127.0.0.1:${port}`)]) {
    for (const prefix of ['', '/observer', '/localstore', '//killswitch']) {
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
  for (const query of [`metadata.workflow_id%20in%20(${id})`, `metadata.workflow_id==${id}`]) {
    expect(itemsOf(await get('/workflows', `fieldSelector=${query}`))).toEqual([id]);
  }
});

test.concurrent('8.6: a parameter that is given twice counts once', async () => {
  const id = await start(server, waiting('twice'));
  const selector = 'fieldSelector=kind==Workflow';
  const once = await get(`/workflows/${id}/status`, selector);
  const twice = await get(`/workflows/${id}/status`, `${selector}&${selector}`);
  expect(itemsOf(once)).toHaveLength(1);
  expect([twice.code, itemsOf(twice)]).toEqual([200, itemsOf(once)]);
});

test.concurrent('8.7: dryRun and force without a value are set', async (context) => {
  const { ctl, ask } = await client(context);
  await ctl.write('w.yaml', waiting('dry'));
  const run = await ask('run', 'workflow', 'w.yaml', '--dry-run');
  expect(run.exchanges[0]?.url).toMatch(/[?&]dryRun=(?:&|$)/);
  expect((await get(`/workflows/${idOf(run)}/status`)).code).toBe(404);
  for (const query of ['dryRun', 'dryRun=']) {
    const id = await start(server, waiting('kept'));
    expect((await call('DELETE', `/workflows/${id}`, { query })).code).toBe(200);
    expect(detailsOf(await get(`/workflows/${id}/status`)).status).toBe('PENDING');
  }
  for (const query of ['force', 'force=']) {
    expect((await call('DELETE', `/agents/${UNKNOWN}`, { query })).code).toBe(404);
  }
});

test.concurrent('8.8: a slash too much or too few is no redirect', async () => {
  for (const path of ['/workflows/', '//workflows', '//agents/', '//workflows//status']) {
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
  expect((await get('/workflows', 'expand=manifest')).headers.get('x-processed-query')).toBe(
    'expand',
  );
});

test.concurrent('8.10: a file part without a type starts a workflow', async (context) => {
  const { ctl, ask } = await client(context);
  await ctl.write('any name.yaml', waiting('form'));
  const { exchanges } = await ask('run', 'workflow', 'any name.yaml');
  expect(exchanges[0]?.body).toContain('name="workflow"; filename="any name.yaml"\r\n\r\n');
  expect(exchanges[0]?.code).toBe(201);
  expect(answerOf(exchanges[0]).details.workflow_id).toMatch(UUID);
});

test.concurrent('8.11: variables and inputs come as files or as fields', async (context) => {
  const { ctl, ask } = await client(context);
  const manifest = waiting('given', { inputs: { place: { description: 'Where.' } } });
  await ctl.write('w.yaml', manifest);
  const given = ['-e', 'A=option', '-i', 'place=there'];
  const run = await ask('run', 'workflow', 'w.yaml', ...given);
  expect(run.exchanges[0]?.body).toContain('name="variables"; filename="variables"');
  const form = new FormData();
  form.set('workflow', JSON.stringify(manifest));
  form.set('variables', 'A=option');
  form.set('inputs', 'place=there');
  const plain = detailsOf(await call('POST', '/workflows', { body: form })).workflow_id;
  for (const id of [idOf(run), plain]) {
    const [event] = eventsOf(await get(`/workflows/${id}/status`));
    expect(event).toMatchObject({ variables: { A: 'option' } });
    expect(JSON.stringify(event?.metadata)).toContain('there');
  }
});

test.concurrent('8.12: files of the workflow come as parts of their names', async (context) => {
  const { ctl, ask } = await client(context);
  await ctl.write('w.yaml', waiting('files', { resources: { files: ['data'] } }));
  await ctl.write('local', 'bytes');
  const { exchanges } = await ask('run', 'workflow', 'w.yaml', '-f', 'data=local');
  expect(exchanges[0]?.body).toContain('name="data"; filename="local"\r\n\r\nbytes');
  expect(exchanges[0]?.code).toBe(201);
  const without = await ask('run', 'workflow', 'w.yaml');
  expect(without.code).toBe(1);
});

test.concurrent('8.13: the namespace is of the query, the manifest, or the default', async () => {
  for (const [query, own, namespace] of [
    ['namespace=asked', 'own', 'asked'],
    ['', 'own', 'own'],
    ['', undefined, 'default'],
  ] as const) {
    const metadata = { name: 'placed', ...(own === undefined ? {} : { namespace: own }) };
    const id = await start(server, waiting('placed', { metadata }), query);
    const [event] = eventsOf(await get(`/workflows/${id}/status`));
    const creationTimestamp = expect.any(String);
    expect(event?.metadata).toMatchObject({
      ...{ namespace, name: 'placed', workflow_id: id, creationTimestamp },
    });
  }
});

test.concurrent('8.14: a refusal has a message, and an error in its details', async (context) => {
  const { ctl, ask } = await client(context);
  await ctl.write('w.yaml', { metadata: {}, jobs: {} });
  const { code, stderr, exchanges } = await ask('run', 'workflow', 'w.yaml');
  const { message, details } = answerOf(exchanges[0]);
  expect([code, exchanges[0]?.code]).toEqual([1, 422]);
  expect(stderr).toContain(message);
  expect(details === null ? '' : details.error).toEqual(expect.any(String));
});

test.concurrent('8.15: a status is there right after the start', async (context) => {
  const { ctl, ask } = await client(context);
  await ctl.write('w.yaml', waiting('at once'));
  const id = idOf(await ask('run', 'workflow', 'w.yaml'));
  expect((await get(`/workflows/${id}/status`, 'per_page=1')).code).toBe(200);
});

test.concurrent('8.16: per_page=1 gives one item, the status and a next link', async () => {
  const id = await start(server, waiting('one'));
  const answer = await get(`/workflows/${id}/status`, 'per_page=1');
  expect(itemsOf(answer)).toHaveLength(1);
  expect(detailsOf(answer).status).toBe('PENDING');
  expect(answer.headers.get('link')).toContain('rel="next"');
});

test.concurrent('8.17: workflows are ids, and manifests if they are asked for', async (context) => {
  const id = await start(server, waiting('listed'));
  expect(itemsOf(await get('/workflows'))).toContain(id);
  const { exchanges } = await (await client(context)).ask('get', 'workflows');
  expect(exchanges.map(({ url }) => url)).toEqual(['/workflows?expand=manifest']);
  expect(answerOf(exchanges[0]).details.items[id]).toMatchObject({
    metadata: { workflow_id: id, name: 'listed', namespace: 'default' },
    status: { phase: 'PENDING' },
  });
});

test('8.18: the selector of kill --all gives those that are not over', async (context) => {
  const other = await bench.server();
  const over = await start(other, waiting('over'));
  await other.call('DELETE', `/workflows/${over}`);
  const kept = await start(other, waiting('kept'));
  const { ask } = await recordedClient({ bench, server: other }, context);
  const { exchanges, lines } = await ask('kill', 'workflow', '--all', '--dry-run');
  expect(answerOf(exchanges[0]).details.items).toEqual([kept]);
  expect(lines).toEqual([`Killing workflow ${kept}.`]);
});

test.concurrent('8.19: workflows are selected by their fields and labels', async (context) => {
  const labels = { 'example.com/x': 'y' };
  const metadata = { name: 'selected', namespace: 'team', labels };
  const id = await start(server, waiting('selected', { metadata }));
  const { ask } = await client(context);
  for (const words of [
    ['--field-selector', 'metadata.namespace==team'],
    ['--field-selector', 'metadata.name==selected'],
    ['--field-selector', `metadata.workflow_id==${id}`],
    ['--selector', 'example.com/x==y'],
  ]) {
    const { lines } = await ask('get', 'workflows', ...words);
    expect(
      lines.slice(1).map((line) => cellsOf(line)[0]),
      words.join(' '),
    ).toEqual([id]);
  }
});

test.concurrent('8.20: events are selected', async () => {
  const id = await start(server, waiting('events'));
  const events = eventsOf(await get(`/workflows/${id}/status`));
  const job = events.find(({ kind }) => kind === 'ExecutionCommand')?.metadata.job_id;
  const path = `/workflows/${id}/status`;
  const ofJob = eventsOf(await get(path, `fieldSelector=metadata.job_id%3D%3D${job}`));
  expect(ofJob).toEqual(events.filter(({ metadata }) => metadata.job_id === job));
  expect(ofJob.length).toBeGreaterThan(0);
  expect(itemsOf(await get(path, 'fieldSelector=kind==WorkflowResult'))).toEqual([]);
});

test.concurrent('8.21: an unknown workflow is 404 with details null', async (context) => {
  const { ask } = await client(context);
  const { code, exchanges } = await ask('get', 'workflow', UNKNOWN);
  expect([code, exchanges[0]?.code]).toEqual([1, 404]);
  expect(answerOf(exchanges[0])).toMatchObject({ code: 404, details: null });
});

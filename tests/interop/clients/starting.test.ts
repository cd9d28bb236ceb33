/** Requirements of clients on starts of workflows, and on their listing. The numbers are those of the checklist of clients. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyOf, detailsOf, eventsOf, itemsOf, type Loose } from '../../support/api.ts';
import { expectStatus } from '../../support/expect-status.ts';
import { logged, oneJob, sh, start } from '../../support/runs.ts';
import { type ServerChild, Workbench } from '../../support/workbench.ts';
import { cellsOf, idOf } from './ctl.ts';
import { answerOf, inItsManner, recordedClient } from './recorded-client.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let bench: Workbench;
let server: ServerChild;
const call: ServerChild['call'] = (...words) => inItsManner(server)(...words);
const get = (path: string, query?: string) =>
  call('GET', path, query === undefined ? {} : { query });

beforeAll(async () => {
  bench = await Workbench.open();
  // Without agents: what starts here stays PENDING.
  server = await bench.server();
});

afterAll(() => bench.close());

const client = (context: Parameters<typeof recordedClient>[1]) =>
  recordedClient({ bench, server }, context);
const waiting = (name: string, more: Loose = {}) => ({ ...oneJob(name, [sh('true')]), ...more });

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
  const manifest = waiting('given', {
    variables: { A: 'manifest' },
    inputs: { place: { description: 'Where.', default: 'here' } },
  });
  await ctl.write('w.yaml', manifest);
  const given = ['-e', 'A=option', '-i', 'place=there'];
  const run = await ask('run', 'workflow', 'w.yaml', ...given);
  expect(run.exchanges[0]?.body).toContain('name="variables"; filename="variables"');
  const form = new FormData();
  form.set('workflow', JSON.stringify(manifest));
  form.set('variables', 'A=first\nA=option');
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
  const bytes = Buffer.from([0, 255, 13, 10, 45, 45]);
  await writeFile(join(ctl.home, 'local'), bytes);
  const { exchanges } = await ask('run', 'workflow', 'w.yaml', '-f', 'data=local');
  const content = bytes.toString('latin1');
  expect(exchanges[0]?.body).toContain(`name="data"; filename="local"\r\n\r\n${content}\r\n`);
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
    const creationTimestamp = expect.stringMatching(TIME);
    expect(event?.kind).toBe('Workflow');
    expect(event?.metadata).toMatchObject({
      ...{ namespace, name: 'placed', workflow_id: id, creationTimestamp },
    });
  }
});

// HTTP 2.1: `details` is an object or null.
test.concurrent('8.14: a refusal has a message, and an error in its details', async (context) => {
  const { ctl, ask } = await client(context);
  await ctl.write('w.yaml', { metadata: {}, jobs: {} });
  const { code, stderr, exchanges } = await ask('run', 'workflow', 'w.yaml');
  const { message, details } = answerOf(exchanges[0]);
  expect([code, exchanges[0]?.code]).toEqual([1, 422]);
  expect(stderr).toContain(message);
  expect(details === null ? '' : details.error).toEqual(expect.any(String));
  for (const body of [{}, waiting('n', { inputs: { a: {} } })]) {
    const answer = await call('POST', '/workflows', { body });
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 422, message: expect.stringMatching(/./) });
    const actual = bodyOf(answer).details;
    if (actual !== null) expect(actual).toEqual({ error: expect.any(String) });
  }
});

// HTTP 3.2: A valid workflow is PENDING, has an id, and is published.
test.concurrent('8.15: a status is there right after the start', async (context) => {
  const { ctl, ask } = await client(context);
  await ctl.write('w.yaml', waiting('at once'));
  const id = idOf(await ask('run', 'workflow', 'w.yaml'));
  const answer = await get(`/workflows/${id}/status`, 'per_page=1');
  expect(bodyOf(answer)).toMatchObject({ code: 200, details: { status: 'PENDING' } });
  expect(itemsOf(answer)).toHaveLength(1);
});

test.concurrent('8.16: per_page=1 gives one item, the status and a next link', async () => {
  const id = await start(server, waiting('one'));
  const answer = await get(`/workflows/${id}/status`, 'per_page=1');
  expect(itemsOf(answer)).toHaveLength(1);
  expect(detailsOf(answer).status).toBe('PENDING');
  expect(answer.headers.get('link')).toMatch(/<http:\/\/[^>]+>; rel="next"/);
});

test.concurrent('8.17: workflows are ids, and manifests if they are asked for', async (context) => {
  const id = await start(server, waiting('listed'));
  expect(itemsOf(await get('/workflows'))).toContain(id);
  const { exchanges } = await (await client(context)).ask('get', 'workflows');
  expect(exchanges.map(({ url }) => url)).toEqual(['/workflows?expand=manifest']);
  expect(answerOf(exchanges[0]).details.items[id]).toMatchObject({
    metadata: {
      ...{ workflow_id: id, name: 'listed', namespace: 'default' },
      creationTimestamp: expect.stringMatching(TIME),
    },
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

// HTTP 4.1: Five listings take a field selector and a label selector, combined by AND.
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
    ['--selector', 'example.com/x,!example.com/z', '--field-selector', 'metadata.name'],
  ]) {
    const { lines } = await ask('get', 'workflows', ...words);
    expect(
      lines.slice(1).map((line) => cellsOf(line)[0]),
      words.join(' '),
    ).toEqual([id]);
  }
});

// HTTP 4.1: Five listings take a field selector and a label selector, combined by AND.
test.concurrent('8.20: events are selected', async () => {
  const id = await start(server, waiting('events'));
  // So that nothing is added between two looks: neither why it waits nor what it does.
  await logged(server, id, 'waits');
  await server.call('DELETE', `/workflows/${id}`);
  const events = eventsOf(await get(`/workflows/${id}/status`));
  const job = events.find(({ kind }) => kind === 'ExecutionCommand')?.metadata.job_id;
  const path = `/workflows/${id}/status`;
  const ofJob = eventsOf(await get(path, `fieldSelector=metadata.job_id%3D%3D${job}`));
  expect(ofJob).toEqual(events.filter(({ metadata }) => metadata.job_id === job));
  expect(ofJob.length).toBeGreaterThan(0);
  expect(itemsOf(await get(path, 'fieldSelector=kind==WorkflowResult'))).toEqual([]);
});

// HTTP 7: Messages for what is unknown: agents, subscriptions, workflows.
test.concurrent('8.21: an unknown workflow is 404 with details null', async (context) => {
  const { ask } = await client(context);
  const { code, exchanges } = await ask('get', 'workflow', UNKNOWN);
  expect([code, exchanges[0]?.code]).toEqual([1, 404]);
  expect(answerOf(exchanges[0])).toMatchObject({ code: 404, details: null });
});

/** Requirements of clients on kills, files and workers. The numbers are those of the checklist of clients. */
import { writeFile } from 'node:fs/promises';
import type { RunEvent } from '@tutti/manifests';
import { expect, type TestContext, test } from 'vitest';
import { type Api, bodyOf, detailsOf } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { createGate } from '../../support/gate.ts';
import { allEvents, ended, logged, oneJob, only, start, statusOf } from '../../support/runs.ts';
import { SAMPLE_CONTENT, useSample } from '../../support/sample-run.ts';
import type { ServerChild } from '../../support/workbench.ts';
import { answerOf, inItsManner, recordedClient } from './recorded-client.ts';
import { publish, UNKNOWN, waiting } from './sample-events.ts';

const sample = useSample();
const pathOf = (id: string) => `/workflows/${id}/status`;
const get = (path: string) => inItsManner(sample.server)('GET', path);
const client = (context: TestContext) => recordedClient(sample, context);

test.concurrent('8.43: running, pending and finished workflows can be killed', async (context) => {
  const gate = createGate(sample.bench);
  const running = await start(sample.server, oneJob('running', [gate.step]));
  await logged(sample.server, running, '] held\n');
  const pending = await start(sample.server, waiting());
  const { ask } = await client(context);
  for (const id of [running, pending, pending, sample.done]) {
    const { code, exchanges } = await ask('kill', 'workflow', id);
    expect([code, ...exchanges.map((each) => `${each.method} ${each.code}`)]).toEqual([
      ...[0, 'GET 200', 'DELETE 200'],
    ]);
    expect(answerOf(exchanges[1])).toMatchObject({ kind: 'Status', code: 200, details: null });
  }
  expect(await statusOf(sample.server, sample.done)).toBe('DONE');
});

test.concurrent('8.44: reason and source are in the last event', async (context) => {
  const id = await start(sample.server, waiting());
  const words = ['--reason', 'too late', '--source', 'me too'];
  await (await client(context)).ask('kill', 'workflow', id, ...words);
  const [end] = only(await allEvents(sample.server, id), 'WorkflowCanceled');
  expect(end?.details).toEqual({ status: 'cancelled', reason: 'too late', source: 'me too' });
});

test.concurrent('8.45: a dry kill stops nothing, and says whether it could', async (context) => {
  const id = await start(sample.server, waiting());
  const { ask } = await client(context);
  expect((await ask('kill', 'workflow', id, '--dry-run')).exchanges[1]?.code).toBe(200);
  expect(await statusOf(sample.server, id)).toBe('PENDING');
  expect((await ask('kill', 'workflow', sample.done, '--dry-run')).exchanges[1]?.code).toBe(404);
  const query = 'dryRun=false&reason=too+late&source=me%20too';
  await inItsManner(sample.server)('DELETE', `/workflows/${id}`, { query });
  const [end] = only(await allEvents(sample.server, id), 'WorkflowCanceled');
  expect(end?.details).toMatchObject({ reason: 'too late', source: 'me too' });
});

const attached = () =>
  only(sample.events, 'ExecutionResult')
    .flatMap(({ metadata }) => Object.values(metadata.attachments ?? {}))
    .find(({ type }) => type === 'text/plain')?.uuid ?? '';

// HTTP 4.8: GET gives the content, without a manifest, under its own type.
test.concurrent('8.46: files come as they are, under their id and name', async (context) => {
  const { ask } = await client(context);
  const { exchanges } = await ask('cp', `${sample.done}:${attached()}`, '.');
  const actual = {
    'content-disposition': `attachment; filename=${attached()}_left.txt`,
    'content-length': String(SAMPLE_CONTENT.length + 1),
    'content-type': 'text/plain; charset=utf-8',
  };
  expect(exchanges[0]).toMatchObject({ code: 200, answer: `${SAMPLE_CONTENT}\n` });
  expect(exchanges[0]?.answerHeaders).toMatchObject(actual);
  const path = `/workflows/${sample.done}/files/${attached()}`;
  const head = await inItsManner(sample.server)('HEAD', path);
  expect([head.code, head.text]).toEqual([200, '']);
  expect(Object.fromEntries(head.headers)).toMatchObject(actual);
  expect(head.headers.get('content-encoding')).toBeNull();
});

// HTTP 4.8: 404 for an unknown workflow or file.
test.concurrent('8.47: an unknown file is 404', async () => {
  for (const [id, file] of [
    [sample.done, UNKNOWN],
    [UNKNOWN, attached()],
    [sample.waiting, attached()],
  ]) {
    const path = `/workflows/${id}/files/${file}`;
    expect(bodyOf(await get(path)), path).toMatchObject({ code: 404, details: null });
    expect((await inItsManner(sample.server)('HEAD', path)).code, path).toBe(404);
  }
});

// HTTP 4.8: GET gives the content, without a manifest, under its own type.
test.concurrent('8.48: files have no encoding that they do not have', async (context) => {
  const { ask } = await client(context);
  const { exchanges } = await ask('cp', `${sample.done}:${attached()}`, 'copy');
  expect(exchanges[0]?.headers['accept-encoding']).toContain('gzip');
  expect(exchanges[0]?.answerHeaders).not.toHaveProperty('content-encoding');
});

// Language 5: Paths of attachments and artifacts.
// Language 5: The result has the parameters of each file, and its id.
test.concurrent('8.49: the events are enough to list attachments', async (context) => {
  const { exchanges, lines } = await (await client(context)).ask(
    ...['get', 'attachments', sample.done],
  );
  expect(new Set(exchanges.map(({ url }) => url.split('?')[0]))).toEqual(
    new Set([pathOf(sample.done)]),
  );
  expect(lines).toHaveLength(3);
});

const REPORTS = [
  { name: 'executionlog', kind: 'ExecutionLog' },
  { name: 'executionreport', kind: 'SummaryReport' },
];

/** A server that makes reports of all runs, with an agent. */
async function reporting(): Promise<ServerChild> {
  const { bench } = sample;
  const file = bench.path('insights.yaml');
  await writeFile(file, JSON.stringify({ insights: REPORTS }));
  const server = await bench.server({ config: { insights: { definitions: [file] } } });
  await bench.agent(server, { tags: ['linux'] });
  return server;
}

const reportsIn = (events: readonly RunEvent[]) =>
  only(events, 'WorkflowResult').map(({ metadata }) => metadata.name);

/** Publishes the begin or the end of a plugin's work on a run. */
const work = (server: Api, id: string, worker: string, status: string) =>
  publish(server, 'Notification', id, { spec: { worker: { worker_id: worker, status } } });

test.concurrent('8.50: workers are BUSY, then IDLE with their reports there', async () => {
  const server = await reporting();
  const gate = createGate(sample.bench);
  const id = await start(server, oneJob('worked', [gate.step]));
  const other = (status: string) => work(server, id, UNKNOWN, status);
  // Reports wait for it, so that nothing depends on how soon they are made.
  await other('setup');
  await gate.open();
  await ended(server, id);
  const path = `/workflows/${id}/workers`;
  const look = async () => detailsOf(await inItsManner(server)('GET', path));
  await eventually('a worker that makes reports', async () => {
    const { items } = await look();
    return Array.isArray(items) && items.length === 2;
  });
  expect((await look()).status).toBe('BUSY');
  expect(reportsIn(await allEvents(server, id))).toEqual([]);
  await other('teardown');
  await eventually('the end of all work', async () => (await look()).status === 'IDLE');
  const events = await allEvents(server, id);
  expect(reportsIn(events)).toEqual(REPORTS.map(({ name }) => name));
  // The status turns with the last event: what is before that was there already.
  expect(events.at(-1)).toMatchObject({ spec: { worker: { status: 'teardown' } } });
});

// HTTP 3.1: Workers, and the orchestrator, are BUSY or IDLE.
test('8.51: the server is IDLE if and only if nothing runs', async () => {
  const other = await sample.bench.server();
  const look = async () => detailsOf(await inItsManner(other)('GET', '/workflows/status'));
  expect(await look()).toMatchObject({ items: [], status: 'IDLE' });
  const id = await start(other, waiting());
  expect(await look()).toMatchObject({ items: [id], status: 'BUSY' });
  await work(other, id, UNKNOWN, 'setup');
  await other.call('DELETE', `/workflows/${id}`);
  expect(await ended(other, id)).toBe('FAILED');
  expect(await look()).toMatchObject({ items: [], status: 'BUSY' });
  await work(other, id, UNKNOWN, 'teardown');
  expect(await look()).toMatchObject({ items: [], status: 'IDLE' });
});

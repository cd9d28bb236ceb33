/** Requirements of clients on events and on watching. The numbers are those of the checklist of clients. */
import type { RunEvent } from '@tutti/manifests';
import { expect, type TestContext, test } from 'vitest';
import { detailsOf, eventsOf, followPages, itemsOf, nextLinkOf } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { createGate } from '../../support/gate.ts';
import {
  allEvents,
  ended,
  logged,
  logOf,
  oneJob,
  only,
  sh,
  start,
  statusOf,
} from '../../support/runs.ts';
import { JUNIT_TYPE, SAMPLE_CONTENT, useSample } from '../../support/sample-run.ts';
import { printed } from './client-servers.ts';
import { idOf } from './ctl.ts';
import { answerOf, inItsManner, recordedClient } from './recorded-client.ts';
import { publish, UNKNOWN, waiting } from './sample-events.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;
const sample = useSample();
const pathOf = (id: string) => `/workflows/${id}/status`;
const get = (path: string, query?: string, headers: Readonly<Record<string, string>> = {}) =>
  inItsManner(sample.server)('GET', path, { headers, ...(query === undefined ? {} : { query }) });
const client = (context: TestContext) => recordedClient(sample, context);

/** A run that is over, to which only the test adds events: nothing is told of a job that waits. */
async function startOver(): Promise<string> {
  const id = await start(sample.server, oneJob('over', [sh('exit 1')]));
  await ended(sample.server, id);
  return id;
}

test.concurrent('8.22: a page has 100 items, and a next link if there are more', async () => {
  const id = await startOver();
  for (let count = (await allEvents(sample.server, id)).length; count < 100; count += 1) {
    await publish(sample.server, 'WorkflowResult', id);
  }
  expect(itemsOf(await get(pathOf(id)))).toHaveLength(100);
  expect(nextLinkOf(await get(pathOf(id)))).toBeNull();
  await publish(sample.server, 'WorkflowResult', id);
  const more = await get(pathOf(id));
  expect([itemsOf(more).length, nextLinkOf(more)]).toEqual([100, expect.stringMatching(/^http:/)]);
});

test.concurrent('8.23: the next link leads to where the client came from', async () => {
  const forwarded = {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'example.org',
    'x-forwarded-prefix': '/of',
  };
  const query = 'fieldSelector=kind==ExecutionResult&per_page=1';
  const next = new URL(nextLinkOf(await get(pathOf(sample.done), query, forwarded)) ?? '');
  expect(`${next.origin}${next.pathname}`).toBe(`https://example.org/of${pathOf(sample.done)}`);
  expect(next.searchParams.get('fieldSelector')).toBe('kind==ExecutionResult');
  expect(next.searchParams.get('per_page')).toBe('1');
  const own = nextLinkOf(await get(pathOf(sample.done), query));
  expect(own?.startsWith(sample.server.url)).toBe(true);
});

// HTTP 4.5: GET of the status: pages that were read only grow.
test.concurrent('8.24: pages give every event once, and only grow', async () => {
  const gate = createGate(sample.bench);
  const id = await start(sample.server, oneJob('growing', [gate.step]));
  await logged(sample.server, id, '] held\n');
  const pages = async () =>
    (await followPages(sample.server, await get(pathOf(id), 'per_page=2'))).flatMap(eventsOf);
  const before = await pages();
  await gate.open();
  await ended(sample.server, id);
  const after = await pages();
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after).toEqual(await allEvents(sample.server, id));
});

// HTTP 4.1: `Link` has `next` as long as more pages exist.
test.concurrent('8.25: a full page has a next link once there is one event more', async () => {
  const id = await startOver();
  const { length } = await allEvents(sample.server, id);
  const next = async () => nextLinkOf(await get(pathOf(id), `per_page=${length}`));
  expect(await next()).toBeNull();
  await publish(sample.server, 'WorkflowResult', id);
  expect(await next()).toContain('page=2');
});

// HTTP 3.2: Value 3: the status is that of the whole workflow on every page.
test.concurrent('8.26: the status is the same on all pages, with all selectors', async () => {
  for (const query of ['per_page=1', 'page=99', 'fieldSelector=kind==None', 'labelSelector=a']) {
    expect(detailsOf(await get(pathOf(sample.done), query)).status, query).toBe('DONE');
    expect(detailsOf(await get(pathOf(sample.waiting), query)).status, query).toBe('PENDING');
  }
});

test.concurrent.each([
  ['WorkflowCompleted', 'DONE', 'true'],
  ['WorkflowCanceled', 'FAILED', 'false'],
  // HTTP 3.1: Workflows are PENDING, RUNNING, DONE or FAILED.
])('8.27: %s and the status %s appear at once', async (kind, status, command) => {
  const id = await start(sample.server, oneJob('ending', [sh(command)]));
  const last = await eventually('the end', async () => {
    const answer = await get(pathOf(id));
    const kinds = eventsOf(answer).map((event): string => event.kind);
    const isOver = detailsOf(answer).status === status;
    expect(kinds.includes(kind)).toBe(isOver);
    return isOver ? kinds.slice(-2) : null;
  });
  expect(last).toEqual(['ExecutionResult', kind]);
});

// HTTP 3.1: Workflows are PENDING, RUNNING, DONE or FAILED.
test.concurrent('8.28: who waits for one more event is released by the end', async (context) => {
  const gate = createGate(sample.bench);
  const id = await start(sample.server, oneJob('watched', [gate.step]));
  const { ctl } = await client(context);
  const watching = ctl.start(['get', 'workflow', id, '--watch']);
  await printed(watching, 'Running command');
  await gate.open();
  expect((await watching.whenEnded).stdout).toContain('Workflow completed successfully.');
  expect((await allEvents(sample.server, id)).at(-1)?.kind).toBe('WorkflowCompleted');
});

test.concurrent('8.29: what comes late is appended, and the status stays', async () => {
  const id = await startOver();
  await publish(sample.server, 'WorkflowResult', id);
  const spec = { logs: ['late words'] };
  await publish(sample.server, 'Notification', id, { spec }, { name: 'group notification' });
  const kinds = (await allEvents(sample.server, id)).map(({ kind }) => kind);
  expect(kinds.slice(-3)).toEqual(['WorkflowCanceled', 'WorkflowResult', 'Notification']);
  expect(await statusOf(sample.server, id)).toBe('FAILED');
  expect(await logOf(sample.server, id)).toMatch(/\] late words\n$/);
});

test.concurrent('8.30: every event has a version, a kind and its metadata', async (context) => {
  const { exchanges } = await (await client(context)).ask('get', 'workflow', sample.done);
  const items: readonly RunEvent[] = answerOf(exchanges[0]).details.items;
  expect(items.length).toBeGreaterThan(10);
  for (const { apiVersion, kind, metadata } of items) {
    expect(apiVersion).toMatch(/^(?:opentestfactory\.org\/)?v1/);
    expect([kind, metadata.name]).toEqual([expect.any(String), expect.any(String)]);
    expect(metadata).toMatchObject({ workflow_id: sample.done, namespace: 'default' });
    expect(metadata.creationTimestamp).toMatch(TIME);
  }
});

// Language 1.7: Steps get ids, which are in the published events.
test.concurrent('8.31: the first event is Workflow, and its steps have ids', async () => {
  expect(sample.events[0]?.kind).toBe('Workflow');
  const [workflow] = only(sample.events, 'Workflow');
  const steps = Object.values(workflow?.jobs ?? {}).flatMap((job) => job.steps ?? []);
  expect(steps).toHaveLength(3);
  for (const { id } of steps) expect(id).toMatch(UUID);
});

// Language 3.1: -1 requests an environment, -2 frees it, steps count from 0.
test.concurrent('8.32: commands are numbered, and have tags or scripts', () => {
  const commands = only(sample.events, 'ExecutionCommand').filter(
    ({ metadata }) => metadata.name === 'first',
  );
  expect(commands.map(({ metadata }) => metadata.step_sequence_id)).toEqual([-1, 0, 1, -2]);
  expect(commands[0]?.['runs-on']).toEqual(['linux']);
  const [workflow] = only(sample.events, 'Workflow');
  expect(commands[2]?.metadata.step_id).toBe(workflow?.jobs.first?.steps?.[1]?.id);
  for (const { metadata, scripts } of commands) {
    expect(metadata.job_id).toMatch(UUID);
    expect([metadata.job_origin, metadata.step_origin, scripts]).toEqual([
      ...[[], expect.any(Array), expect.any(Array)],
    ]);
  }
});

// Language 3.1: -1 requests an environment, -2 frees it, steps count from 0.
test.concurrent('8.33: nested steps name those that they are part of', () => {
  const [workflow] = only(sample.events, 'Workflow');
  const parent = workflow?.jobs.first?.steps?.[0]?.id;
  const origins = only(sample.events, 'ExecutionCommand')
    .filter(({ metadata }) => metadata.name === 'first')
    .map(({ metadata }) => metadata.step_origin);
  expect(origins).toEqual([[], [parent], [], []]);
});

test.concurrent('8.34: providers are told of a step, generators of none', async () => {
  const [command] = only(sample.events, 'ProviderCommand');
  expect(command?.metadata).toMatchObject({
    name: 'actions/create-file@v1',
    ...{ step_id: command?.step.id, step_origin: [] },
    labels: {
      'opentestfactory.org/category': 'create-file',
      'opentestfactory.org/categoryPrefix': 'actions',
      'opentestfactory.org/categoryVersion': 'v1',
    },
  });
  const step = { id: expect.stringMatching(UUID), with: { data: SAMPLE_CONTENT } };
  expect(command).toMatchObject({ step, 'runs-on': ['linux'] });
  const id = await start(sample.server, {
    metadata: { name: 'generated' },
    jobs: { made: { generator: 'nobody/knows@v1', with: {} } },
  });
  const generator = await eventually('a generator', async () =>
    only(await allEvents(sample.server, id), 'GeneratorCommand').at(0),
  );
  expect(generator.metadata).not.toHaveProperty('step_id');
  expect(generator.metadata.name).toEqual(expect.any(String));
  await sample.server.call('DELETE', `/workflows/${id}`);
});

test.concurrent('8.35: results of generators have jobs, and say when they are called workflows', async (context) => {
  const { ctl, ask } = await client(context);
  await ctl.write('w.yaml', {
    metadata: { name: 'caller' },
    resources: { files: ['called.yaml'] },
    jobs: { call: { uses: './called.yaml' } },
  });
  await ctl.write('called.yaml', oneJob('called', [sh('true')]));
  const id = idOf(await ask('run', 'workflow', 'w.yaml', '-f', 'called.yaml=called.yaml'));
  expect(await ended(sample.server, id)).toBe('DONE');
  const [result] = only(await allEvents(sample.server, id), 'GeneratorResult');
  expect(result?.metadata.name).toEqual(expect.any(String));
  expect(result?.metadata).toMatchObject({ labels: { 'opentestfactory.org/category': '.uses' } });
  const steps = Object.values(result?.jobs ?? {}).flatMap((job) => job.steps ?? []);
  expect(steps.map(({ id: step }) => step)).toEqual([expect.stringMatching(UUID)]);
});

// HTTP 2.9: An ExecutionResult has a status that is an integer.
test.concurrent('8.36: results have ids, an origin, a status, lines and a system', () => {
  const results = only(sample.events, 'ExecutionResult');
  expect(results).toHaveLength(7);
  for (const { metadata, status } of results) {
    expect(status).toBe(0);
    expect(metadata).toMatchObject({
      ...{ step_origin: expect.any(Array), step_sequence_id: expect.any(Number) },
      channel_os: 'linux',
    });
    expect(metadata.job_id).toMatch(UUID);
    expect(metadata.step_id).toMatch(UUID);
  }
  expect(results.some(({ logs = [] }) => logs.includes('shown'))).toBe(true);
});

// Language 5: Paths of attachments and artifacts.
// Language 5: The result has the parameters of each file, and its id.
test.concurrent('8.37: attachments have a path of three parts, an id and a type', () => {
  const found = only(sample.events, 'ExecutionResult').flatMap(({ attachments = [], metadata }) =>
    attachments.map((path) => ({ path, ...metadata.attachments?.[path] })),
  );
  const uuid = expect.stringMatching(UUID);
  expect(found).toEqual([
    { path: expect.stringMatching(/^\/tmp\/[^_]+_1_left\.txt$/), uuid, type: 'text/plain' },
    { path: expect.stringMatching(/^\/tmp\/[^_]+_0_report\.xml$/), uuid, type: JUNIT_TYPE },
  ]);
});

// HTTP 6: Results of a workflow are among its events.
test.concurrent('8.38: a WorkflowResult has its attachments, also if there are none', async () => {
  const id = await start(sample.server, waiting());
  await publish(sample.server, 'WorkflowResult', id, {}, { request_id: UNKNOWN });
  const query = `fieldSelector=kind==WorkflowResult,metadata.request_id==${UNKNOWN}`;
  const [result] = eventsOf(await get(pathOf(id), query));
  expect(result).toMatchObject({ attachments: [], metadata: { attachments: {} } });
  expect(result?.metadata).toMatchObject({ request_id: UNKNOWN });
});

test.concurrent('8.39: a kill is told as cancelled, with its reason', async (context) => {
  const id = await start(sample.server, waiting());
  await (await client(context)).ask('kill', 'workflow', id, '--reason', 'too late');
  const [end] = only(await allEvents(sample.server, id), 'WorkflowCanceled');
  expect(end?.details).toMatchObject({ status: 'cancelled', reason: 'too late' });
});

test.concurrent('8.40: an ExecutionError says what went wrong', async (context) => {
  const wrong = sh(`echo \${{ fromJSON(variables.TEXT) }}`, { variables: { TEXT: 'no JSON' } });
  const id = await start(sample.server, oneJob('wrong', [wrong]));
  await ended(sample.server, id);
  const events = await allEvents(sample.server, id);
  const [error] = only(events, 'ExecutionError');
  expect(only(events, 'WorkflowCanceled')[0]?.details).not.toHaveProperty('status');
  expect(error?.details.error).toMatch(/fromJSON/);
  const { stdout } = await (await client(context)).ask('get', 'workflow', id);
  expect(stdout).toContain(String(error?.details.error).split('\n')[0]);
});

// HTTP 2.9: A Notification has the id of its job and lines of text.
test.concurrent('8.41: notifications have a name and lines', async (context) => {
  const spec = { logs: ['a line of a plugin'] };
  const id = await start(sample.server, waiting());
  await publish(sample.server, 'Notification', id, { spec }, { name: 'log notification' });
  for (const { metadata, spec } of only(await allEvents(sample.server, id), 'Notification')) {
    expect([metadata.name, spec.logs ?? []]).toEqual([expect.any(String), expect.any(Array)]);
  }
  const { ask } = await client(context);
  expect((await ask('get', 'workflow', id)).stdout).not.toContain('a line of a plugin');
  const all = await ask('get', 'workflow', id, '--show-notifications');
  expect(all.stdout).toContain('a line of a plugin');
});

test.concurrent('8.42: a killed workflow is FAILED', async () => {
  const id = await start(sample.server, waiting());
  await inItsManner(sample.server)('DELETE', `/workflows/${id}`);
  expect(await statusOf(sample.server, id)).toBe('FAILED');
});

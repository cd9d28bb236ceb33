import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type AttachmentId,
  apiVersionOf,
  OrchestratorError,
  parseWorkflowId,
  type RunEvent,
  type WorkflowId,
} from '@tutti/manifests';
import { testResultsWorkerId } from '@tutti/workflow';
import { expect, onTestFinished, test } from 'vitest';
import { createTestClock } from '../../auth/testing.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { openFilesystemBlobStore } from '../../blobs/filesystem/filesystem-blob-store.ts';
import type { EventBus } from '../../bus/bus.ts';
import { API_GROUP, ManualTimers, silentLogger, testIds } from '../../bus/testing.ts';
import { dataFolder, eventually, startArranger } from '../../services/arranger/testing.ts';
import { InsightCollector } from './insight-collector.ts';
import type { InsightDefinition } from './insight-document.ts';
import {
  REQUESTS_COLLECTION,
  requestDocument,
  type WantedInsight,
  wantedInsight,
} from './insight-request.ts';
import { COLLECTOR_LIMITS } from './limits.ts';
import { whenRunsEnd } from './run-ends.ts';

const JOBS = { main: { 'runs-on': 'linux', steps: [{ run: 'true' }] } };
const UNKNOWN = parseWorkflowId('0198c0de-0000-7000-8000-0000000000ff');

const log = (name: string, condition?: string): WantedInsight =>
  wantedInsight({
    name,
    kind: 'ExecutionLog',
    ...(condition === undefined ? {} : { if: condition }),
  });

interface Given {
  /** Insights that are made at the end of each run. */
  readonly insights?: readonly InsightDefinition[];
  readonly freeBytes?: () => Promise<number>;
  /** Number of publications that fail, as when the store is too busy. */
  readonly failures?: number;
}

async function openCollector({ freeBytes, failures = 0, insights = [] }: Given = {}) {
  const folder = await dataFolder();
  const directory = join(folder, 'blobs');
  const blobs: BlobStore = await openFilesystemBlobStore({
    directory,
    ...(freeBytes === undefined ? {} : { freeBytes }),
  });
  const configured = { isConfigured: insights.length > 0, all: async () => insights };
  const built = Promise.withResolvers<InsightCollector>();
  const server = await startArranger(folder, {
    prepare: (bus) =>
      whenRunsEnd(bus, configured, async (...ended) => (await built.promise).acceptEnd(...ended)),
  });
  const { store, bus, arranger } = server;
  const timers = new ManualTimers();
  let tries = 0;
  const publish: EventBus['publish'] = async (event, options) => {
    tries += 1;
    if (tries <= failures) throw new OrchestratorError('ServiceUnavailable', 'Too busy.');
    return await bus.publish(event, options);
  };
  const busyBus = {
    publish,
    subscribe: bus.subscribe.bind(bus),
  };
  const deps = {
    store,
    bus: busyBus,
    blobs,
    timers,
    runs: arranger,
    logger: silentLogger,
    ids: testIds,
  };
  const more = {
    configured,
    clock: createTestClock(),
    fileBytesMax: 1024 * 1024,
    limits: { subjectShare: 0.25, namespaceShare: 0.5 },
    bytesMax: 1024 * 1024,
    retryDelayMs: 0,
  };
  const collector = new InsightCollector({ ...deps, ...more });
  built.resolve(collector);
  onTestFinished(() => collector.stop());
  const published = async (id: WorkflowId) =>
    (await server.events(id)).filter((event) => event.kind === 'WorkflowResult');
  const ended = () =>
    eventually(async () => expect(await store.documents(REQUESTS_COLLECTION)).toEqual([]));
  const contentOf = async (id: WorkflowId, uuid: string) => {
    const blob = await blobs.get(`${id}/${uuid}`);
    return blob === null ? null : await text(blob.content);
  };
  /** Puts a request into the store as an earlier process left it. */
  const leave = (workflowId: WorkflowId, insights: readonly WantedInsight[], done = 0) => {
    const request = { requestId: testIds.random<never>(), workflowId, acceptedMs: 0, insights };
    return store.write({ documents: [requestDocument({ ...request, published: done })] });
  };
  return {
    ...server,
    collector,
    timers,
    blobs,
    directory,
    published,
    ended,
    contentOf,
    leave,
    tries: () => tries,
  };
}

const worker = (id: WorkflowId, status: 'setup' | 'teardown', worker_id = 'w'): RunEvent => ({
  apiVersion: apiVersionOf(API_GROUP, 'Notification'),
  kind: 'Notification',
  metadata: {
    name: 'worker',
    workflow_id: id,
    namespace: 'default',
    creationTimestamp: createTestClock().timestamp(),
  },
  spec: { worker: { worker_id, status } },
});

test('a log is published as an attachment that bears the id of its request', async () => {
  const { collector, start, published, ended, contentOf } = await openCollector();
  const id = await start(JOBS);
  const requestId = await collector.accept(id, [log('first'), log('second')]);
  await ended();
  const results = await published(id);
  expect(results.map(({ metadata }) => metadata.name)).toEqual(['first', 'second']);
  for (const { metadata, attachments } of results) {
    expect(metadata).toMatchObject({ request_id: requestId, namespace: 'default' });
    const [path = ''] = attachments;
    const attachment = metadata.attachments[path];
    expect(path).toBe(`/tmp/${id}-${attachment?.uuid}_WR_${metadata.name}.txt`);
    expect(attachment?.type).toBe('text/plain');
    expect(await contentOf(id, attachment?.uuid ?? '')).toContain('Workflow test\n(running in');
  }
});

test('an insight whose condition does not hold has a result without an attachment', async () => {
  const { collector, start, published, ended } = await openCollector();
  const id = await start(JOBS);
  await collector.accept(id, [log('no', 'failure()'), log('yes'), log('odd', 'workflow.a.b == 1')]);
  await ended();
  const results = await published(id);
  expect(results.map(({ attachments }) => attachments.length)).toEqual([0, 1, 0]);
  expect(results.map(({ metadata }) => metadata['tutti.skipped'])).toEqual([
    'The condition does not hold.',
    undefined,
    expect.stringContaining('The condition cannot be evaluated: '),
  ]);
});

test('when no condition holds, one result tells so', async () => {
  const { collector, start, published, ended } = await openCollector();
  const id = await start(JOBS);
  const request_id = await collector.accept(id, [log('a', 'failure()'), log('b', 'cancelled()')]);
  await ended();
  const results = await published(id);
  expect(results).toMatchObject([
    { metadata: { name: 'No insights published', request_id, attachments: {} }, attachments: [] },
  ]);
});

test('a request waits for the workers of its run', async () => {
  const { collector, bus, start, published, ended, timers } = await openCollector();
  const id = await start(JOBS);
  await bus.publish(worker(id, 'setup'));
  await collector.accept(id, [log('a')]);
  expect(timers.pending.size).toBe(1);
  expect(await published(id)).toEqual([]);
  await bus.publish(worker(id, 'teardown'));
  await ended();
  expect(await published(id)).toHaveLength(1);
  expect(timers.pending.size).toBe(0);
});

test('a request does not wait for workers for ever', async () => {
  const { collector, bus, start, published, ended, timers } = await openCollector();
  const id = await start(JOBS);
  await bus.publish(worker(id, 'setup'));
  await collector.accept(id, [log('a')]);
  await timers.fire(COLLECTOR_LIMITS.workersWaitMs);
  await ended();
  expect(await published(id)).toHaveLength(1);
});

const PAGE: WantedInsight = wantedInsight({ name: 'page', kind: 'SummaryReport' });
const XML: WantedInsight = wantedInsight({ name: 'xml', kind: 'SurefireXmlReport' });
const READER = testResultsWorkerId('44444444-0000-4000-8000-000000000000' as AttachmentId);

test('reports that are made before all test results are there say so', async () => {
  const server = await openCollector();
  const id = await runToEnd(server, READER);
  await server.collector.accept(id, [log('log'), PAGE, XML]);
  await server.timers.fire(COLLECTOR_LIMITS.workersWaitMs);
  await server.ended();
  const said =
    'This was made while a test report was still being read: test cases are missing. Make it again when all are read.';
  const results = await server.published(id);
  expect(results.map(({ metadata }) => metadata['tutti.incomplete'])).toEqual([
    undefined,
    said,
    said,
  ]);
  const files = results.flatMap(({ metadata }) => Object.values(metadata.attachments));
  const texts = await Promise.all(files.map(({ uuid }) => server.contentOf(id, uuid)));
  expect(texts.map((each) => each?.includes(said))).toEqual([false, true, true]);
  // The file that waited on the disk for its head is gone.
  expect(await readdir(server.directory)).not.toContain(expect.stringMatching(/^insight-/));
});

test('reports that are made when all results are there say nothing of that', async () => {
  const server = await openCollector();
  const id = await runToEnd(server);
  await server.collector.accept(id, [PAGE, XML]);
  await server.ended();
  const results = await server.published(id);
  expect(results).toHaveLength(2);
  for (const { metadata } of results) expect(metadata).not.toHaveProperty('tutti.incomplete');
});

test('reports at the end of a run wait for test reports that are being read, for as long as it takes', async () => {
  const server = await openCollector({ insights: REPORTS });
  const id = await runToEnd(server, READER);
  await eventually(() => expect(server.timers.pending.size).toBe(1));
  await server.timers.fire(COLLECTOR_LIMITS.workersWaitMs);
  await eventually(() => expect(server.timers.pending.size).toBe(1));
  expect(await server.published(id)).toEqual([]);
  await server.bus.publish(worker(id, 'teardown', READER));
  await server.ended();
  const results = await server.published(id);
  expect(results).toHaveLength(3);
  for (const { metadata } of results) expect(metadata).not.toHaveProperty('tutti.incomplete');
});

/** Notifications of workers, in order. */
const workersShown = (events: readonly RunEvent[]) =>
  events.flatMap((event) => {
    if (event.kind !== 'Notification' || event.spec.worker === undefined) return [];
    return [`${event.spec.worker.status} ${event.spec.worker.worker_id.split('-')[0]}`];
  });

test('reports at the end of a run are work on it as soon as it ended, so that it stays at hand', async () => {
  const server = await openCollector({ insights: REPORTS });
  const id = await runToEnd(server, READER);
  const expected = ['setup interpreter', 'setup insightcollector'];
  await eventually(async () => expect(workersShown(await server.events(id))).toEqual(expected));
  await server.bus.publish(worker(id, 'teardown', READER));
  expect(server.arranger.current(id)).not.toBeNull();
  await server.ended();
  expect(workersShown(await server.events(id))).toEqual([
    ...expected,
    'teardown interpreter',
    'teardown insightcollector',
  ]);
});

test('an end of a run of which there is nothing to report is no work', async () => {
  const server = await openCollector({
    insights: [{ name: 'failures', kind: 'ExecutionLog', if: 'failure()' }],
  });
  const id = await runToEnd(server);
  await server.collector.acceptEnd(id, AbortSignal.timeout(60_000));
  await server.ended();
  expect(workersShown(await server.events(id))).toEqual([]);
});

test('reports at the end of a run do not wait for ever, and say what is missing', async () => {
  const server = await openCollector({ insights: REPORTS });
  const id = await runToEnd(server, READER);
  for (const waitMs of [COLLECTOR_LIMITS.workersWaitMs, COLLECTOR_LIMITS.readersWaitMs]) {
    await eventually(() => expect(server.timers.pending.size).toBe(1));
    await server.timers.fire(waitMs);
  }
  await server.ended();
  const results = await server.published(id);
  expect(results.filter(({ metadata }) => 'tutti.incomplete' in metadata)).toHaveLength(2);
});

test('requests have room also while those of ended runs wait', async () => {
  const server = await openCollector({ insights: REPORTS });
  for (let count = 0; count < COLLECTOR_LIMITS.requests; count += 1) {
    const id = await server.start(JOBS);
    await server.bus.publish(worker(id, 'setup'));
    await server.collector.acceptEnd(id, AbortSignal.timeout(60_000));
  }
  const id = await server.start(JOBS);
  await expect(server.collector.accept(id, [log('a')])).resolves.toMatch(/^[0-9a-f-]{36}$/);
});

test('requests that an earlier process left are taken up where they ended', async () => {
  const { collector, start, published, ended, leave } = await openCollector();
  const [begun, fresh] = [await start(JOBS), await start(JOBS)];
  await leave(begun, [log('a'), log('b'), log('c', 'failure()')], 1);
  await leave(fresh, [log('a')]);
  await collector.start();
  await ended();
  const names = (await published(begun)).map(({ metadata }) => metadata.name);
  expect(names).toEqual(['b', 'c']);
  expect(await published(fresh)).toHaveLength(1);
});

test('requests about runs that are gone leave nothing', async () => {
  const { collector, ended, leave, directory } = await openCollector();
  await leave(UNKNOWN, [log('a')]);
  await collector.start();
  await ended();
  expect(await readdir(directory)).not.toContain(UNKNOWN);
});

test('a log that cannot be written is told so after some tries', async () => {
  const { collector, start, published, ended } = await openCollector({ freeBytes: async () => 0 });
  const id = await start(JOBS);
  await collector.accept(id, [log('a')]);
  await ended();
  const skipped = { 'tutti.skipped': 'The report could not be generated.' };
  expect(await published(id)).toMatchObject([
    { metadata: { name: 'a', ...skipped }, attachments: [] },
  ]);
});

test('a report that could not be published is generated again, under the same id', async () => {
  const { collector, start, published, ended, directory } = await openCollector({ failures: 2 });
  const id = await start(JOBS);
  await collector.accept(id, [log('a')]);
  await ended();
  const [result, ...others] = await published(id);
  expect(others).toEqual([]);
  const attachments = Object.values(result?.metadata.attachments ?? {});
  expect(await readdir(join(directory, id))).toEqual(attachments.map(({ uuid }) => uuid));
});

test('a request that cannot be served waits for the next start', async () => {
  const failures = COLLECTOR_LIMITS.tries;
  const { collector, start, published, store, tries } = await openCollector({ failures });
  const id = await start(JOBS);
  await collector.accept(id, [log('a')]);
  await eventually(() => expect(tries()).toBeGreaterThanOrEqual(failures));
  expect(await store.documents(REQUESTS_COLLECTION)).toHaveLength(1);
  // Nothing happens to a request that is still given up.
  await eventually(async () => {
    await collector.start();
    expect(await store.documents(REQUESTS_COLLECTION)).toEqual([]);
  });
  expect(await published(id)).toHaveLength(1);
});

// Bound: Requests for insights under way; insights of one.
test('requests that nobody could serve soon are TooManyRequests', async () => {
  const { collector, bus, start } = await openCollector();
  const id = await start(JOBS);
  await bus.publish(worker(id, 'setup'));
  for (let count = 0; count < COLLECTOR_LIMITS.requests; count += 1) {
    await collector.accept(id, [log('a')]);
  }
  const refused = collector.accept(id, [log('a')]);
  await expect(refused).rejects.toMatchObject({ reason: 'TooManyRequests' });
  await expect(collector.accept(id, [])).resolves.toMatch(/^[0-9a-f-]{36}$/);
});

test('one subject has a share of the requests under way', async () => {
  const { collector, bus, start } = await openCollector();
  const id = await start(JOBS);
  await bus.publish(worker(id, 'setup'));
  const alice = { holder: { subject: 'alice', namespaces: new Set(['team-a']) } };
  for (let count = 0; count < COLLECTOR_LIMITS.requests / 4; count += 1) {
    await collector.accept(id, [log('a')], alice);
  }
  await expect(collector.accept(id, [log('a')], alice)).rejects.toThrow(
    'User "alice" may have 16 of the 64 requests for insights under way: the share of one subject (limits.subjectShare). Try again later.',
  );
  await collector.accept(id, [log('a')], { holder: { ...alice.holder, subject: 'bob' } });
});

test('the bytes that requests under way ask for are bounded', async () => {
  const { collector, bus, start, ended } = await openCollector();
  const id = await start(JOBS);
  await bus.publish(worker(id, 'setup'));
  const large = { ...log('a'), condition: `always() || '${'x'.repeat(200_000)}' == 'y'` };
  const alice = { holder: { subject: 'alice', namespaces: new Set(['team-a']) } };
  const answers = await Promise.allSettled(
    Array.from({ length: 4 }, () => collector.accept(id, [large], alice)),
  );
  expect(answers.map(({ status }) => status)).toEqual([
    ...['fulfilled', 'fulfilled'],
    ...['rejected', 'rejected'],
  ]);
  expect(answers.at(-1)).toMatchObject({
    reason: {
      reason: 'TooManyRequests',
      message: expect.stringMatching(/^The requests for insights under way of namespace "team-a"/),
    },
  });
  await bus.publish(worker(id, 'teardown'));
  await ended();
  // There is room again when their reports are there.
  await eventually(() => collector.accept(id, [large], alice));
});

test('a request outlives a stop', async () => {
  const { collector, bus, start, store, published } = await openCollector();
  const id = await start(JOBS);
  await bus.publish(worker(id, 'setup'));
  await collector.accept(id, [log('a')]);
  await collector.stop();
  expect(await store.documents(REQUESTS_COLLECTION)).toHaveLength(1);
  expect(await published(id)).toEqual([]);
});

const REPORTS: readonly InsightDefinition[] = [
  { name: 'executionlog', kind: 'ExecutionLog' },
  { name: 'executionreport', kind: 'SummaryReport', title: 'A report' },
  { name: 'testresults', kind: 'SurefireXmlReport' },
  { name: 'failures', kind: 'ExecutionLog', if: 'failure()' },
];

/** Until the run has a job's whole life behind it. */
async function runToEnd(
  server: Awaited<ReturnType<typeof openCollector>>,
  reading?: string,
): Promise<WorkflowId> {
  const id = await server.start(JOBS);
  if (reading !== undefined) await server.bus.publish(worker(id, 'setup', reading));
  for (const sequence of [-1, 0, -2]) {
    const isNext = ({ metadata }: { metadata: { step_sequence_id: number } }) =>
      metadata.step_sequence_id === sequence;
    await server.answer(await server.event(id, 'ExecutionCommand', isNext));
  }
  await server.event(id, 'WorkflowCompleted');
  return id;
}

test('the end of a run is a request for what is configured', async () => {
  const server = await openCollector({ insights: REPORTS });
  const id = await runToEnd(server);
  await eventually(async () => expect(await server.published(id)).toHaveLength(3));
  await server.ended();
  const results = await server.published(id);
  const files = results.flatMap(({ metadata }) => Object.entries(metadata.attachments));
  expect(files.map(([path, { type }]) => [path.split('_WR_')[1], type])).toEqual([
    ['executionlog.txt', 'text/plain'],
    ['executionreport.html', 'text/html'],
    ['testresults.xml', 'application/xml'],
  ]);
  // Nobody asked for them, so they answer no request, and nobody misses the one whose condition does not hold.
  for (const { metadata } of results) expect(metadata).not.toHaveProperty('request_id');
  const [, page, xml] = await Promise.all(files.map(([, { uuid }]) => server.contentOf(id, uuid)));
  expect(page).toMatch(/^<!doctype html>[\s\S]*<h1><bdi>A report<\/bdi><\/h1>[\s\S]*<\/html>\n$/);
  expect(xml).toContain('<testsuites name="test" tests="0"');
});

test('an end that is told again makes nothing anew', async () => {
  const server = await openCollector({ insights: REPORTS });
  const id = await runToEnd(server);
  await eventually(async () => expect(await server.published(id)).toHaveLength(3));
  await server.ended();
  const before = await server.events(id);
  await server.collector.acceptEnd(id, AbortSignal.timeout(60_000));
  await server.ended();
  expect(await server.events(id)).toEqual(before);
});

test('a run that ends without anything configured has no reports', async () => {
  const server = await openCollector();
  const id = await runToEnd(server);
  await server.collector.acceptEnd(id, AbortSignal.timeout(60_000));
  expect(await server.published(id)).toEqual([]);
});

test('making reports is work on the run, which ends with the last of them', async () => {
  const { collector, start, events, ended, arranger } = await openCollector();
  const id = await start(JOBS);
  const requestId = await collector.accept(id, [log('a'), log('b'), log('c', 'failure()')]);
  await ended();
  const shownBy = (await events(id)).flatMap((event) => {
    if (event.kind === 'WorkflowResult') return [event.metadata.name];
    if (event.kind !== 'Notification' || event.spec.worker === undefined) return [];
    return [`${event.spec.worker.status} ${event.spec.worker.worker_id}`];
  });
  const worker = `insightcollector-${requestId}`;
  expect(shownBy).toEqual([`setup ${worker}`, 'a', 'b', 'c', `teardown ${worker}`]);
  // The store may be read before the arranger hears that it wrote.
  await eventually(() => expect(arranger.current(id)?.workers.size).toBe(0));
});

test('a request of an earlier version, which had logs only, is served', async () => {
  const { collector, store, start, published, ended } = await openCollector();
  const id = await start(JOBS);
  const { kind: _, ...insight } = log('old');
  const request = {
    requestId: testIds.random<never>(),
    workflowId: id,
    acceptedMs: 0,
    published: 0,
  };
  const json = JSON.stringify({ ...request, insights: [insight] });
  await store.write({
    documents: [{ collection: REQUESTS_COLLECTION, key: request.requestId, json }],
  });
  await collector.start();
  await ended();
  expect((await published(id)).map(({ attachments }) => attachments.length)).toEqual([1]);
});

/** Runs as traces: a real server and agent, and a collector that reads what real ones read. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  type CollectedSpan,
  type OtlpCollector,
  openCollector,
} from '../../server/src/plugins/tracing/testing/otlp-collector.ts';
import { createApi } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { scrape } from '../support/exposition.ts';
import { allEvents, ended, logTexts, oneJob, sh, start, startedId } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { startCli } from './cli-process.ts';

let bench: Workbench;
let server: ServerChild;
let collector: OtlpCollector;

beforeAll(async () => {
  bench = await Workbench.open();
  collector = await openCollector();
  server = await bench.server({
    config: { tracing: { endpoint: collector.url, headers: 'x-api-key=a%20b' } },
  });
  await bench.agent(server, { tags: ['linux'], name: 'shell' });
});

afterAll(async () => {
  await collector.close();
  await bench.close();
});

const traceIdOf = (workflowId: string) => workflowId.replaceAll('-', '');

/** The spans of a trace, once they came. */
function collected(traceId: string, to = collector): Promise<readonly CollectedSpan[]> {
  return eventually(`the trace ${traceId}`, () => {
    const spans = to.posts.flatMap((post) => post.spans).filter((span) => span.traceId === traceId);
    return spans.length === 0 ? null : spans;
  });
}

const sender = () => {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  return { traceId, spanId, header: `00-${traceId}-${spanId}-01` };
};

async function startTraced(manifest: object, traceparent: string): Promise<string> {
  const headers = { traceparent };
  return startedId(await server.call('POST', '/workflows', { body: manifest, headers }));
}

test('a run is a trace whose spans are its jobs and steps, as its events tell them', async () => {
  const steps = [sh('echo one', { name: 'first' }), sh('exit 4')];
  const id = await start(server, oneJob('traced', steps));
  expect(await ended(server, id)).toBe('FAILED');
  const spans = await collected(traceIdOf(id));
  const names = new Map(spans.map((span) => [span.id, span.name]));
  expect(
    spans.map(({ name, parentId, error }) => [names.get(parentId) ?? null, name, error]),
  ).toEqual([
    [null, 'traced', expect.any(String)],
    ['traced', 'main', 'The job failed.'],
    ['main', 'environment', null],
    ['main', 'first', null],
    ['main', 'exit 4', 'Exit code 4.'],
  ]);
  const events = await allEvents(server, id);
  const [first] = events;
  const [root, job] = spans;
  expect(root?.attributes).toMatchObject({
    'cicd.pipeline.run.id': id,
    'cicd.pipeline.result': 'failure',
    'tutti.run.namespace': 'default',
  });
  const command = events.find(({ kind }) => kind === 'ExecutionCommand');
  expect(job?.attributes['cicd.pipeline.task.run.id']).toBe(command?.metadata.job_id);
  const microseconds = (span: CollectedSpan | undefined) => (span?.startNs ?? 0n) / 1_000n;
  const stamp = first?.metadata.creationTimestamp ?? '';
  const ms = BigInt(Date.parse(`${stamp.slice(0, 23)}Z`));
  expect(microseconds(root) - ms * 1_000n).toBe(BigInt(stamp.slice(23, 26)));
  for (const span of spans) expect(span.endNs).toBeGreaterThanOrEqual(span.startNs);
});

test('the collector is asked as OTLP has it, with the headers that are configured', async () => {
  const id = await start(server, oneJob('posted', [sh('true')]));
  await ended(server, id);
  await collected(traceIdOf(id));
  const [post] = collector.posts;
  expect(post?.path).toBe('/v1/traces');
  expect(post?.headers['content-type']).toBe('application/x-protobuf');
  expect(post?.headers['x-api-key']).toBe('a b');
  expect(post?.resource).toMatchObject({ 'service.name': 'tutti' });
});

test('a run continues the trace of the request that starts it, and its steps continue the run', async () => {
  const { traceId, spanId, header } = sender();
  const id = await startTraced(oneJob('joined', [sh('echo "in $TRACEPARENT"')]), header);
  expect(await ended(server, id)).toBe('DONE');
  const spans = await collected(traceId);
  const root = spans.find(({ name }) => name === 'joined');
  expect(root?.parentId).toBe(spanId);
  expect(await logTexts(server, id)).toContain(`in 00-${traceId}-${root?.id}-01`);
});

test('a trace that its sender does not record is not sent', async () => {
  const unwanted = sender();
  const first = await startTraced(
    oneJob('unwanted', [sh('echo "in $TRACEPARENT"')]),
    unwanted.header.replace(/01$/, '00'),
  );
  expect(await ended(server, first)).toBe('DONE');
  expect((await logTexts(server, first)).join()).toMatch(/in 00-[0-9a-f]{32}-[0-9a-f]{16}-00/);
  const wanted = sender();
  await ended(server, await startTraced(oneJob('wanted', [sh('true')]), wanted.header));
  await collected(wanted.traceId);
  const ids = collector.posts.flatMap(({ spans }) => spans.map(({ traceId }) => traceId));
  expect(ids).not.toContain(unwanted.traceId);
});

test('a workflow that sets TRACEPARENT keeps its own', async () => {
  const manifest = {
    ...oneJob('own', [sh('echo "in $TRACEPARENT"')]),
    variables: { TRACEPARENT: 'mine' },
  };
  const id = await start(server, manifest);
  await ended(server, id);
  expect(await logTexts(server, id)).toContain('in mine');
});

test('what became of traces is counted', async () => {
  const { posts } = collector;
  const seen = await scrape(server);
  expect(seen.value('tutti_traces_total', { outcome: 'sent' })).toBe(posts.length);
  expect(seen.value('tutti_traces_total', { outcome: 'failed' })).toBe(0);
  const spans = posts.reduce((sum, post) => sum + post.spans.length, 0);
  expect(seen.value('tutti_trace_spans_total', { outcome: 'sent' })).toBe(spans);
});

test('a server that is killed before a trace was sent sends it after the next start, once', async () => {
  const slow = await openCollector();
  onTestFinished(() => slow.close());
  slow.answerWith(null);
  const config = { tracing: { endpoint: slow.url } };
  const killed = await bench.server({ config });
  await bench.agent(killed, { tags: ['linux'], name: 'of the killed one' });
  const id = await start(killed, oneJob('survives', [sh('true')]));
  await ended(killed, id);
  await eventually('the first try', () => slow.asked() > 0);
  await killed.child.kill('SIGKILL');
  slow.answerWith(200);
  const next = await bench.server({ config, dataDir: killed.dataDir });
  await collected(traceIdOf(id), slow);
  await eventually('the count of it', async () => {
    return (await scrape(next)).value('tutti_traces_total', { outcome: 'sent' }) === 1;
  });
  expect(slow.posts).toHaveLength(1);
});

test('the variables of OpenTelemetry configure a server', async () => {
  const child = startCli(['server', '--data-dir', 'otel', '--port', '0'], {
    cwd: bench.folder,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-from=environment',
      OTEL_SERVICE_NAME: 'from the environment',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=tests',
    },
  });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await child.ended;
  });
  const [, url = ''] = await child.said(/ready on (\S+)/);
  const made = startCli(['token', 'create', '--data-dir', 'otel', '--subject', 'tests'], {
    cwd: bench.folder,
  });
  await made.ended;
  const api = createApi(url, made.stdout().trim());
  const id = await start(api, oneJob('configured', [sh('true')], { 'runs-on': 'inception' }));
  await api.call('DELETE', `/workflows/${id}`);
  await ended(api, id);
  await collected(traceIdOf(id));
  const post = collector.posts.find(({ spans }) => spans[0]?.traceId === traceIdOf(id));
  expect(post?.headers['x-from']).toBe('environment');
  expect(post?.resource).toMatchObject({
    'service.name': 'from the environment',
    'deployment.environment.name': 'tests',
  });
});

test('without a collector a run has no variable of a trace, unless its sender has one', async () => {
  const plain = await bench.server();
  await bench.agent(plain, { tags: ['linux'], name: 'plain' });
  const show = oneJob('shown', [sh('echo "in $' + '{TRACEPARENT-none}"')]);
  const without = await start(plain, show);
  await ended(plain, without);
  expect(await logTexts(plain, without)).toContain('in none');
  const { header } = sender();
  const answer = await plain.call('POST', '/workflows', {
    body: show,
    headers: { traceparent: header },
  });
  const within = startedId(answer);
  await ended(plain, within);
  expect(await logTexts(plain, within)).toContain(`in ${header}`);
});

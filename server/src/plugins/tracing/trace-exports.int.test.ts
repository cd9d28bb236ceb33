/** Traces on their way to a collector, with a real store, bus and HTTP server. */
import type { ExecutionCommandEvent, WorkflowId } from '@tutti/manifests';
import { expect, onTestFinished, test } from 'vitest';
import { readHere } from '../../http/document-tasks.ts';
import { createLogger } from '../../runtime/logger.ts';
import { createMeters } from '../../runtime/meters.ts';
import {
  dataFolder,
  eventually,
  type RunningArranger,
  startArranger,
} from '../../services/arranger/testing.ts';
import { withShownEvents } from '../../services/observer/shown-events.ts';
import type { Store } from '../../store/store.ts';
import { TRACING_LIMITS } from './limits.ts';
import { type OtlpCollector, openCollector } from './testing/otlp-collector.ts';
import { exportTraces } from './trace-exports.ts';

const sequence = (number: number) => (event: ExecutionCommandEvent) =>
  event.metadata.step_sequence_id === number;

async function collector(): Promise<OtlpCollector> {
  const opened = await openCollector();
  onTestFinished(() => opened.close());
  return opened;
}

interface Tracing extends RunningArranger {
  readonly meters: ReturnType<typeof createMeters>;
  /** Messages of the log. */
  readonly actual: string[];
  /** Lets time pass for the exports. */
  pass(ms: number): void;
}

async function startTracing(to: OtlpCollector, folder: string): Promise<Tracing> {
  const meters = createMeters();
  const actual: string[] = [];
  const destination = { write: (line: string) => void actual.push(JSON.parse(line).msg) };
  let passedMs = 0;
  let store: Store | null = null;
  const running = await startArranger(folder, {
    prepare: (bus) => {
      if (store === null) throw new Error('The store is opened before the bus.');
      const tracing = exportTraces({
        bus,
        store,
        clock: { now: () => Date.now() + passedMs, monotonicMs: () => Date.now() + passedMs },
        logger: createLogger({ level: 'info', destination }),
        meters,
        collector: { url: to.url, headers: { 'x-own': 'a' }, serviceName: 'tests', version: '1' },
      });
      onTestFinished(() => tracing.stop());
    },
    around: (opened) => {
      store = withShownEvents(opened, readHere);
      return opened;
    },
  });
  const pass = (ms: number) => {
    passedMs += ms;
  };
  return { ...running, meters, actual, pass };
}

async function playRun({ start, event, answer }: RunningArranger): Promise<WorkflowId> {
  const id = await start({ a: { 'runs-on': 'linux', steps: [{ run: 'make' }] } });
  for (const number of [-1, 0, -2]) {
    await answer(await event(id, 'ExecutionCommand', sequence(number)));
  }
  await event(id, 'WorkflowCompleted');
  return id;
}

const outcomes = ({ meters }: Tracing) => Object.fromEntries(meters.traces.entries());

test('each run is sent once, when it is over', async () => {
  const to = await collector();
  const tracing = await startTracing(to, await dataFolder());
  const ids = [await playRun(tracing), await playRun(tracing)];
  await eventually(() => expect(to.posts).toHaveLength(2));
  await eventually(() => expect(outcomes(tracing)).toEqual({ sent: 2, failed: 0, dropped: 0 }));
  const sent = to.posts.map(({ spans }) => spans[0]?.traceId).sort();
  expect(sent).toEqual(ids.map((id) => id.replaceAll('-', '')).sort());
  const [post] = to.posts;
  expect(post?.spans.map(({ name }) => name)).toEqual(['test', 'a', 'environment', 'make']);
  expect(post?.headers['x-own']).toBe('a');
  expect(post?.resource).toMatchObject({ 'service.name': 'tests', 'service.version': '1' });
  expect(Object.fromEntries(tracing.meters.traceSpans.entries())).toEqual({ sent: 8, dropped: 0 });
});

test('a collector that fails loses traces and hurts no run, and is told of once', async () => {
  const to = await collector();
  to.answerWith(400);
  const tracing = await startTracing(to, await dataFolder());
  await playRun(tracing);
  await eventually(() => expect(outcomes(tracing).failed).toBe(1));
  await playRun(tracing);
  await eventually(() => expect(outcomes(tracing)).toEqual({ sent: 0, failed: 1, dropped: 1 }));
  expect(to.asked()).toBe(1);
  tracing.pass(TRACING_LIMITS.pauseAfterFailureMs);
  await playRun(tracing);
  await eventually(() => expect(outcomes(tracing).failed).toBe(2));
  expect(tracing.actual).toEqual([
    `The collector at ${to.url} did not take a trace. It is tried again every ten seconds; traces of runs that end in between are lost.`,
  ]);
});

test('passwords and keys in the address of a collector are not in the log', async () => {
  const to = await collector();
  to.answerWith(400);
  const url = `${to.url.replace('//', '//me:swordfish@')}/v1/traces?key=swordfish`;
  const tracing = await startTracing({ ...to, url }, await dataFolder());
  await playRun(tracing);
  await eventually(() => expect(tracing.actual).toHaveLength(1));
  expect(tracing.actual[0]).toContain(`The collector at ${to.url}/v1/traces did not take a trace.`);
  expect(tracing.actual[0]).not.toContain('swordfish');
});

test('a collector that is back gets the traces of what ends from then on', async () => {
  const to = await collector();
  to.answerWith(400);
  const tracing = await startTracing(to, await dataFolder());
  await playRun(tracing);
  await eventually(() => expect(outcomes(tracing).failed).toBe(1));
  to.answerWith(200);
  tracing.pass(TRACING_LIMITS.pauseAfterFailureMs);
  const id = await playRun(tracing);
  await eventually(() => expect(outcomes(tracing).sent).toBe(1));
  await playRun(tracing);
  await eventually(() => expect(outcomes(tracing).sent).toBe(2));
  expect(to.posts[0]?.spans[0]?.traceId).toBe(id.replaceAll('-', ''));
  expect(tracing.actual.at(-1)).toBe('Traces are sent again.');
});

test('a run whose trace was on its way when the server was stopped is sent after the next start', async () => {
  const to = await collector();
  to.answerWith(null);
  const folder = await dataFolder();
  const first = await startTracing(to, folder);
  const id = await playRun(first);
  await eventually(() => expect(to.asked()).toBe(1));
  await first.bus.stop();
  await first.arranger.stop();
  await first.store.close();
  expect(outcomes(first)).toEqual({ sent: 0, failed: 0, dropped: 0 });
  to.answerWith(200);
  const second = await startTracing(to, folder);
  await eventually(() => expect(outcomes(second)).toEqual({ sent: 1, failed: 0, dropped: 0 }));
  expect(to.posts.map(({ spans }) => spans[0]?.traceId)).toEqual([id.replaceAll('-', '')]);
});

test('runs that the collector is too slow for are left out', async () => {
  const to = await collector();
  const tracing = await startTracing(to, await dataFolder());
  tracing.pass(TRACING_LIMITS.waitMaxMs + 60_000);
  await playRun(tracing);
  await eventually(() => expect(outcomes(tracing)).toEqual({ sent: 0, failed: 0, dropped: 1 }));
  expect(to.asked()).toBe(0);
});

test('texts that the run masks are in no span', async () => {
  const to = await collector();
  const tracing = await startTracing(to, await dataFolder());
  const { start, event, answer } = tracing;
  const steps = [{ run: 'echo swordfish' }];
  const id = await start(
    { a: { 'runs-on': 'linux', steps } },
    { secrets: { PASSWORD: 'swordfish' } },
  );
  for (const number of [-1, 0, -2]) {
    await answer(await event(id, 'ExecutionCommand', sequence(number)));
  }
  await eventually(() => expect(to.posts).toHaveLength(1));
  expect(to.posts[0]?.spans.map(({ name }) => name)).toContain('echo ***');
});

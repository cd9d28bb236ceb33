// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { randomUUID } from 'node:crypto';
import {
  type AttachmentId,
  apiVersionOf,
  type ExecutionCommandEvent,
  type ExecutionResultEvent,
  formatTimestamp,
  type NotificationEvent,
  parseWorkflowId,
  type RunEvent,
  type TestResult,
  type WorkflowEvent,
  type WorkflowId,
  type WorkflowManifest,
} from '@tutti/manifests';
import { createRedactor, decide, emptyRun, testResultsWorkerId } from '@tutti/workflow';
import { expect, test } from 'vitest';
import type { ServerEventBus } from '../../bus/event-bus.ts';
import { systemClock } from '../../runtime/clock.ts';
import { memoryBounds } from '../../runtime/memory-bounds.ts';
import { RunMemory } from '../../runtime/run-memory.ts';
import type { Store } from '../../store/store.ts';
import { project } from './projection.ts';
import { dataFolder, eventually, type RunningArranger, startArranger } from './testing.ts';

const job = (more: Partial<WorkflowManifest['jobs'][string]> = {}) => ({
  'runs-on': 'linux',
  steps: [{ id: 'one', run: 'true' }],
  ...more,
});

const sequence = (number: number) => (event: ExecutionCommandEvent) =>
  event.metadata.step_sequence_id === number;
const kinds = (events: readonly RunEvent[]) => events.map(({ kind }) => kind);

// Bound: Runs in memory.
test('a run goes from its request to its end, and is then no longer in memory', async () => {
  const { start, event, answer, arranger, store } = await startArranger(await dataFolder());
  const id = await start({ a: job() });
  for (const number of [-1, 0, -2]) {
    await answer(await event(id, 'ExecutionCommand', sequence(number)));
  }
  await event(id, 'WorkflowCompleted');
  expect((await store.workflow(id))?.status).toBe('DONE');
  await eventually(() => expect(arranger.current(id)).toBeNull());
  expect((await arranger.find(id))?.phase).toBe('DONE');
});

test('a result and the command that follows from it are one commit', async () => {
  const { start, event, answer, events } = await startArranger(await dataFolder());
  const id = await start({ a: job() });
  await answer(await event(id, 'ExecutionCommand', sequence(-1)));
  expect(kinds(await events(id)).slice(-2)).toEqual(['ExecutionResult', 'ExecutionCommand']);
});

test('inputs that come together are decided one after the other', async () => {
  const { start, event, answer } = await startArranger(await dataFolder());
  const id = await start({ a: job() });
  const request = await event(id, 'ExecutionCommand', sequence(-1));
  const outcomes = await Promise.all([answer(request), answer(request), answer(request)]);
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['accepted', 'refused', 'refused']);
});

// Bound: Inputs of one run in one commit.
test('inputs that cost much are decided one at a time, so that others get their turn', async () => {
  let appends = 0;
  const counted = (store: Store): Store => ({
    ...store,
    append: async (append) => {
      appends += 1;
      return await store.append(append);
    },
  });
  const { start, event, answer } = await startArranger(await dataFolder(), { around: counted });
  const skipped = { run: 'true', if: "(variables.TEXT ~= 'a*c') && false" };
  const costly = job({ steps: Array.from({ length: 12 }, () => skipped) });
  const id = await start(
    { a: costly, b: costly, c: costly },
    { variables: { TEXT: 'ab'.repeat(8000) } },
  );
  const requests = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      event(id, 'ExecutionCommand', ({ metadata }) => metadata.name === name),
    ),
  );
  appends = 0;
  const outcomes = await Promise.all(requests.map((request) => answer(request)));
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted']);
  expect(appends).toBe(3);
});

test('inputs with many bytes are decided a few at a time, in their order', async () => {
  const commits: string[] = [];
  const noted = (store: Store): Store => ({
    ...store,
    append: async (append) => {
      const logs = append.events.map(({ json }) => JSON.parse(json).spec?.logs?.[0]?.length);
      commits.push(logs.join());
      return await store.append(append);
    },
  });
  const { start, event, bus } = await startArranger(await dataFolder(), { around: noted });
  const id = await start({ a: job() });
  const { metadata } = await event(id, 'ExecutionCommand', sequence(-1));
  commits.length = 0;
  const MIB = 1024 * 1024;
  const sizes = [1, MIB, 2 * MIB, 3 * MIB, 2, 4 * MIB, 3];
  await Promise.all(
    sizes.map((size) =>
      bus.publish({
        apiVersion: 'opentestfactory.org/v1',
        kind: 'Notification',
        metadata: { ...metadata, name: 'prints' },
        spec: { logs: ['x'.repeat(size)] },
      }),
    ),
  );
  expect(commits).toEqual([`1,${MIB},${2 * MIB},${3 * MIB}`, `2,${4 * MIB}`, '3']);
});

test('after a crash a run goes on from its log', async () => {
  const folder = await dataFolder();
  const before = await startArranger(folder);
  const id = await before.start({ a: job(), b: job({ needs: 'a' }) });
  await before.answer(await before.event(id, 'ExecutionCommand', sequence(-1)));
  await before.crash();

  const after = await startArranger(folder);
  expect([...after.arranger.live()].map((run) => run.workflowId)).toEqual([id]);
  await after.answer(await after.event(id, 'ExecutionCommand', sequence(0)));
  await after.answer(await after.event(id, 'ExecutionCommand', sequence(-2)));
  await after.event(
    id,
    'ExecutionCommand',
    (command) => command.metadata.name === 'b' && sequence(-1)(command),
  );
});

test('a start reads no output of a run, however long its log', async () => {
  const folder = await dataFolder();
  const before = await startArranger(folder);
  const id = await before.start({ a: job() });
  const request = await before.event(id, 'ExecutionCommand', sequence(-1));
  const note = (line: number): RunEvent => ({
    apiVersion: apiVersionOf('opentestfactory.org', 'Notification'),
    kind: 'Notification',
    metadata: { ...request.metadata, name: 'note' },
    spec: { logs: [`line ${line}`] },
  });
  for (let line = 0; line < 200; line += 1) await before.bus.publish(note(line));
  const { length } = await before.events(id);
  await before.crash();

  const read: number[] = [];
  const after = await startArranger(folder, {
    around: (store) => ({
      ...store,
      liveEvents: async (last) => {
        const events = await store.liveEvents(last);
        read.push(...events.map(({ seq }) => seq));
        return events;
      },
    }),
  });
  expect(read).toEqual([1, 2]);
  await after.answer(request);
  expect(await after.events(id)).toHaveLength(length + 2);
});

test('a run is folded once for all concurrent senders, and no event is lost meanwhile', async () => {
  const folder = await dataFolder();
  let folds = 0;
  const { start, event, answer, bus, arranger } = await startArranger(folder, {
    around: (store) => ({
      ...store,
      foldingEvents: async (id, fromSeq) => {
        folds += fromSeq === 1 ? 1 : 0;
        return await store.foldingEvents(id, fromSeq);
      },
    }),
  });
  const id = await start({ a: job() });
  const request = await event(id, 'ExecutionCommand', sequence(-1));
  const send = (spec: NotificationEvent['spec']): RunEvent => ({
    apiVersion: apiVersionOf('opentestfactory.org', 'Notification'),
    kind: 'Notification',
    metadata: { ...request.metadata, name: 'worker' },
    spec,
  });
  for (let line = 0; line < 200; line += 1) await bus.publish(send({ logs: ['a'] }));
  for (const number of [-1, 0, -2]) {
    await answer(await event(id, 'ExecutionCommand', sequence(number)));
  }
  await eventually(() => expect(arranger.current(id)).toBeNull());
  folds = 0;
  const worker = (worker_id: string) => send({ worker: { worker_id, status: 'setup' } });
  const asked = [bus.publish(worker('one')), arranger.find(id)];
  await Promise.all([...asked, bus.publish(worker('two'))]);
  expect(folds).toBe(1);
  expect([...(arranger.current(id)?.workers ?? [])]).toEqual(['one', 'two']);
});

test('a log that grew elsewhere is read again before the next decision', async () => {
  const { start, event, answer, store, events } = await startArranger(await dataFolder());
  const id = await start({ a: job() });
  const request = await event(id, 'ExecutionCommand', sequence(-1));
  const [workflow] = await events(id);
  const note = {
    ...workflow,
    kind: 'Notification',
    spec: { logs: ['from another writer of the same log'] },
  };
  const appended = await store.append({
    workflowId: id,
    expectedSeq: 2,
    events: [{ kind: 'Notification', json: JSON.stringify(note) }],
    projection: {
      workflow: null,
      logText: '',
      attachments: [],
      testCases: [],
      jobs: [],
    },
    documents: [],
    outbox: [],
  });
  expect(appended.outcome).toBe('appended');
  expect(await answer(request)).toEqual({ outcome: 'accepted' });
  expect(kinds(await events(id))).toEqual([
    'Workflow',
    'ExecutionCommand',
    'Notification',
    'ExecutionResult',
    'ExecutionCommand',
  ]);
});

test('a step that takes longer than its timeout-minutes is stopped', async () => {
  const { start, event, answer } = await startArranger(await dataFolder());
  const id = await start({
    a: job({ steps: [{ id: 'slow', run: 'sleep 99', 'timeout-minutes': 0.001 }] }),
  });
  await answer(await event(id, 'ExecutionCommand', sequence(-1)));
  const stop = await event(id, 'ExecutionCommand', sequence(-4));
  expect(stop.metadata['tutti.cause']).toBe('timeout');
});

test('the timeout of a step that is being stored while the clock jumps goes on', async () => {
  let jumpMs = 0;
  const now = () => systemClock.now() + jumpMs;
  const clock = { ...systemClock, now, timestamp: () => formatTimestamp(now()) };
  const [storing, mayStore] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const around = (store: Store): Store => ({
    ...store,
    append: async (append) => {
      if (append.events.some(({ json }) => json.includes('"scripts":["patient"]'))) {
        storing.resolve();
        await mayStore.promise;
      }
      return await store.append(append);
    },
  });
  const memory = new RunMemory(memoryBounds());
  const folder = await dataFolder();
  const parts = { around, memory, clock };
  const { start, event, events, answer } = await startArranger(folder, parts);
  const withTimeout = (run: string, minutes: number) =>
    start({ a: job({ steps: [{ run, 'timeout-minutes': minutes }] }) });
  const patient = await withTimeout('patient', 60);
  const answering = answer(await event(patient, 'ExecutionCommand', sequence(-1)));
  await storing.promise;
  jumpMs = 7_200_000;
  const hasty = await withTimeout('hasty', 0.001);
  mayStore.resolve();
  await answering;
  await answer(await event(hasty, 'ExecutionCommand', sequence(-1)));
  await event(hasty, 'ExecutionCommand', sequence(-4));
  const commands = (await events(patient)).filter(({ kind }) => kind === 'ExecutionCommand');
  expect(commands.map(({ metadata }) => metadata.step_sequence_id)).toEqual([-1, 0]);
});

test('a deadline that passed while the server was down is met at its start', async () => {
  const folder = await dataFolder();
  const before = await startArranger(folder);
  const id = await before.start({ a: job({ 'timeout-minutes': 0.001 }) });
  await before.crash();
  const after = await startArranger(folder);
  const end = await after.event(id, 'WorkflowCanceled');
  expect(end.details.reason).toContain('"a"');
});

test('runs of one concurrency group go one after the other, and waiting ones name the holder', async () => {
  const { start, event, answer, events } = await startArranger(await dataFolder());
  const concurrency = { group: 'deploy' };
  const first = await start({ a: job() }, { concurrency });
  const request = await event(first, 'ExecutionCommand', sequence(-1));
  const second = await start({ a: job() }, { concurrency });
  const waiting = await event(second, 'Notification', ({ spec }) => 'tutti.waiting' in spec);
  expect(Object(waiting.spec)['tutti.waiting']).toEqual({
    reason: 'concurrency',
    group: 'deploy',
    heldBy: first,
  });
  expect(kinds(await events(second))).not.toContain('ExecutionCommand');

  await answer(request);
  await answer(await event(first, 'ExecutionCommand', sequence(0)));
  await answer(await event(first, 'ExecutionCommand', sequence(-2)));
  await event(second, 'ExecutionCommand', sequence(-1));
});

test('a job that waits for another one of its workflow says for which', async () => {
  const { start, event } = await startArranger(await dataFolder());
  const concurrency = { group: 'lab' };
  const id = await start({ a: { ...job(), concurrency }, b: { ...job(), concurrency } });
  const { spec } = await event(id, 'Notification', (shownBy) => 'tutti.waiting' in shownBy.spec);
  expect(spec).toEqual({
    'tutti.waiting': { reason: 'concurrency', group: 'lab', heldBy: id, heldByJob: 'a' },
    logs: ['Job "b" waits: concurrency group "lab" is held by job "a" of this workflow.'],
  });
});

test('if two workflows wait for each other, the later one gives way', async () => {
  const { start, event, answer } = await startArranger(await dataFolder());
  const crossing = (outer: string, inner: string) => ({
    b: {
      concurrency: { group: outer },
      jobs: { first: job(), last: job({ needs: 'first', concurrency: { group: inner } }) },
    },
  });
  const end = async (id: WorkflowId, request: ExecutionCommandEvent) => {
    await answer(request);
    for (const number of [0, -2])
      await answer(await event(id, 'ExecutionCommand', sequence(number)));
  };
  const [one, two] = [await start(crossing('x', 'y')), await start(crossing('y', 'x'))];
  const [ofOne, ofTwo] = [
    await event(one, 'ExecutionCommand', sequence(-1)),
    await event(two, 'ExecutionCommand', sequence(-1)),
  ];
  await end(one, ofOne);
  await event(one, 'Notification', ({ spec }) => 'tutti.waiting' in spec);
  await end(two, ofTwo);
  const stopped = await event(
    two,
    'Notification',
    ({ spec }) => Object(spec)['tutti.job'] === 'b/last',
  );
  expect(stopped.spec).toMatchObject({
    conclusion: 'cancelled',
    logs: [
      `Job "last" canceled: concurrency group "x" is held by workflow ${one}, which itself waits for a group that is held around this job. Neither could go on.`,
    ],
  });
  await event(one, 'ExecutionCommand', ({ metadata }) => metadata.name === 'last');
});

test('a concurrency group is still held after a crash', async () => {
  const folder = await dataFolder();
  const before = await startArranger(folder);
  const concurrency = { group: 'deploy' };
  const first = await before.start({ a: job() }, { concurrency });
  await before.event(first, 'ExecutionCommand', sequence(-1));
  const waiting = await before.start({ a: job() }, { concurrency });
  await before.event(waiting, 'Notification', ({ spec }) => 'tutti.waiting' in spec);
  await before.crash();

  const after = await startArranger(folder);
  expect(kinds(await after.events(waiting))).not.toContain('ExecutionCommand');
  const second = await after.start({ a: job() }, { concurrency });
  await after.event(second, 'Notification', ({ spec }) => 'tutti.waiting' in spec);
  expect(kinds(await after.events(second))).not.toContain('ExecutionCommand');
});

/** Refuses the first append with such an entry, like a full disk. */
function failingOnce(...texts: readonly string[]): (store: Store) => Store {
  const left = new Set(texts);
  return (store) => ({
    ...store,
    append: async (append) => {
      const found = append.events.flatMap(({ json }) =>
        [...left].filter((text) => json.includes(text)),
      );
      for (const text of found) left.delete(text);
      if (found.length > 0) throw new Error('The disk is full.');
      return await store.append(append);
    },
  });
}

const RUN_BYTES = 20_000;

const OVERFULL =
  'The workflow has 20000 bytes of events, which is the limit (limits.runBytes). What it says from here on is left out.';

// Bound: Events of a run, with its output and test results.
test('a run with more events than may be stored of one is canceled, and says no more', async () => {
  const folder = await dataFolder();
  const { start, event, answer, bus, events, store } = await startArranger(folder, {
    runBytesMax: RUN_BYTES,
  });
  const id = await start({ a: job() });
  await answer(await event(id, 'ExecutionCommand', sequence(-1)));
  const command = await event(id, 'ExecutionCommand', sequence(0));
  const { metadata } = command;
  const says = (text: string): Promise<unknown> =>
    bus.publish({ apiVersion: 'v1', kind: 'Notification', metadata, spec: { logs: [text] } });
  expect(await says('x'.repeat(RUN_BYTES))).toEqual({ outcome: 'accepted' });
  expect((await event(id, 'WorkflowCancellation')).details).toEqual({ reason: OVERFULL });
  expect(await says('more')).toEqual({ outcome: 'refused', why: OVERFULL });
  await event(id, 'ExecutionCommand', sequence(-4));
  await answer(command);
  await answer(await event(id, 'ExecutionCommand', sequence(-2)));
  await event(id, 'WorkflowCanceled');
  expect((await store.workflow(id))?.status).toBe('FAILED');
  expect(kinds(await events(id)).filter((kind) => kind === 'WorkflowCancellation')).toHaveLength(1);
});

// Bound: One run in memory.
test('a run that takes too much memory is canceled, and gives it back', async () => {
  const run = 1024 * 1024;
  const memory = new RunMemory({ liveRuns: 9 * run, liveRunsOfNamespace: 6 * run, run });
  const folder = await dataFolder();
  const runs = await startArranger(folder, { memory });
  const { start, event, answer } = runs;
  const id = await start({ a: job() });
  await answer(await event(id, 'ExecutionCommand', sequence(-1)));
  const attached = Array.from({ length: 4_000 }, (_, index) => [
    `/tmp/${index}`,
    { uuid: randomUUID() as AttachmentId, type: 'application/octet-stream' },
  ]);
  await answer(await event(id, 'ExecutionCommand', sequence(0)), {
    attachments: Object.fromEntries(attached),
  });
  expect((await event(id, 'WorkflowCancellation')).details).toEqual({
    reason: `The workflow takes more than ${run} bytes of memory, which is the limit of one workflow (limits.liveRunsBytes).`,
  });
  await answer(await event(id, 'ExecutionCommand', sequence(-2)));
  await event(id, 'WorkflowCanceled');
  await eventually(() => expect(memory.bytes).toBe(0));
});

test('a namespace that takes most of the memory ends no runs of another one', async () => {
  const kib = 1024;
  const bounds = { liveRuns: 400 * kib, liveRunsOfNamespace: 400 * kib, run: 300 * kib };
  const memory = new RunMemory(bounds);
  const folder = await dataFolder();
  const runs = await startArranger(folder, { memory });
  const { start, event, events, answer } = runs;
  const of = (namespace: string, length: number) =>
    start(
      { a: job() },
      { metadata: { name: 'test', namespace }, variables: { TEXT: 'x'.repeat(length) } },
    );
  await of('theirs', 60 * kib);
  const largest = await of('theirs', 90 * kib);
  const ours = await of('ours', 1);
  await answer(await event(ours, 'ExecutionCommand', sequence(-1)));
  // Memory that runs of the other namespace took meanwhile.
  memory.add('theirs', 400 * kib - memory.bytes, 0);
  const attached = Array.from({ length: 200 }, (_, index) => [
    `/tmp/${index}`,
    { uuid: randomUUID() as AttachmentId, type: 'application/octet-stream' },
  ]);
  await answer(await event(ours, 'ExecutionCommand', sequence(0)), {
    attachments: Object.fromEntries(attached),
  });
  expect((await event(largest, 'WorkflowCancellation')).details).toEqual({
    reason: expect.stringContaining('those of namespace "theirs" take most of it'),
  });
  await answer(await event(ours, 'ExecutionCommand', sequence(-2)));
  await event(ours, 'WorkflowCompleted');
  expect(kinds(await events(ours))).not.toContain('WorkflowCancellation');
});

test('a run that finds no room in memory is refused, and leaves nothing', async () => {
  const run = 100 * 1024;
  const memory = new RunMemory({ liveRuns: 4 * run, liveRunsOfNamespace: 2 * run, run });
  const folder = await dataFolder();
  const runs = await startArranger(folder, { memory });
  const large = () => runs.start({ a: job() }, { variables: { TEXT: 'x'.repeat(80 * 1024) } });
  const id = await large();
  const taken = memory.bytes;
  await expect(large()).rejects.toMatchObject({ reason: 'TooManyRequests' });
  expect([memory.bytes, runs.arranger.liveCount]).toEqual([taken, 1]);
  await runs.crash();

  const restored = new RunMemory({ liveRuns: 4, liveRunsOfNamespace: 2, run: 1 });
  const after = await startArranger(folder, { memory: restored });
  expect(after.arranger.current(id)?.phase).toBe('PENDING');
  expect(restored.bytes).toBeGreaterThan(80 * 1024);
  await expect(after.start({ a: job() })).rejects.toMatchObject({ reason: 'PayloadTooLarge' });
});

test("the size of a run's events counts after a restart", async () => {
  const folder = await dataFolder();
  const around = (store: Store) => store;
  const before = await startArranger(folder, { around, runBytesMax: RUN_BYTES });
  const id = await before.start({ a: job() });
  const { metadata } = await before.event(id, 'ExecutionCommand', sequence(-1));
  const says = { apiVersion: 'v1', kind: 'Notification' as const, metadata };
  const text = 'x'.repeat(RUN_BYTES / 2);
  await before.bus.publish({ ...says, spec: { logs: [text] } });
  await before.crash();

  const after = await startArranger(folder, { around, runBytesMax: RUN_BYTES });
  expect(after.arranger.liveCount).toBe(1);
  await after.bus.publish({ ...says, spec: { logs: [text] } });
  expect((await after.event(id, 'WorkflowCancellation')).details).toEqual({ reason: OVERFULL });
  await after.event(id, 'WorkflowCanceled');
  await eventually(() => expect(after.arranger.liveCount).toBe(0));
});

// Bound: Retries to store an input without a sender.
test('an internal input of a run is retried if it could not be stored', async () => {
  const around = failingOnce('tutti.granted', 'tutti.waiting', '"tutti.cause":"timeout"');
  const { start, event, answer } = await startArranger(await dataFolder(), { around });
  const concurrency = { group: 'deploy' };
  const slow = job({ steps: [{ id: 'slow', run: 'sleep 99', 'timeout-minutes': 0.001 }] });
  const first = await start({ a: slow }, { concurrency });
  await event(first, 'Notification', ({ spec }) => Object(spec)['tutti.granted'] === '');
  await answer(await event(first, 'ExecutionCommand', sequence(-1)));
  const second = await start({ a: job() }, { concurrency });
  await event(second, 'Notification', ({ spec }) => 'tutti.waiting' in spec);
  expect(await event(first, 'ExecutionCommand', sequence(-4))).toMatchObject({
    metadata: { 'tutti.cause': 'timeout' },
  });
});

test('a run stays in memory unchanged when an event for it cannot be stored', async () => {
  const around = failingOnce('"status":0,"logs":["made"]');
  const { start, event, answer, arranger, bus } = await startArranger(await dataFolder(), {
    around,
  });
  const id = await start({ a: job() });
  await answer(await event(id, 'ExecutionCommand', sequence(-1)));
  const before = arranger.current(id);
  expect(before).not.toBeNull();
  const { kind: _, metadata, ...command } = await event(id, 'ExecutionCommand', sequence(0));
  const result: ExecutionResultEvent = {
    apiVersion: command.apiVersion,
    kind: 'ExecutionResult',
    metadata,
    status: 0,
    logs: ['made'],
  };
  await expect(bus.publish(result)).rejects.toThrow('The disk is full.');
  expect(arranger.current(id)).toBe(before);
  expect([...arranger.live()]).toEqual([before]);
  expect(await bus.publish(result)).toEqual({ outcome: 'accepted' });
});

const takesOver = { concurrency: { group: 'deploy', 'cancel-in-progress': true } };
const cleaning = job({
  steps: [
    { id: 'one', run: 'true' },
    { id: 'clean', run: 'clean', if: 'always()' },
  ],
});
const overtaken = (by: string) => ({
  reason: `Concurrency group "deploy" was taken over by workflow ${by}.`,
  source: 'arranger',
  status: 'cancelled',
});

test('a run that takes a group over ends the holder and the waiting runs, and is next', async () => {
  const { start, event, answer, events } = await startArranger(await dataFolder());
  const holder = await start({ a: cleaning }, { concurrency: { group: 'deploy' } });
  await answer(await event(holder, 'ExecutionCommand', sequence(-1)));
  await event(holder, 'ExecutionCommand', sequence(0));
  const waiting = await start({ a: job() }, { concurrency: { group: 'deploy' } });
  await event(waiting, 'Notification', ({ spec }) => 'tutti.waiting' in spec);
  const newest = await start({ a: job() }, takesOver);

  expect((await event(waiting, 'WorkflowCanceled')).details).toEqual(overtaken(newest));
  await event(holder, 'ExecutionCommand', sequence(-4));
  await answer(await event(holder, 'ExecutionCommand', sequence(0)));
  await answer(await event(holder, 'ExecutionCommand', sequence(1)));
  // The holder keeps the group while it cleans up.
  expect(kinds(await events(newest))).not.toContain('ExecutionCommand');
  await answer(await event(holder, 'ExecutionCommand', sequence(-2)));
  expect((await event(holder, 'WorkflowCanceled')).details).toEqual(overtaken(newest));
  await event(newest, 'ExecutionCommand', sequence(-1));
});

test('a job takes the group of another job over, and of a whole run', async () => {
  const { start, event, answer, events } = await startArranger(await dataFolder());
  const first = await start({ a: job({ concurrency: { group: 'deploy' } }), b: job() });
  const isOf = (name: string) => (command: ExecutionCommandEvent) =>
    command.metadata.name === name && sequence(-1)(command);
  await event(first, 'ExecutionCommand', isOf('a'));
  const second = await start({ a: job(takesOver) });
  await event(first, 'Notification', ({ spec }) => Object(spec)['tutti.job'] === 'a');
  await event(second, 'ExecutionCommand', sequence(-1));
  expect(kinds(await events(first))).not.toContain('WorkflowCanceled');
  const third = await start({ a: job() }, takesOver);
  expect((await event(second, 'WorkflowCanceled')).details).toEqual(overtaken(third));
  await answer(await event(third, 'ExecutionCommand', sequence(-1)));
  const fourth = await start({ a: job(takesOver) });
  expect((await event(third, 'WorkflowCancellation')).details).toEqual({
    reason: overtaken(fourth).reason,
    source: 'arranger',
  });
});

test('a group is taken over though the server crashed before it notified the holder', async () => {
  const folder = await dataFolder();
  const before = await startArranger(folder);
  const holder = await before.start({ a: cleaning }, { concurrency: { group: 'deploy' } });
  await before.answer(await before.event(holder, 'ExecutionCommand', sequence(-1)));
  const [workflow] = await before.events(holder);
  const newest = parseWorkflowId('ffffffff-ffff-4fff-8fff-ffffffffffff');
  await appendBegin(before, workflow, newest);
  await before.crash();

  const after = await startArranger(folder);
  await after.event(holder, 'ExecutionCommand', sequence(-4));
  for (const number of [0, 1, -2]) {
    await after.answer(await after.event(holder, 'ExecutionCommand', sequence(number)));
  }
  expect((await after.event(holder, 'WorkflowCanceled')).details).toEqual(overtaken(newest));
  await after.event(newest, 'ExecutionCommand', sequence(-1));
});

/** Stores the beginning of a run without its effects elsewhere, as if the server had crashed in between. */
async function appendBegin(
  { store }: Pick<RunningArranger, 'store'>,
  like: RunEvent | undefined,
  workflowId: WorkflowId,
): Promise<void> {
  if (like?.kind !== 'Workflow') throw new Error('No Workflow event to begin like.');
  const metadata = { ...like.metadata, workflow_id: workflowId };
  const event: WorkflowEvent = { ...like, ...takesOver, metadata };
  const context = { at: metadata.creationTimestamp, newId: () => 'unused' };
  const decision = decide(emptyRun, { type: 'event', event }, context);
  if (decision.outcome === 'refused') throw new Error(decision.why);
  const events = decision.events.map((each) => {
    const json = JSON.stringify(each);
    return { event: each, json, shown: { event: each, json } };
  });
  await store.append({
    workflowId,
    expectedSeq: 0,
    events: events.map(({ event: { kind }, json }) => ({ kind, json })),
    projection: project(emptyRun, decision.run, events, createRedactor([])),
    documents: [],
    outbox: [],
  });
}

test('the name of a concurrency group may be an expression, of the workflow and of a job', async () => {
  const { start, event, events } = await startArranger(await dataFolder());
  const site = (name: string) => ({
    variables: { SITE: name },
    concurrency: { group: 'of-${{ variables.SITE }}' },
  });
  const first = await start({ a: job() }, site('lyon'));
  await event(first, 'ExecutionCommand', sequence(-1));
  const elsewhere = await start({ a: job() }, site('nice'));
  await event(elsewhere, 'ExecutionCommand', sequence(-1));
  const group = 'of-${{ opentf.namespace }}';
  const second = await start({ a: job({ concurrency: { group } }) }, site('lyon'));
  const waiting = await event(second, 'Notification', ({ spec }) => 'tutti.waiting' in spec);
  expect(Object(waiting.spec)['tutti.waiting']).toMatchObject({ group: 'of-lyon', heldBy: first });
  expect(kinds(await events(second))).not.toContain('ExecutionCommand');
  const third = await start({ a: job({ concurrency: { group } }) });
  await event(third, 'Notification', ({ spec }) => Object(spec)['tutti.granted'] === 'a');
  await event(third, 'ExecutionCommand', sequence(-1));
});

test('a run with an invalid group name fails at once, and others of its kind wait for nothing', async () => {
  const { start, event } = await startArranger(await dataFolder());
  for (let run = 0; run < 2; run += 1) {
    const id = await start({ a: job() }, { concurrency: { group: '${{ nowhere.at.all }}' } });
    const end = await event(id, 'WorkflowCanceled');
    expect(end.details.reason).toMatch(
      /^concurrency\.group: Invalid expression "nowhere\.at\.all"/,
    );
  }
});

const reportId = '22222222-0000-4000-8000-000000000000' as AttachmentId;
const report = {
  attachments: {
    '/tmp/report.xml': {
      uuid: reportId,
      type: 'application/vnd.opentestfactory.junit-surefire+xml',
    },
  },
};
const hasReport = ({ metadata }: ExecutionResultEvent) => metadata.attachments !== undefined;

/** A reader of test reports that waits until its server stops. */
const neverReads = (bus: ServerEventBus) =>
  bus.subscribeDurably('reader', 'ExecutionResult', {
    takes: hasReport,
    handle: (_event, signal) => {
      const { promise, reject } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => reject(signal.reason));
      return promise;
    },
  });

const reads = (bus: ServerEventBus) =>
  bus.subscribeDurably('reader', 'ExecutionResult', {
    takes: hasReport,
    handle: async ({ apiVersion, metadata }) => {
      for (const status of ['setup', 'teardown'] as const) {
        await bus.publish({
          apiVersion: apiVersionOf(apiVersion.split('/')[0] ?? '', 'Notification'),
          kind: 'Notification',
          metadata: { ...metadata, name: 'test results' },
          spec: { worker: { worker_id: testResultsWorkerId(reportId), status } },
        });
      }
    },
  });

test('results of a step do not replace those of a later one, whenever they come', async () => {
  const folder = await dataFolder();
  const { start, answer, event, bus, store } = await startArranger(folder);
  const id = await start({ a: job({ steps: [{ run: 'make test' }, { run: 'make again' }] }) });
  await answer(await event(id, 'ExecutionCommand', sequence(-1)));
  await answer(await event(id, 'ExecutionCommand', sequence(0)), report);
  const command = await event(id, 'ExecutionCommand', sequence(1));
  const laterId = '33333333-0000-4000-8000-000000000000' as AttachmentId;
  const type = 'application/vnd.opentestfactory.junit-surefire+xml';
  await answer(command, { attachments: { '/tmp/later.xml': { uuid: laterId, type } } });
  const shownBy = async (attachment: AttachmentId, ...statuses: TestResult['status'][]) => {
    const { metadata, apiVersion } = command;
    const results = statuses.map((status) => ({
      ...{ id: status, name: 'cart#adds', status, duration: 1 },
      attachment_origin: attachment,
    }));
    await bus.publish({
      apiVersion: apiVersionOf(apiVersion.split('/')[0] ?? '', 'Notification'),
      kind: 'Notification',
      metadata: { ...metadata, name: 'test results', attachment_origin: [attachment] },
      spec: { testResults: results },
    });
    const { items } = await store.testCases(id, 0, 10);
    return items.map(({ outcome, executions }) => [outcome, executions]);
  };
  expect(await shownBy(reportId, 'SUCCESS', 'FAILURE')).toEqual([['failure', 2]]);
  // A skipped test case leaves the earlier outcome.
  expect(await shownBy(laterId, 'SKIPPED')).toEqual([['failure', 3]]);
  expect(await shownBy(laterId, 'SUCCESS')).toEqual([['success', 4]]);
  expect(await shownBy(reportId, 'ERROR')).toEqual([['success', 5]]);
  expect(await shownBy(laterId, 'FAILURE', 'SUCCESS')).toEqual([['failure', 7]]);
});

test('a run ends without a reader of its report, and its worker leaves after the restart', async () => {
  const folder = await dataFolder();
  const before = await startArranger(folder, { prepare: neverReads });
  const id = await before.start({ a: job() });
  await before.answer(await before.event(id, 'ExecutionCommand', sequence(-1)));
  await before.answer(await before.event(id, 'ExecutionCommand', sequence(0)), report);
  await before.answer(await before.event(id, 'ExecutionCommand', sequence(-2)));
  await before.event(id, 'WorkflowCompleted');
  expect(await before.store.workflow(id)).toMatchObject({
    status: 'DONE',
    live: true,
    workers: [testResultsWorkerId(reportId)],
  });
  await before.crash();

  const after = await startArranger(folder, { prepare: reads });
  await eventually(async () =>
    expect(await after.store.workflow(id)).toMatchObject({ live: false, workers: [] }),
  );
  expect((await after.store.workflow(id))?.status).toBe('DONE');
});

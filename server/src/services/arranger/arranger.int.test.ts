import type { ExecutionCommandEvent, RunEvent, WorkflowManifest } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { dataFolder, eventually, startArranger } from './testing.ts';

const job = (more: Partial<WorkflowManifest['jobs'][string]> = {}) => ({
  'runs-on': 'linux',
  steps: [{ id: 'one', run: 'true' }],
  ...more,
});

const sequence = (number: number) => (event: ExecutionCommandEvent) =>
  event.metadata.step_sequence_id === number;
const kinds = (events: readonly RunEvent[]) => events.map(({ kind }) => kind);

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
      testAttempts: [],
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

test('a step that takes longer than its timeout-minutes is told to stop', async () => {
  const { start, event, answer } = await startArranger(await dataFolder());
  const id = await start({
    a: job({ steps: [{ id: 'slow', run: 'sleep 99', 'timeout-minutes': 0.001 }] }),
  });
  await answer(await event(id, 'ExecutionCommand', sequence(-1)));
  const stop = await event(id, 'ExecutionCommand', sequence(-4));
  expect(stop.metadata['tutti.cause']).toBe('timeout');
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

test('runs of one concurrency group go one after the other, and those that wait say for whom', async () => {
  const { start, event, answer, events } = await startArranger(await dataFolder());
  const concurrency = { group: 'deploy' };
  const first = await start({ a: job() }, { concurrency });
  const request = await event(first, 'ExecutionCommand', sequence(-1));
  const second = await start({ a: job() }, { concurrency });
  const waiting = await event(second, 'Notification', ({ spec }) => 'tutti.waiting' in spec);
  expect(waiting.spec['tutti.waiting']).toEqual({
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

/** The meter of runs, with a real arranger, bus and store, and a clock of the test. */
import type { ExecutionCommandEvent } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { createMeters } from '../../runtime/meters.ts';
import { dataFolder, startArranger } from '../arranger/testing.ts';
import { meterRuns } from './run-meter.ts';

async function startMetered() {
  const running = await startArranger(await dataFolder());
  const meters = createMeters();
  let seconds = 0;
  meterRuns({
    bus: running.bus,
    runs: running.arranger,
    clock: { monotonicMs: () => seconds * 1000 },
    meters,
  });
  const pass = (more: number) => {
    seconds += more;
  };
  return { ...running, meters, pass };
}

const sequence = (number: number) => (event: ExecutionCommandEvent) =>
  event.metadata.step_sequence_id === number;
const job = { 'runs-on': 'linux', steps: [{ run: 'true' }] };

test('the wait for an environment and the time of each command are measured', async () => {
  const { start, event, answer, pass, meters } = await startMetered();
  const id = await start({ a: job });
  for (const [number, took] of [
    [-1, 100],
    [0, 7],
    [-2, 0.25],
  ] as const) {
    const command = await event(id, 'ExecutionCommand', sequence(number));
    pass(took);
    await answer(command);
  }
  await event(id, 'WorkflowCompleted');
  expect([meters.jobWaitSeconds.sum, meters.jobWaitSeconds.cumulative().at(-1)]).toEqual([100, 1]);
  expect([meters.commandSeconds.sum, meters.commandSeconds.cumulative().at(-1)]).toEqual([7.25, 2]);
});

test('an offer that was not taken is no wait', async () => {
  const { start, event, answer, pass, meters } = await startMetered();
  const id = await start({ a: job });
  const request = await event(id, 'ExecutionCommand', sequence(-1));
  pass(1);
  expect((await answer(request)).outcome).toBe('accepted');
  pass(1);
  expect((await answer(request)).outcome).toBe('refused');
  expect([meters.jobWaitSeconds.sum, meters.jobWaitSeconds.cumulative().at(-1)]).toEqual([1, 1]);
});

test('the jobs of a bundle are counted, also those that never began, and the bundle is not', async () => {
  const { start, event, answer, meters } = await startMetered();
  const never = { ...job, if: 'false' };
  const id = await start({ both: { jobs: { runs: job, never } } });
  for (const number of [-1, 0, -2]) {
    await answer(await event(id, 'ExecutionCommand', sequence(number)));
  }
  await event(id, 'WorkflowCompleted');
  expect(Object.fromEntries(meters.jobsEnded.entries())).toEqual({
    success: 1,
    failure: 0,
    cancelled: 0,
    skipped: 1,
  });
  expect(Object.fromEntries(meters.runsEnded.entries())).toEqual({
    done: 1,
    failed: 0,
    canceled: 0,
  });
});

import type { AgentId, ExecutionCommandEvent, JobId, WorkflowId } from '@tutti/manifests';
import { createOutputState } from '@tutti/workflow';
import { expect, test } from 'vitest';
import { createCommand } from './command.ts';
import { createSession } from './job-session.ts';
import { createRhythm } from './rhythm.ts';

const agent = { id: 'agent' as AgentId, rhythm: createRhythm(false, 0) };

const session = () =>
  createSession(agent, { workflowId: 'run' as WorkflowId, jobId: 'job' as JobId, masks: [] });

function command() {
  const event = { metadata: { job_id: 'job', step_sequence_id: 0 } };
  const script = {
    filename: '',
    content: '',
    command: '',
    words: null,
    variablesPath: '',
    directory: null,
    workspace: null,
    removal: null,
  };
  // Nothing else of the event is looked at here.
  return createCommand(event as unknown as ExecutionCommandEvent, script, null);
}

test('work is done in order, also after work that failed', async () => {
  const job = session();
  const { promise, resolve } = Promise.withResolvers<void>();
  const done: string[] = [];
  const first = job.inOrder(async () => {
    await promise;
    done.push('first');
    throw new Error('not stored');
  });
  const second = job.inOrder(async () => done.push('second'));
  resolve();
  await expect(first).rejects.toThrow('not stored');
  await second;
  expect(done).toEqual(['first', 'second']);
});

test.each([
  ['job/0', true],
  ['job/-2', true],
  ['job', false],
  ['job2/0', false],
  ['other/0', false],
])('command %s is of the job: %o', (commandId, expected) => {
  expect(session().isOfJob(commandId)).toBe(expected);
});

test('after work that failed all is as before, but for what was published', async () => {
  const job = session();
  const step = command();
  const before = { job: { ...job }, step: { ...step } };
  const work = job.orAsBefore(step, async () => {
    job.noteOutput(createOutputState(['secret']));
    job.record(step);
    const requests = [{ kind: 'attach', path: '/tmp/a', parameters: {} }] as const;
    step.note({ nextBatch: 3, published: 2 });
    step.collect({ ...step, requests, finished: { exitStatus: 0, variables: {} } });
    throw new Error('not stored');
  });
  await expect(work).rejects.toThrow('not stored');
  expect(job).toEqual(before.job);
  expect(step).toEqual({ ...before.step, published: 2 });
});

test('work that succeeds keeps what it changed', async () => {
  const job = session();
  const step = command();
  await job.orAsBefore(step, async () => {
    step.note({ nextBatch: 3 });
  });
  expect(step.nextBatch).toBe(3);
});

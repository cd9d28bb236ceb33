import { expect, test } from 'vitest';
import { openRequests } from './open-requests.ts';
import { given } from './testing/given.ts';
import { job, offer, workflow } from './testing/inputs.ts';

const steps = [{ id: 'own', run: 'make' }];
const begin = workflow({
  one: job(steps, { 'runs-on': ['linux', 'x64'] }),
  two: job(steps, { 'runs-on': ['linux'] }),
  later: job(steps, { needs: 'one' }),
});

test('jobs that wait for an environment ask again as they asked first', () => {
  const { log, run } = given(begin);
  const first = log.filter(({ kind }) => kind === 'ExecutionCommand');
  const again = openRequests(run, () => 'new');
  expect(again).toHaveLength(2);
  for (const [index, request] of again.entries()) {
    const { 'runs-on': tags, metadata } = request;
    const { step_id, ...same } = metadata;
    expect(step_id).toBe('new');
    expect(first[index]).toMatchObject({ 'runs-on': tags, scripts: [], metadata: same });
  }
});

test('a job that has an environment does not ask again', () => {
  const { run } = given(begin, offer('one'));
  expect(openRequests(run, () => 'new').map(({ metadata }) => metadata.name)).toEqual(['two']);
});

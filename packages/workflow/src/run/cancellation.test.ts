/** A run that is cancelled, in each phase: what stops, what still runs, how it ends. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { describe, expect, test } from 'vitest';
import { nextDeadline } from './deadlines.ts';
import { given } from './testing/given.ts';
import {
  answer,
  cancel,
  executionError,
  grant,
  job,
  minute,
  NOON_MS,
  offer,
  released,
  result,
  workflow,
} from './testing/inputs.ts';

const ENDED = 'canceled {"reason":"enough","source":"me","status":"cancelled"}';
const kill = cancel('enough', 'me');

test('a run that only waits ends at once', () => {
  const begin = workflow({ a: job(['x']), b: job(['y'], { needs: 'a' }) });
  const { run } = given(begin)
    .when(kill)
    .follows('cancel enough', 'ended a: cancelled', 'ended b: cancelled', ENDED);
  expect(run.phase).toBe('FAILED');
});

test('the end names no reason or source that was not given', () => {
  given(workflow({ a: job(['x']) }))
    .when(cancel())
    .follows('cancel', 'ended a: cancelled', 'canceled {"status":"cancelled"}');
});

// Language 3.10: The environment of each job is freed, also after a failure or a cancellation.
test('the command that runs is stopped, the rest is skipped, the environment is released', () => {
  const begin = workflow({ a: job(['x', 'y']) });
  given(begin, offer('a')).when(kill).follows('cancel enough', 'stop s0: canceled');
  given(begin, offer('a'), kill)
    .when(result('a', 143))
    .follows('result a 0: 143', 'step s1: skipped', 'release a: cancelled');
  given(begin, offer('a'), kill, result('a', 143)).when(released('a')).follows('released a', ENDED);
});

test('a command that ended by itself meanwhile counts as cancelled', () => {
  const { run } = given(
    workflow({ a: job(['x', { id: 'last', run: 'y', if: 'always()' }]) }),
    offer('a'),
    kill,
    result('a', 0),
  );
  expect(run.jobs.get('a')?.frames[0]?.ended).toMatchObject([
    { id: 's0', state: { outcome: 'cancelled', conclusion: 'cancelled' } },
  ]);
});

test('a provider is not waited for any more', () => {
  const begin = workflow({ a: job([{ id: 'call', uses: 'a/b@v1' }]) });
  given(begin, offer('a')).when(kill).follows('cancel enough', 'release a: cancelled');
  given(begin, offer('a'), kill)
    .when(answer('a', [], { stepId: 'call' }))
    .refuses('no provider is waited for at this step');
});

test('a job that is being released keeps its result', () => {
  const begin = workflow({ a: job(['x']) });
  given(begin, offer('a'), result('a')).when(kill).follows('cancel enough');
  const { run } = given(begin, offer('a'), result('a'), kill)
    .when(released('a'))
    .follows('released a', ENDED);
  expect(run.jobs.get('a')?.result).toBe('success');
});

describe('steps of a job that was cancelled', () => {
  const steps = [
    'x',
    'y',
    { id: 'c', run: 'c', if: 'cancelled()' },
    { id: 'f', run: 'f', if: 'failure()' },
    { id: 'z', run: '${{ job.status }}', if: 'always()' },
  ];
  const begin = workflow({ a: job(steps) });
  const stopped = [begin, offer('a'), kill, result('a', 143)];

  test('run when they ask for it', () => {
    given(begin, offer('a'), kill)
      .when(result('a', 143))
      .follows('result a 0: 143', 'step s1: skipped', 'run a 1: c');
    given(...stopped)
      .when(result('a'))
      .follows('result a 1: 0', 'step f: skipped', 'run a 2: cancelled');
  });

  test('that run always go on', () => {
    const cleaning = workflow({ a: job([{ id: 'z', run: 'z', if: 'always()' }, 'x']) });
    given(cleaning, offer('a')).when(kill).follows('cancel enough');
    given(cleaning, offer('a'), kill)
      .when(result('a'))
      .follows('result a 0: 0', 'step s1: skipped', 'release a: cancelled');
  });

  test('that run always go on within a provider step too', () => {
    const begin = workflow({ a: job([{ id: 'call', uses: 'a/b@v1' }]) });
    const attach = answer('a', [{ id: 'attach', run: 'attach', if: 'always()' }]);
    given(begin, offer('a'), attach).when(kill).follows('cancel enough');
  });

  test('have five minutes', () => {
    const { run } = given(...stopped);
    expect(nextDeadline(run)).toBe(NOON_MS + 5 * 60_000);
    given(...stopped)
      .when(minute(5))
      .follows('overtime', 'stop c: canceled');
    given(...stopped, minute(5))
      .when(result('a', 143))
      .follows('result a 1: 143', 'step f: skipped', 'step z: skipped', 'release a: cancelled');
  });

  test('fail alone when they cannot be evaluated', () => {
    const broken = { id: 'z', run: '${{ oops }}', if: 'always()' };
    const { events } = given(workflow({ a: job(['x', broken]) }), offer('a'), kill)
      .when(result('a', 143))
      .follows('result a 0: 143', 'step z: failure', 'release a: cancelled');
    expect(events[1]).toMatchObject({
      spec: { logs: [expect.stringContaining('ERROR,jobs.a, step z: ')] },
    });
  });
});

describe('jobs that run always', () => {
  const begin = workflow({
    a: job(['x']),
    clean: job(['mop', '${{ job.status }}'], {
      needs: 'a',
      if: 'always()',
      outputs: { o: 'done' },
    }),
    alarm: job(['tell'], { needs: 'clean', if: 'cancelled()' }),
    ready: job(['y'], { if: 'always()' }),
  });
  const stopped = [begin, offer('a'), kill, result('a', 143)];

  test('keep their request, or make it when their needs ended', () => {
    given(begin, offer('a')).when(kill).follows('cancel enough', 'stop s0: canceled');
    given(...stopped)
      .when(released('a'))
      .follows('released a', 'request clean on linux');
  });

  test('run like any other job, and need not be cancelled themselves', () => {
    const cleaning = [...stopped, released('a'), offer('clean')];
    given(...stopped, released('a'))
      .when(offer('clean'))
      .follows('offer clean: channel-1', 'run clean 0: mop');
    given(...cleaning)
      .when(result('clean'))
      .follows('result clean 0: 0', 'run clean 1: success');
    given(...cleaning, result('clean'))
      .when(result('clean'))
      .follows('result clean 1: 0', 'release clean: success');
    given(...cleaning, result('clean'), result('clean'))
      .when(released('clean'))
      .follows('released clean', 'request alarm on linux');
  });

  test('wait for an environment no longer than five minutes', () => {
    const requested = [...stopped, minute(2), released('a')];
    given(...requested)
      .when(minute(5))
      .follows('ended ready: cancelled');
    const { events } = given(...requested, minute(5))
      .when(minute(7))
      .follows('ended clean: cancelled', 'request alarm on linux');
    expect(events[0]).toMatchObject({
      spec: { logs: ['Job "clean" canceled: no environment for it within 5 minutes.'] },
    });
  });

  test('do not start after an error, nor in a run that never got its concurrency group', () => {
    const always = { a: job(['x'], { if: 'always()' }) };
    given(workflow(always))
      .when(executionError('broken'))
      .follows('error broken', 'ended a: cancelled', 'canceled {"reason":"broken"}');
    given(workflow(always, { concurrency: { group: 'lab' } }))
      .when(kill)
      .follows('cancel enough', 'ended a: cancelled', ENDED);
  });

  test('still wait for their own concurrency group', () => {
    const grouped = workflow({ a: job(['x'], { if: 'always()', concurrency: { group: 'lab' } }) });
    given(grouped).when(kill).follows('cancel enough');
    given(grouped, kill).when(grant('a')).follows('granted a', 'request a on linux');
  });
});

describe('events that end an ending run', () => {
  const begin = workflow({ a: job(['x', { id: 'z', run: 'z', if: 'always()' }]) });

  test('a second cancellation changes nothing', () => {
    const { run } = given(begin, offer('a'), kill).when(cancel('again')).follows('cancel again');
    expect(run.cancellation?.reason).toBe('enough');
  });

  test('an error does not take the time to clean up away', () => {
    given(begin, offer('a'), kill, executionError('late'))
      .when(result('a', 143))
      .follows('result a 0: 143', 'run a 1: z');
  });

  test('a cancellation does not start again what an error ended', () => {
    const { run } = given(begin, offer('a'), executionError('broken'), kill);
    expect(run.cancellation).toEqual({ reason: 'broken', source: null, cause: 'error' });
    given(begin, offer('a'), executionError('broken'), kill)
      .when(result('a', 143))
      .follows('result a 0: 143', 'step z: skipped', 'release a: cancelled');
  });

  test('a step that a time limit stopped is not stopped twice', () => {
    const limited = workflow({ a: job([{ id: 's', run: 'x', 'timeout-minutes': 1 }]) });
    given(limited, offer('a'), minute(1)).when(kill).follows('cancel enough');
  });
});

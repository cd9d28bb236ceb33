// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Bundles whose jobs stand in the workflow itself. */
import type { RunEvent, WorkflowJob } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { given } from './testing/given.ts';
import {
  bundle,
  cancel,
  grant,
  job,
  minute,
  offer,
  released,
  result,
  workflow,
} from './testing/inputs.ts';

const command = (events: readonly RunEvent[]) => {
  const found = events.find(
    (event) => event.kind === 'ExecutionCommand' && event.metadata.step_sequence_id >= 0,
  );
  return found?.kind === 'ExecutionCommand' ? found : null;
};

describe('a bundle', () => {
  test('is expanded at once, and its jobs that need nothing ask for environments', () => {
    const jobs = { b: job(['x']), c: job(['y'], { needs: 'b' }) };
    given()
      .when(workflow({ a: bundle(jobs) }))
      .follows('workflow demo', 'expand a: b c', 'request b on linux');
  });

  test('says in its events which bundles they are in', () => {
    const { log, run } = given(
      workflow({ a: bundle({ b: bundle({ c: job(['x']) }) }) }),
      offer('a/b/c'),
    );
    const origins = log.map(({ kind, metadata }) => [kind, metadata.job_origin]);
    const [a, b] = ['a', 'a/b'].map((key) => run.jobs.get(key)?.jobId);
    expect(origins).toEqual([
      ['Workflow', undefined],
      ['GeneratorResult', []],
      ['GeneratorResult', [a]],
      ['ExecutionCommand', [a, b]],
      ['ExecutionResult', [a, b]],
      ['ExecutionCommand', [a, b]],
    ]);
  });

  test('tells in its expansion what others need to know', () => {
    const jobs = { b: job(['x']) };
    const { events } = given().when(workflow({ a: bundle(jobs, { 'timeout-minutes': 2 }) }));
    expect(events[1]).toEqual({
      apiVersion: 'example.org/v1beta1',
      kind: 'GeneratorResult',
      metadata: {
        name: 'a',
        workflow_id: 'workflow-1',
        namespace: 'default',
        creationTimestamp: events[0]?.metadata.creationTimestamp,
        job_id: 'id-1',
        job_origin: [],
        labels: { 'example.org/category': '.jobs' },
        'tutti.job': 'a',
        'tutti.timeout-ms': 120_000,
      },
      jobs,
    });
  });

  // Language 1.7: Generated jobs take the place of the job, and may need each other.
  test('waits for what it needs, as the jobs that need it wait for its jobs', () => {
    const jobs = {
      a: job(['x']),
      b: bundle({ c: job(['y']) }, { needs: 'a' }),
      d: job(['z'], { needs: 'b' }),
    };
    given(workflow(jobs), offer('a'), result('a'))
      .when(released('a'))
      .follows('released a', 'expand b: c', 'request c on linux');
    given(workflow(jobs), offer('a'), result('a'), released('a'), offer('b/c'), result('b/c'))
      .when(released('b/c'))
      .follows('released c', 'ended b: success', 'request d on linux');
  });

  test('that is skipped has no jobs', () => {
    given()
      .when(workflow({ a: bundle({ b: job(['x']) }, { if: 'failure()' }) }))
      .follows('workflow demo', 'ended a: skipped', 'completed');
  });

  test('whose jobs are all skipped succeeds', () => {
    given()
      .when(workflow({ a: bundle({ b: job(['x'], { if: 'failure()' }) }) }))
      .follows(
        'workflow demo',
        'expand a: b',
        'ended a/b: skipped',
        'ended a: success',
        'completed',
      );
  });

  test('holds its concurrency group for its jobs', () => {
    const a = bundle({ b: job(['x']) }, { concurrency: { group: 'lab' } });
    given(workflow({ a }))
      .when(grant('a'))
      .follows('granted a', 'expand a: b', 'request b on linux');
  });

  test('does not let its jobs ask for the group that it holds', () => {
    const concurrency = { group: 'lab' };
    const a = bundle({ b: job(['x'], { concurrency }) }, { concurrency });
    given(workflow({ a }))
      .when(grant('a'))
      .follows(
        'granted a',
        'expand a: b',
        'error jobs.a/b.concurrency.group: Group "lab" is held by the bundle of the job.',
        'ended a/b: cancelled',
        'ended a: cancelled',
        'canceled {"reason":"jobs.a/b.concurrency.group: Group \\"lab\\" is held by the bundle of the job."}',
      );
  });
});

// HTTP 3.2: A generated job counts once it runs.
test('a run is PENDING while the jobs of a bundle wait or are skipped, and RUNNING once one of them runs', () => {
  const a = bundle({ b: job(['x'], { if: 'failure()' }), c: job(['y']) });
  expect(given(workflow({ a })).run.phase).toBe('PENDING');
  expect(given(workflow({ a }), offer('a/c')).run.phase).toBe('RUNNING');
});

describe('the end of a bundle', () => {
  const failing = (more: Partial<WorkflowJob>, inner: Partial<WorkflowJob> = {}) =>
    given(
      workflow({
        a: bundle({ b: job(['x'], inner), c: job(['y']) }, more),
        d: job(['z'], { needs: 'a' }),
      }),
      offer('a/c', 'channel-2'),
      result('a/c'),
      released('a/c'),
      offer('a/b'),
      result('a/b', 1),
    ).when(released('a/b'));

  test('is a failure if one of its jobs failed', () => {
    const { run, events } = failing({}).follows(
      'released b',
      'ended a: failure',
      'ended d: skipped',
      'canceled {"reason":"Job \\"a\\" failed."}',
    );
    expect(run.jobs.get('a')?.result).toBe('failure');
    expect(events[1]).toMatchObject({ spec: { logs: ['Job "a" failed: job "b" failed.'] } });
  });

  test('is forgiven where it continues on error', () => {
    const { events } = failing({ 'continue-on-error': '${{ true }}' }).follows(
      'released b',
      'ended a: success',
      'request d on linux',
    );
    expect(events[1]).toMatchObject({ spec: { 'tutti.continue-on-error': 'true' } });
  });

  test('is a success if the job that failed is forgiven', () => {
    failing({}, { 'continue-on-error': true }).follows(
      'released b',
      'ended a: success',
      'request d on linux',
    );
  });

  test('gives outputs out of those of its jobs', () => {
    const jobs = {
      b: job(['x'], { outputs: { v: '${{ steps.s0.outputs.v }}' } }),
      c: job(['y'], { if: 'failure()' }),
    };
    const outputs = { all: '${{ jobs.b.result }} ${{ jobs.b.outputs.v }} ${{ jobs.c.result }}' };
    const { run } = given(
      workflow({ a: bundle(jobs, { outputs }) }),
      offer('a/b'),
      result('a/b', 0, { outputs: { v: '7' } }),
      released('a/b'),
    );
    expect(run.jobs.get('a')?.outputs).toEqual({ all: 'success 7 skipped' });
  });

  test('is an error of the run where an output cannot be evaluated', () => {
    const outputs = { o: '${{ jobs.nobody.outputs.v }}' };
    const last = given(
      workflow({ a: bundle({ b: job(['x']) }, { outputs }) }),
      offer('a/b'),
      result('a/b'),
    ).when(released('a/b'));
    expect(last.events[1]).toMatchObject({
      kind: 'ExecutionError',
      details: { error: expect.stringMatching(/^jobs\.a: /) },
    });
    expect(last.run.phase).toBe('FAILED');
    expect(last.run.jobs.get('a')?.result).toBe('cancelled');
  });
});

describe('settings of a bundle that its jobs have', () => {
  // Language 3.2: A request has name, namespace and tags of the job, tags of outer bundles, and no scripts.
  test('tags add to their own, variables and defaults are theirs where they have none', () => {
    const inner = job(['echo'], { variables: { B: 'b ${{ variables.A }}' } });
    const a = bundle(
      { b: inner, c: job(['y'], { 'runs-on': ['linux', 'node'] }) },
      {
        'runs-on': ['node', 'fast'],
        variables: { A: 'a ${{ variables.W }}', B: 'no' },
        defaults: { run: { shell: 'python', 'working-directory': 'd' } },
      },
    );
    const all = given().when(workflow({ a }, { variables: { W: 'w', A: 'no' } }));
    all.follows(
      'workflow demo',
      'expand a: b c',
      'request b on linux+node+fast',
      'request c on linux+node+fast',
    );
    const started = given(workflow({ a }, { variables: { W: 'w', A: 'no' } })).when(offer('a/b'));
    expect(command(started.events)).toMatchObject({
      shell: 'python',
      'working-directory': 'd',
      variables: { W: 'w', A: 'a w', B: 'b a w' },
    });
  });

  test('tags of the workflow are for those that have none, and no bundle with tags around them', () => {
    const steps = [{ run: 'x' }];
    const jobs = {
      none: { steps },
      own: { 'runs-on': 'node', steps },
      tagged: { 'runs-on': 'fast', jobs: { inner: { steps } } },
      plain: { jobs: { inner: { steps }, own: { 'runs-on': 'node', steps } } },
      matrix: { 'runs-on': '${{ matrix.m }}', strategy: { matrix: { m: ['x'] } }, steps },
    };
    const { events } = given().when(workflow(jobs, { defaults: { 'runs-on': ['ssh', 'linux'] } }));
    const requests = events.filter((event) => event.kind === 'ExecutionCommand');
    expect(requests.map((event) => [event.metadata.name, event['runs-on']])).toEqual(
      expect.arrayContaining([
        ['none', ['ssh', 'linux']],
        ['own', ['node']],
        ['inner', ['fast']],
        ['inner', ['ssh', 'linux']],
        ['matrix (x)', ['x']],
      ]),
    );
    expect(requests).toHaveLength(6);
  });

  test('they read what the bundle needs, beside what they need themselves', () => {
    const jobs = {
      first: job(['x'], { outputs: { v: 'one' } }),
      a: bundle(
        {
          b: job(['y'], { outputs: { v: 'two' } }),
          c: job(['echo ${{ needs.first.outputs.v }} ${{ needs.b.outputs.v }}'], { needs: 'b' }),
        },
        { needs: 'first' },
      ),
    };
    const over = (key: string) => [offer(key), result(key), released(key)];
    given(workflow(jobs), ...over('first'), ...over('a/b'))
      .when(offer('a/c'))
      .follows('offer c: channel-1', 'run c 0: echo one two');
  });

  // Language 1.7: Their names, and the ids of their steps, are local.
  test('a condition speaks of the jobs beside, not of those around', () => {
    const jobs = {
      first: job(['x'], { 'continue-on-error': true }),
      a: bundle(
        { b: job(['y']), c: job(['z'], { needs: 'b', if: 'failure()' }) },
        { needs: 'first', if: 'always()' },
      ),
    };
    given(
      workflow(jobs),
      offer('first'),
      result('first'),
      released('first'),
      offer('a/b'),
      result('a/b', 1),
    )
      .when(released('a/b'))
      .follows('released b', 'request c on linux');
  });

  test('max-parallel of the workflow counts them, and not the bundle', () => {
    const jobs = { a: bundle({ b: job(['x']), c: job(['y']) }), d: job(['z']) };
    given()
      .when(workflow(jobs, { strategy: { 'max-parallel': 2 } }))
      .follows(
        'workflow demo',
        'expand a: b c',
        'request d on linux',
        'request b on linux',
        'waits a/c: max-parallel',
      );
  });
});

describe('a bundle that takes too long', () => {
  const a = bundle(
    { b: job(['x', { run: 'clean', if: 'always()' }]), c: job(['y'], { needs: 'b' }) },
    { 'timeout-minutes': 2 },
  );

  test('stops what runs in it, and starts nothing more', () => {
    const late = given(workflow({ a, d: job(['z']) }), offer('a/b')).when(minute(2));
    late.follows('overtime', 'stop s0: canceled');
    expect(late.events[0]).toMatchObject({
      spec: { logs: ['Job "a" canceled: it ran longer than 2 minutes.'] },
    });
  });

  test('lets its jobs clean up, and is canceled then', () => {
    const happened = [workflow({ a }), offer('a/b'), minute(2), result('a/b', 143)] as const;
    given(...happened.slice(0, -1))
      .when(result('a/b', 143))
      .follows('result b 0: 143', 'run b 1: clean');
    given(...happened, result('a/b'))
      .when(released('a/b'))
      .follows(
        'released b',
        'ended a/c: cancelled',
        'ended a: cancelled',
        'canceled {"reason":"Job \\"a\\" failed."}',
      );
  });

  test('is not hurried once more', () => {
    given(workflow({ a }), offer('a/b'), minute(2)).when(minute(6)).follows();
  });
});

describe('a cancellation', () => {
  test('does not make a job wait for ever whose condition cannot be evaluated', () => {
    const jobs = {
      a: job(['x']),
      b: bundle({ c: job(['y'], { if: 'nowhere.x' }) }, { needs: 'a', if: 'always()' }),
    };
    given(workflow(jobs), offer('a'), cancel(), result('a', 143))
      .when(released('a'))
      .follows(
        'released a',
        'expand b: c',
        'ended b/c: cancelled',
        'ended b: cancelled',
        'canceled {"status":"cancelled"}',
      );
  });

  test('stops the jobs of bundles like all others', () => {
    given(workflow({ a: bundle({ b: job(['x']), c: job(['y'], { needs: 'b' }) }) }), offer('a/b'))
      .when(cancel('enough'))
      .follows('cancel enough', 'stop s0: canceled');
  });

  test('does not touch the jobs of a bundle that begins after it, as its condition asks', () => {
    const jobs = {
      a: job(['x']),
      b: bundle({ c: job(['y']), d: job(['z'], { needs: 'c' }) }, { needs: 'a', if: 'always()' }),
    };
    const happened = [
      workflow(jobs),
      offer('a'),
      cancel(),
      result('a', 143),
      released('a'),
    ] as const;
    given(...happened.slice(0, -1))
      .when(released('a'))
      .follows('released a', 'expand b: c d', 'request c on linux');
    given(...happened, offer('b/c'), result('b/c'))
      .when(released('b/c'))
      .follows('released c', 'request d on linux');
  });
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Bundles whose jobs a generator gives. */
import type { WorkflowJob } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { given } from './testing/given.ts';
import {
  bundle,
  cancel,
  executionError,
  generate,
  job,
  minute,
  offer,
  released,
  result,
  workflow,
} from './testing/inputs.ts';

const generator = (more: Partial<WorkflowJob> = {}): WorkflowJob => ({
  'runs-on': 'linux',
  ...more,
  generator: 'any/plan@v1',
});

const begin = workflow({ g: generator() });

describe('names that nothing has, where only the run can know', () => {
  const warnings = (events: readonly unknown[]) =>
    events.flatMap((event) => {
      const { spec, metadata } = event as {
        spec?: { logs?: string[] };
        metadata: { name: string };
      };
      return metadata.name === 'group notification' ? (spec?.logs ?? []) : [];
    });
  const inputs = { a: { description: 'a' } };

  test('are told of inputs that generated jobs read', () => {
    const jobs = {
      x: { if: "inputs.one == 'x'", steps: [{ run: 'echo ${{ inputs.a }} ${{ inputs.two }}' }] },
      y: { jobs: { z: { steps: [{ run: '${{ inputs.two }}', if: 'inputs.a' }] } } },
    };
    const last = given(workflow({ g: generator() }, { inputs })).when(
      generate('g', jobs, { outputs: { o: '${{ inputs.three }}' } }),
    );
    expect(warnings(last.events)).toEqual([
      'WARNING,The jobs of "g" read the inputs "one", "two", "three", which the workflow does not have.',
    ]);
    expect(last.run.cancellation).toBeNull();
  });

  test('are told of outputs that others read of a generator', () => {
    const after = job(['echo ${{ needs.g.outputs.word }} ${{ needs.g.outputs.wrod }}'], {
      needs: 'g',
      if: 'needs.g.outputs.nosuch',
    });
    const inside = bundle({ g: job(['${{ needs.g.outputs.own }}']) }, { needs: 'g' });
    const outputs = { o: '${{ jobs.g.outputs.none }} ${{ jobs.g.result }}' };
    const happened = workflow({ g: generator(), after, inside }, { outputs });
    const jobs = { x: { steps: [{ run: 'x' }] } };
    expect(
      warnings(given(happened).when(generate('g', jobs, { outputs: { word: 'w' } })).events),
    ).toEqual([
      'WARNING,Job "g" does not give the outputs "nosuch", "wrod", "none", which others read.',
    ]);
  });

  test('are not told where there are none', () => {
    const after = job(['echo ${{ needs.g.outputs.word }} ${{ inputs.a }}'], { needs: 'g' });
    const jobs = { x: { steps: [{ run: '${{ inputs.a }} ${{ needs.g.outputs.any }}' }] } };
    const last = given(workflow({ g: generator(), after }, { inputs })).when(
      generate('g', jobs, { outputs: { word: 'w' } }),
    );
    expect(warnings(last.events)).toEqual([]);
  });
});

describe('a generator', () => {
  test('is asked for the jobs, with evaluated inputs and labels for plugins', () => {
    const first = job(['x'], { outputs: { plan: 'night' } });
    const g = generator({
      needs: 'first',
      with: { plan: '${{ needs.first.outputs.plan }}', list: ['${{ 1 }}'] },
      'timeout-minutes': 2,
    });
    const asked = given(workflow({ first, g }), offer('first'), result('first')).when(
      released('first'),
    );
    asked.follows('released first', 'generate g: any/plan@v1');
    expect(asked.events[1]).toEqual({
      apiVersion: 'example.org/v1alpha1',
      kind: 'GeneratorCommand',
      metadata: {
        name: 'g',
        workflow_id: 'workflow-1',
        namespace: 'default',
        creationTimestamp: asked.events[1]?.metadata.creationTimestamp,
        job_id: asked.run.jobs.get('g')?.jobId,
        job_origin: [],
        labels: {
          'example.org/category': 'plan',
          'example.org/categoryPrefix': 'any',
          'example.org/categoryVersion': 'v1',
        },
        'tutti.job': 'g',
        'tutti.timeout-ms': 120_000,
      },
      generator: 'any/plan@v1',
      with: { plan: 'night', list: [1] },
    });
  });

  // Language 1.7: Generated jobs take the place of the job, and may need each other.
  // Language 3.2: A request has name, namespace and tags of the job, tags of outer bundles, and no scripts.
  test('gives jobs that run like others, with its tags', () => {
    const jobs = {
      a: { steps: [{ run: 'x' }] },
      b: { 'runs-on': 'node', needs: 'a', steps: [{ run: 'y' }] },
    };
    given(begin).when(generate('g', jobs)).follows('expand g: a b', 'request a on linux');
    given(begin, generate('g', jobs), offer('g/a'), result('g/a'))
      .when(released('g/a'))
      .follows('released a', 'request b on node+linux');
  });

  // Language 1.7: Steps get ids, which are in the published events.
  test('gets ids for steps that have none, under the metadata that the run knows', () => {
    const jobs = {
      a: { steps: [{ run: 'x' }, { id: 'own', run: 'y' }] },
      b: { jobs: { c: { steps: [{ run: 'z' }] } } },
    };
    const { events, run } = given(begin).when(
      generate('g', jobs, { metadata: { name: 'forged', job_origin: ['elsewhere'] } }),
    );
    expect(events[0]).toMatchObject({
      metadata: { name: 'g', job_origin: [], job_id: run.jobs.get('g')?.jobId },
      jobs: {
        a: { steps: [{ id: expect.any(String) }, { id: 'own' }] },
        b: { jobs: { c: { steps: [{ id: expect.any(String) }] } } },
      },
    });
  });

  test('gives outputs, evaluated when its jobs have ended', () => {
    const a = job(['x'], { outputs: { v: 'one' } });
    const outputs = {
      o: '${{ jobs.a.outputs.v }}',
      p: { description: 'd', value: '${{ jobs.a.result }}' },
    };
    const { run } = given(
      begin,
      generate('g', { a }, { outputs }),
      offer('g/a'),
      result('g/a'),
      released('g/a'),
    );
    expect(run.jobs.get('g')?.outputs).toEqual({ o: 'one', p: 'success' });
  });

  // Language 1.7: Their names, and the ids of their steps, are local.
  test('gives jobs that see neither what it needs nor a matrix around it', () => {
    const g: WorkflowJob = { strategy: { matrix: { n: [1] } }, generator: 'a/b' };
    for (const context of ['matrix.n', 'needs.first.result']) {
      const actual = given(
        workflow({ first: job(['x']), g: { ...g, needs: 'first' } }),
        offer('first'),
        result('first'),
        released('first'),
        generate('g/g-1', { a: job([`\${{ ${context} }}`]) }),
      ).when(offer('g/g-1/a'));
      expect(actual.events[1]).toMatchObject({ kind: 'ExecutionError' });
    }
  });

  test('may give bundles, also ones of further generators', () => {
    given(begin, generate('g', { h: { generator: 'c/d' } }))
      .when(generate('g/h', { a: job(['x']) }))
      .follows('expand h: a', 'request a on linux');
  });
});

describe('an answer of a generator', () => {
  test.each<[string, unknown, string]>([
    [
      'jobs that need jobs that are not there',
      { a: job(['x'], { needs: 'z' }) },
      'jobs.a.needs: Job "a" has a dependency on job "z" which does not exist.',
    ],
    [
      'jobs that wait for each other',
      { a: job(['x'], { needs: 'a' }) },
      'jobs.a.needs: Jobs wait for each other: "a" needs "a".',
    ],
    [
      // Language 1.7: At most 1024 jobs in a run, generated ones included.
      'more jobs than a run may have',
      Object.fromEntries(Array.from({ length: 1024 }, (_, n) => [`j${n}`, job(['x'])])),
      // Bound: Jobs of a generator.
      'jobs: There are 1025 jobs, jobs in jobs included; at most 1024 are possible.',
    ],
    // Language 1.12: The same holds for jobs of generators.
  ])('with %s is an error of the run', (_, jobs, problem) => {
    given(begin)
      .when(generate('g', jobs as Record<string, WorkflowJob>))
      .follows(
        `error The generator of job "g" gave jobs that are not valid: ${problem}`,
        'ended g: cancelled',
        `canceled ${JSON.stringify({ reason: `The generator of job "g" gave jobs that are not valid: ${problem}` })}`,
      );
  });

  test('that the schema refuses is an error with its problems', () => {
    const metadata = { 'tutti.problems': ['jobs: must not be empty.', 'more.'] };
    const { events } = given(begin).when(generate('g', {}, { metadata }));
    expect(events[0]).toMatchObject({
      details: {
        error:
          'The generator of job "g" gave jobs that are not valid: jobs: must not be empty. more.',
      },
    });
  });

  test('with warnings is taken, and the log has them', () => {
    const step = { id: 's', run: 'x' };
    const metadata = { 'tutti.warnings': ['One.', 'Two\u001b[2J.'] };
    const { events } = given(begin).when(
      generate('g', { a: { steps: [step, step] } }, { metadata }),
    );
    expect(events.slice(0, 3)).toMatchObject([
      { kind: 'GeneratorResult', metadata: { job_id: expect.any(String) } },
      { kind: 'Notification', spec: { logs: ['WARNING,One.'] } },
      { kind: 'Notification', spec: { logs: ['WARNING,Two\\u{1b}[2J.'] } },
    ]);
    expect(Object.keys(events[0]?.metadata ?? {})).not.toContain('tutti.warnings');
  });

  test('that nests deeper than jobs may is an error', () => {
    let jobs: Record<string, WorkflowJob> = { a: job(['x']) };
    for (let depth = 0; depth < 15; depth += 1) jobs = { a: { jobs } };
    const { events } = given(begin).when(generate('g', jobs));
    expect(events[0]).toMatchObject({
      details: { error: expect.stringContaining('Jobs are nested more than 16 deep.') },
    });
  });

  test('is taken once, by the job that waits for it', () => {
    const why = 'no generator is waited for at this job';
    given(begin, generate('g', { a: job(['x']) }))
      .when(generate('g', { b: job(['y']) }))
      .refuses(why);
    given(workflow({ a: job(['x']) }))
      .when(generate('a', { b: job(['y']) }))
      .refuses(why);
    given(workflow({ a: bundle({ b: job(['x']) }) }))
      .when(generate('a', { c: job(['y']) }))
      .refuses(why);
    given(begin, cancel())
      .when(generate('g', { a: job(['x']) }))
      .refuses(why);
  });
});

describe('a generator that does not answer', () => {
  test('makes its job fail after its time limit, or after that of jobs', () => {
    const late = given(workflow({ g: generator({ 'timeout-minutes': 2 }), a: job(['x']) })).when(
      minute(2),
    );
    late.follows('ended g: failure');
    expect(late.events[0]).toMatchObject({
      spec: { logs: ['Job "g" failed: generator "any/plan@v1" gave no answer within 2 minutes.'] },
    });
    given(begin).when(minute(359)).follows();
    given(begin)
      .when(minute(360))
      .follows('ended g: failure', 'canceled {"reason":"Job \\"g\\" failed."}');
  });

  test('is forgiven where the job continues on error', () => {
    given(workflow({ g: generator({ 'continue-on-error': true }) }))
      .when(minute(360))
      .follows('ended g: success', 'completed');
  });

  test('but with an error, ends the run', () => {
    given(begin)
      .when(executionError('no such plan', 'g'))
      .follows('error no such plan', 'ended g: cancelled', 'canceled {"reason":"no such plan"}');
  });

  test('is waited for after a cancellation only if its job runs always, and for the time to clean up', () => {
    const g = generator({ if: 'always()', needs: 'a' });
    const happened = [
      workflow({ a: job(['x']), g }),
      offer('a'),
      cancel(),
      result('a', 143),
      released('a'),
    ] as const;
    given(...happened.slice(0, -1))
      .when(released('a'))
      .follows('released a', 'generate g: any/plan@v1');
    given(...happened)
      .when(minute(5))
      .follows('ended g: failure', 'canceled {"status":"cancelled"}');
    given(...happened)
      .when(executionError('no such plan', 'g'))
      .follows('error no such plan', 'ended g: failure', 'canceled {"status":"cancelled"}');
    given(...happened)
      .when(generate('g', { b: job(['y']) }))
      .follows('expand g: b', 'request b on linux');
  });
});

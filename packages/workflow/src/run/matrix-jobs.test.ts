// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Jobs with a matrix, from their expansion to their end. */
import type { RunEvent, WorkflowJob } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { given } from './testing/given.ts';
import {
  bundle,
  grant,
  type Happening,
  job,
  minute,
  offer,
  released,
  result,
  workflow,
} from './testing/inputs.ts';

const matrixOf = (matrix: unknown, more: Partial<WorkflowJob> = {}): WorkflowJob =>
  job(['echo ${{ matrix.os }}'], {
    ...more,
    // Also what no schema would let pass.
    strategy: { matrix, ...more.strategy } as NonNullable<WorkflowJob['strategy']>,
  });

const over = (
  key: string,
  status = 0,
  outputs: Readonly<Record<string, string>> = {},
): readonly Happening[] => [offer(key), result(key, status, { outputs }), released(key)];

const expansionIn = (events: readonly RunEvent[]) => {
  const found = events.find(({ kind }) => kind === 'GeneratorResult');
  return found?.kind === 'GeneratorResult' ? found : null;
};

describe('the jobs of a matrix', () => {
  test('are one for each cell, named by its values', () => {
    const { events, run } = given().when(
      workflow({ t: matrixOf({ os: ['linux', 'mac os'], n: [1, { v: 2, w: 3 }] }) }),
    );
    expect(Object.keys(expansionIn(events)?.jobs ?? {})).toEqual([
      't-linux-1',
      't-linux-2-3',
      't-mac_os-1',
      't-mac_os-2-3',
    ]);
    expect([...run.jobs.values()].map(({ name }) => name)).toEqual([
      't',
      't (linux, 1)',
      't (linux, 2, 3)',
      't (mac os, 1)',
      't (mac os, 2, 3)',
    ]);
    expect(expansionIn(events)?.metadata).toMatchObject({
      labels: { 'example.org/category': '.matrix' },
      'tutti.fail-fast': true,
      'tutti.matrix': { 't-linux-1': { os: 'linux', n: 1 } },
    });
  });

  test('have names of their own though their values look the same', () => {
    const { run } = given().when(
      workflow({ t: matrixOf({ os: ['a b', 'a c', 'a/b'], n: ['x'.repeat(200)] }) }),
    );
    const keys = [...run.jobs.keys()].slice(1);
    const x = (length: number) => 'x'.repeat(length);
    expect(keys).toEqual([`t/t-a_b-${x(56)}`, `t/t-a_c-${x(56)}`, `t/t-a_b-${x(56)}-2`]);
    expect(run.jobs.get(keys[0] ?? '')?.name).toHaveLength(100);
  });

  test('have the name that their author gives them', () => {
    const { run } = given().when(
      workflow({
        t: matrixOf({ os: ['a', 'b'] }, { name: 'On ${{ matrix.os }}' }),
        u: matrixOf({ os: ['a'] }, { name: 'Unit' }),
      }),
    );
    expect([...run.jobs.values()].map(({ name }) => name)).toEqual([
      't',
      'u',
      'On a',
      'On b',
      'Unit (a)',
    ]);
  });

  // Language 1.8: Expansion, with a context `matrix`.
  test('read their values in tags, variables, steps, limits and outputs', () => {
    const t = matrixOf(
      { os: ['linux'], deep: [{ tags: ['node', 'gpu'], minutes: 2 }] },
      {
        'runs-on': ['${{ matrix.os }}', '${{ matrix.deep.tags }}'],
        'timeout-minutes': '${{ matrix.deep.minutes }}',
        variables: { V: 'on ${{ matrix.os }}' },
        outputs: { o: '${{ matrix.os }}!' },
      },
    );
    const key = 't/t-linux-node-gpu-2';
    const begun = given(workflow({ t }));
    expect(begun.run.jobs.get(key)).toMatchObject({
      tags: ['linux', 'node', 'gpu'],
      timeoutMs: 120_000,
    });
    const started = given(workflow({ t })).when(offer(key));
    expect(started.events[1]).toMatchObject({
      scripts: ['echo linux'],
      variables: { V: 'on linux' },
    });
    const { run } = given(workflow({ t }), ...over(key));
    expect(run.jobs.get('t')?.outputs).toEqual({ o: 'linux!' });
  });

  test('are what the expression says that stands for the matrix, for an axis or for a value', () => {
    const list = job(['x'], { outputs: { list: '["a", "b"]', all: '{"os": ["c"]}' } });
    const after = (matrix: unknown) =>
      given(
        workflow({ list, t: matrixOf(matrix, { needs: 'list' }) }),
        offer('list'),
        result('list'),
      ).when(released('list'));
    after({ os: '${{ fromJSON(needs.list.outputs.list) }}' }).follows(
      'released list',
      'expand t: t-a t-b',
      'request t (a) on linux',
      'request t (b) on linux',
    );
    after('${{ fromJSON(needs.list.outputs.all) }}').follows(
      'released list',
      'expand t: t-c',
      'request t (c) on linux',
    );
    after({ os: ' ${{ fromJSON(needs.list.outputs.list) }} ' }).follows(
      'released list',
      'expand t: t-a t-b',
      'request t (a) on linux',
      'request t (b) on linux',
    );
    after('${{ fromJSON(needs.list.outputs.all) }}\n').follows(
      'released list',
      'expand t: t-c',
      'request t (c) on linux',
    );
    after({ os: ['${{ needs.list.result }}'] }).follows(
      'released list',
      'expand t: t-success',
      'request t (success) on linux',
    );
  });

  test('may be bundles themselves, whose jobs read the values', () => {
    const t: WorkflowJob = {
      strategy: { matrix: { os: ['a', 'b'] } },
      jobs: { u: job(['echo ${{ matrix.os }}']), v: job(['x'], { needs: 'u' }) },
      outputs: { o: '${{ jobs.u.result }} ${{ matrix.os }}' },
    };
    given(workflow({ t })).when(offer('t/t-b/u')).follows('offer u: channel-1', 'run u 0: echo b');
    const { run } = given(
      workflow({ t }),
      ...['a/u', 'b/u', 'a/v', 'b/v'].flatMap((key) => over(`t/t-${key}`)),
    );
    expect(run.phase).toBe('DONE');
    expect(run.jobs.get('t')?.outputs).toEqual({ o: 'success b' });
  });

  test.each<[how: string, axis: unknown]>([
    ['written out', [null, ['a', [1]], { b: [] }]],
    ['of an expression', `\${{ fromJSON('[null, ["a", [1]], {"b": []}]') }}`],
    [
      'each of an expression',
      ['null', '["a", [1]]', '{"b": []}'].map((x) => `\${{ fromJSON('${x}') }}`),
    ],
  ])('have the same values and names for values of any kind: %s', (_, m) => {
    // The schema takes whatever is in a document.
    const matrix = { m } as NonNullable<NonNullable<WorkflowJob['strategy']>['matrix']>;
    const t = job(['echo ${{ toJSON(matrix.m) }}'], { strategy: { matrix } });
    const { run } = given(workflow({ t }));
    const names = [...run.jobs.values()].map(({ name }) => name);
    expect(names).toEqual(['t', 't ()', 't (a, 1)', 't ()']);
    given(workflow({ t }))
      .when(offer('t/t-a-1'))
      .follows('offer t (a, 1): channel-1', 'run t (a, 1) 0: echo ["a",[1]]');
  });

  test('may have a matrix of their own, whose values win', () => {
    const inner = job(['echo ${{ matrix.os }} ${{ matrix.n }}'], {
      strategy: { matrix: { n: [2] } },
    });
    const t: WorkflowJob = { strategy: { matrix: { os: ['a'], n: [1] } }, jobs: { inner } };
    given(workflow({ t }))
      .when(offer('t/t-a-1/inner/inner-2'))
      .follows('offer inner (2): channel-1', 'run inner (2) 0: echo a 2');
  });
});

describe('a matrix that cannot be expanded', () => {
  test.each<[string, unknown, string]>([
    ['no list', { os: '${{ 1 }}' }, 'jobs.t: The matrix must have a list as its axis "os", not 1.'],
    ['an empty list', { os: "${{ fromJSON('[]') }}" }, 'jobs.t: The matrix has no jobs.'],
    ['an unknown context', '${{ nowhere.x }}', 'jobs.t: '],
    [
      'one job more than the run may have',
      { a: Array.from({ length: 256 }, (_, n) => n) },
      'jobs.t: The run would have 1025 jobs; at most 1024 are possible.',
    ],
  ])('is an error of the run: %s', (_, matrix, error) => {
    const others = Object.fromEntries(
      Array.from({ length: 768 }, (_, n) => [`j${n}`, job(['x'], { needs: 't' })]),
    );
    const { events, run } = given().when(workflow({ t: matrixOf(matrix), ...others }));
    expect(events[1]).toMatchObject({
      kind: 'ExecutionError',
      details: { error: expect.stringContaining(error) },
    });
    expect(run.phase).toBe('FAILED');
  });

  const letters = (count: number) => 'x'.repeat(count);
  const n = Array.from({ length: 50 }, (_, index) => index);

  test.each<[string, WorkflowJob]>([
    ['they are long themselves', job([letters(100_000)], { strategy: { matrix: { n } } })],
    ['they repeat a long value', matrixOf({ n, big: [letters(100_000)] })],
    [
      'their names are long',
      matrixOf({ n, big: [letters(60_000)] }, { name: '${{ matrix.big }}' }),
    ],
  ])('is an error if its jobs would be too long together as %s', (_, t) => {
    const { events } = given().when(workflow({ t }));
    expect(events[1]).toMatchObject({
      details: {
        error: 'jobs.t: The 50 jobs of the matrix would have more than 4194304 characters.',
      },
    });
  });
});

describe('entries of the matrix, and entries of each of its jobs', () => {
  test('its condition and needs are of the matrix', () => {
    given()
      .when(workflow({ t: matrixOf({ os: ['a'] }, { if: 'failure()' }) }))
      .follows('workflow demo', 'ended t: skipped', 'completed');
  });

  test('a failure is forgiven job by job, and stops nothing then', () => {
    const t = matrixOf({ os: ['a', 'b'] }, { 'continue-on-error': "${{ matrix.os == 'a' }}" });
    given(workflow({ t }), offer('t/t-a'))
      .when(result('t/t-a', 1))
      .follows('result t (a) 0: 1', 'release t (a): success, forgiven');
  });

  test('a time limit is that of each job', () => {
    const t = matrixOf(
      { os: ['a', 'b'] },
      { 'timeout-minutes': 2, strategy: { 'fail-fast': false } },
    );
    given(workflow({ t }), offer('t/t-a'))
      .when(minute(2))
      .follows('overtime', 'ended t/t-b: cancelled', 'stop s0: canceled');
  });

  test('the last job that gives an output gives it for all', () => {
    const t = matrixOf({ os: ['a', 'b', 'c'] }, { outputs: { o: '${{ steps.s0.outputs.v }}' } });
    const { run } = given(
      workflow({ t }),
      ...over('t/t-c'),
      ...over('t/t-b', 0, { v: 'two' }),
      ...over('t/t-a', 0, { v: 'one' }),
    );
    expect(run.jobs.get('t')?.outputs).toEqual({ o: 'two' });
  });

  test('a concurrency group is of the matrix, unless it speaks of its values', () => {
    const whole = matrixOf({ os: ['a', 'b'] }, { concurrency: { group: 'lab' } });
    given(workflow({ t: whole }))
      .when(grant('t'))
      .follows(
        'granted t',
        'expand t: t-a t-b',
        'request t (a) on linux',
        'request t (b) on linux',
      );
    const each = matrixOf({ os: ['a', 'b'] }, { concurrency: { group: 'lab-${{ matrix.os }}' } });
    given(workflow({ t: each }))
      .when(grant('t/t-b'))
      .follows('granted t/t-b', 'request t (b) on linux');
  });
});

describe('max-parallel of a bundle', () => {
  const t = matrixOf({ os: ['a', 'b', 'c'] }, { strategy: { 'max-parallel': 2 } });

  test('bounds its jobs, and no others', () => {
    given()
      .when(workflow({ t, u: job(['x']) }))
      .follows(
        'workflow demo',
        'expand t: t-a t-b t-c',
        'request u on linux',
        'request t (a) on linux',
        'request t (b) on linux',
        'waits t/t-c: max-parallel',
      );
    given(workflow({ t }), offer('t/t-a'), result('t/t-a'))
      .when(released('t/t-a'))
      .follows('released t (a)', 'request t (c) on linux');
  });

  // Language 1.8: `max-parallel` is a number or an expression, `fail-fast` true, false or an expression.
  test('bounds jobs at any depth, and may be an expression', () => {
    const a = bundle(
      { b: bundle({ c: job(['x']) }), d: bundle({ e: job(['y']) }) },
      { strategy: { 'max-parallel': '${{ 1 }}' } },
    );
    given()
      .when(workflow({ a }))
      .follows(
        'workflow demo',
        'expand a: b d',
        'expand b: c',
        'expand d: e',
        'request c on linux',
        'waits a/d/e: max-parallel',
      );
  });

  test('is an error if it is no number of jobs', () => {
    given()
      .when(
        workflow({ t: matrixOf({ os: ['a'] }, { strategy: { 'max-parallel': "${{ 'x' }}" } }) }),
      )
      .follows(
        'workflow demo',
        'error jobs.t: Expected a whole number above 0 from "${{ \'x\' }}", got "x".',
        'ended t: cancelled',
        'canceled {"reason":"jobs.t: Expected a whole number above 0 from \\"${{ \'x\' }}\\", got \\"x\\"."}',
      );
  });
});

describe('fail-fast', () => {
  const three = (strategy: Readonly<Record<string, unknown>> = {}) =>
    matrixOf({ os: ['a', 'b', 'c'] }, { strategy: { 'max-parallel': 2, ...strategy } });

  test('stops the other jobs of a matrix when one fails', () => {
    const last = given(
      workflow({ t: three(), u: job(['x']) }),
      offer('t/t-b', 'channel-2'),
      offer('t/t-a'),
    ).when(result('t/t-a', 1));
    last.follows(
      'result t (a) 0: 1',
      'release t (a): failure',
      'halted t',
      'stop s0: canceled',
      'ended t/t-c: cancelled',
    );
    expect(last.events[2]).toMatchObject({
      spec: { logs: ['Job "t" stops: job "t (a)" failed (fail-fast).'] },
    });
    expect(last.run.jobs.get('u')?.phase).toBe('REQUESTED');
  });

  test('makes the matrix fail, not be canceled', () => {
    given(
      workflow({ t: three() }),
      offer('t/t-b', 'channel-2'),
      offer('t/t-a'),
      result('t/t-a', 1),
      released('t/t-a'),
      result('t/t-b', 143),
    )
      .when(released('t/t-b'))
      .follows('released t (b)', 'ended t: failure', 'canceled {"reason":"Job \\"t\\" failed."}');
  });

  test('lets what always runs clean up', () => {
    const t = job(['x', { run: 'clean', if: 'always()' }], {
      strategy: { matrix: { os: ['a', 'b'] } },
    });
    given(workflow({ t }), offer('t/t-b', 'channel-2'), offer('t/t-a'), result('t/t-a', 1))
      .when(result('t/t-b', 143))
      .follows('result t (b) 0: 143', 'run t (b) 1: clean');
  });

  test('is off where its author says so', () => {
    for (const failFast of [false, '${{ 1 == 2 }}']) {
      given(
        workflow({ t: three({ 'fail-fast': failFast }) }),
        offer('t/t-b', 'channel-2'),
        offer('t/t-a'),
      )
        .when(result('t/t-a', 1))
        .follows('result t (a) 0: 1', 'release t (a): failure');
    }
  });

  test('stops nothing that is over', () => {
    given(workflow({ t: matrixOf({ os: ['a', 'b'] }) }), ...over('t/t-b'), offer('t/t-a'))
      .when(result('t/t-a', 1))
      .follows('result t (a) 0: 1', 'release t (a): failure');
  });

  test('is for jobs in jobs only where it is asked for', () => {
    const jobs = { b: job(['x']), c: job(['y']) };
    given(workflow({ a: bundle(jobs, { strategy: { 'fail-fast': true } }) }), offer('a/b'))
      .when(result('a/b', 1))
      .follows('result b 0: 1', 'release b: failure', 'halted a', 'ended a/c: cancelled');
    given(workflow({ a: bundle(jobs) }), offer('a/b'))
      .when(result('a/b', 1))
      .follows('result b 0: 1', 'release b: failure');
  });

  test('of the workflow is for its jobs', () => {
    const jobs = { a: job(['x']), b: job(['y']), c: job(['z'], { if: 'always()', needs: 'b' }) };
    for (const failFast of [true, '${{ 1 == 1 }}']) {
      const happened = [workflow(jobs, { strategy: { 'fail-fast': failFast } }), offer('a')];
      given(...happened)
        .when(result('a', 1))
        .follows(
          'result a 0: 1',
          'release a: failure',
          'halted ',
          'ended b: cancelled',
          'request c on linux',
        );
      given(...happened, result('a', 1), released('a'), offer('c'), result('c'))
        .when(released('c'))
        .follows('released c', 'canceled {"reason":"Job \\"a\\" failed."}');
    }
  });
});

test('names of its jobs have nothing that the run masks, and are told apart all the same', () => {
  const jobs = {
    m: job(['x'], { strategy: { matrix: { pw: ['${{ secrets.A }}', '${{ secrets.B }}', 'c'] } } }),
    n: job(['x'], {
      name: 'with ${{ matrix.pw }}',
      strategy: { matrix: { pw: ['${{ secrets.A }}', '${{ secrets.B }}'] } },
    }),
  };
  const secrets = { A: 'xSup3r-Secret', B: 'other.secret' };
  const { run, events } = given().when(workflow(jobs, { secrets }));
  expect([...run.jobs.keys()]).toEqual(['m', 'n', 'm/m-_', 'm/m-_-2', 'm/m-c', 'n/n-_', 'n/n-_-2']);
  expect([...run.jobs.values()].map(({ name }) => name)).toEqual([
    ...['m', 'n', 'm (***)', 'm (***) 2', 'm (c)', 'with ***', 'with *** 2'],
  ]);
  const shownBy = events.filter(({ kind }) => kind === 'ExecutionCommand');
  expect(JSON.stringify(shownBy.map(({ metadata }) => metadata))).not.toMatch(/sup3r|other/i);
});

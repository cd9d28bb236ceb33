// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Jobs: order, conditions, environments, results. */
import type { WorkflowJob } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { given } from './testing/given.ts';
import {
  bundle,
  executionError,
  grant,
  type Happening,
  hold,
  job,
  minute,
  offer,
  released,
  result,
  workflow,
} from './testing/inputs.ts';
import { play } from './testing/play.ts';

/** A job of one script, from its offer to its end. */
const wholeJob = (name: string, status = 0, channel = 'channel-1'): readonly Happening[] => [
  offer(name, channel),
  result(name, status),
  released(name),
];

test('a job runs from its request for an environment to its release', () => {
  const begin = workflow({ build: job(['make']) });
  given().when(begin).follows('workflow demo', 'request build on linux');
  given(begin).when(offer('build')).follows('offer build: channel-1', 'run build 0: make');
  given(begin, offer('build'))
    .when(result('build'))
    .follows('result build 0: 0', 'release build: success');
  given(begin, offer('build'), result('build'))
    .when(released('build'))
    .follows('released build', 'completed');
});

// Language 1.7: Jobs run in parallel.
test('jobs without needs start together, in the order of the manifest', () => {
  given()
    .when(workflow({ b: job(['x'], { 'runs-on': ['linux', 'gpu'] }), a: job(['y']) }))
    .follows('workflow demo', 'request b on linux+gpu', 'request a on linux');
});

// Language 1.7: At least five jobs of a run are possible in parallel.
test('without a limit, any number of jobs asks for environments at one time', () => {
  const names = Array.from({ length: 40 }, (_, index) => `j${index}`);
  const jobs = Object.fromEntries(names.map((name) => [name, job(['x'])]));
  const requests = names.map((name) => `request ${name} on linux`);
  given()
    .when(workflow(jobs))
    .follows('workflow demo', ...requests);
});

// Language 1.7: A job waits for all that it needs.
// Language 3.2: Without an offer the request is repeated until the time of the job is over.
test('a job waits for all that it needs', () => {
  const begin = workflow({
    deploy: job(['x'], { needs: ['build', 'lint'] }),
    build: job(['x']),
    lint: job(['x']),
  });
  given(begin, ...wholeJob('build'), offer('lint'), result('lint'))
    .when(released('lint'))
    .follows('released lint', 'request deploy on linux');
  expect(given(begin, ...wholeJob('build')).run.jobs.get('deploy')?.phase).toBe('WAITING');
});

describe('the condition of a job', () => {
  const succeeds = [
    'success()',
    undefined,
    'always()',
    '!failure()',
    "needs.a.result == 'success'",
  ];
  const fails = [
    'failure()',
    'always()',
    '${{ failure() }}',
    "always() && needs.a.result == 'failure'",
  ];
  const cases = (conditions: readonly (string | undefined)[], status: number, runs: boolean) =>
    conditions.map((condition) => ({ condition, status, runs }));

  test.each([
    ...cases(succeeds, 0, true),
    ...cases(fails, 1, true),
    ...cases(['failure()', 'cancelled()', 'false', "needs.a.result == 'failure'"], 0, false),
    ...cases(['success()', undefined, 'true', 'cancelled()', '!failure()'], 1, false),
  ])('$condition after status $status: $runs', ({ condition, status, runs }) => {
    const b = job(['x'], { needs: 'a', ...(condition === undefined ? {} : { if: condition }) });
    given(workflow({ a: job(['x']), b }), offer('a'), result('a', status))
      .when(released('a'))
      .follows(
        'released a',
        runs ? 'request b on linux' : 'ended b: skipped',
        ...(runs ? [] : [status === 0 ? 'completed' : 'canceled {"reason":"Job \\"a\\" failed."}']),
      );
  });

  // Language 1.7: `success()` is the default, and implied where no status function is called.
  test('success() is not met when a need was skipped, nor is failure()', () => {
    given()
      .when(
        workflow({
          a: job(['x'], { if: 'false' }),
          b: job(['x'], { needs: 'a' }),
          c: job(['x'], { needs: 'a', if: 'failure()' }),
          d: job(['x'], { needs: 'a', if: 'always()' }),
        }),
      )
      .follows(
        'workflow demo',
        'ended a: skipped',
        'ended b: skipped',
        'ended c: skipped',
        'request d on linux',
      );
  });

  test('failure() sees a failure far up the needs, also through jobs that were skipped for it', () => {
    const begin = workflow({
      a: job(['x']),
      b: job(['x'], { needs: 'a' }),
      c: job(['x'], { needs: 'b', if: 'failure()' }),
    });
    given(begin, offer('a'), result('a', 1))
      .when(released('a'))
      .follows('released a', 'ended b: skipped', 'request c on linux');
  });

  test.each([
    ['failure()', true],
    ['success()', true],
    [undefined, true],
    ['success() && failure()', true],
    ['!failure()', false],
  ])(
    '%s is met after jobs that ran under always() behind one that failed: %j',
    (condition, runs) => {
      const jobs = {
        a: job(['fail']),
        b: job(['x'], { needs: 'a', if: 'always()' }),
        c: job(['y'], { needs: 'b' }),
        d: job(['z'], { needs: 'c', ...(condition === undefined ? {} : { if: condition }) }),
      };
      expect(play(workflow(jobs)).jobs).toEqual({
        a: 'failure',
        b: 'success',
        c: 'success',
        d: runs ? 'success' : 'skipped',
      });
    },
  );

  test('failure() sees one failure among many jobs that were needed, whatever became of the others', () => {
    const jobs = {
      a: job(['x']),
      b: job(['fail'], { needs: 'a' }),
      c: job(['y'], { needs: 'a', if: 'false' }),
      d: job(['z'], { needs: ['b', 'c'], if: 'always()' }),
      e: job(['v'], { needs: ['a', 'd'], if: 'failure()' }),
      f: job(['w'], { needs: 'a', if: 'failure()' }),
    };
    expect(play(workflow(jobs)).ran).toEqual(['x', 'fail', 'z', 'v']);
  });

  test('failure() sees a bundle up the needs as a whole, and what failed beside it inside of one alone', () => {
    const always = { needs: 'a', if: 'always()' };
    const within = (more: Partial<WorkflowJob>) =>
      bundle({ g: job(['ok'], { if: '!failure()' }), h: job(['no'], { if: 'failure()' }) }, more);
    const jobs = {
      a: bundle({ i: job(['fail']), j: job(['x']) }),
      b: job(['y'], always),
      c: within({ needs: 'b', if: 'failure()' }),
      d: bundle({ k: job(['fail'], { 'continue-on-error': true }) }),
      e: job(['z'], { needs: 'd', if: 'failure()' }),
    };
    expect(play(workflow(jobs)).ran).toEqual(['fail', 'x', 'fail', 'y', 'ok']);
  });

  test('failure() sees the failed job of a matrix, in what the jobs of another matrix say, too', () => {
    const jobs = {
      a: job(["${{ matrix.m == 1 && 'fail' || 'x' }}"], {
        strategy: { 'fail-fast': false, matrix: { m: [1, 2] } },
      }),
      b: job(['y'], { needs: 'a', if: 'always()' }),
      c: job(['z ${{ matrix.n }}'], {
        needs: 'b',
        if: 'failure()',
        name: "${{ failure() && 'after a failure' || 'wrong' }} ${{ matrix.n }}",
        'runs-on': "${{ failure() && success() && 'linux' || 'nowhere' }}",
        strategy: { matrix: { n: [3, 4] } },
      }),
    };
    const begin = workflow(jobs);
    expect(play(begin).ran).toEqual(['fail', 'x', 'y', 'z 3', 'z 4']);
    const before = [
      ...wholeJob('a/a-1', 1, 'channel-1'),
      ...wholeJob('a/a-2', 0, 'channel-2'),
      ...wholeJob('b', 0, 'channel-3'),
    ];
    const { run } = given(begin, ...before);
    expect(run.jobs.get('c/c-3')).toMatchObject({ name: 'after a failure 3', tags: ['linux'] });
  });

  test.each([
    ['a job that continues on error', { 'continue-on-error': true }, ['fail', 'x']],
    ['a job that was skipped', { if: 'false' }, ['x']],
    ['a job that took too long', { 'timeout-minutes': 1 }, ['hang', 'x']],
  ])('failure() does not hold after %s, however far up', (_, more, ran) => {
    const jobs = {
      a: job(['timeout-minutes' in more ? 'hang' : 'fail'], more),
      b: job(['x'], { needs: 'a', if: 'always()' }),
      c: job(['y'], { needs: 'b', if: 'failure()' }),
    };
    expect(play(workflow(jobs), { hang: minute(1) }).ran).toEqual(ran);
  });

  test('an error in it ends the run, once', () => {
    given()
      .when(workflow({ a: job(['x'], { if: 'nonsense(' }), b: job(['x'], { if: 'nonsense(' }) }))
      .follows(
        'workflow demo',
        expect.stringMatching(/^error jobs\.a\.if: /) as unknown as string,
        'ended b: cancelled',
        'ended a: cancelled',
        expect.stringMatching(/^canceled \{"reason":"jobs\.a\.if: /) as unknown as string,
      );
  });
});

describe('the result of a job', () => {
  test.each([
    { status: 0, more: {}, expected: 'success', end: 'completed' },
    { status: 1, more: {}, expected: 'failure', end: 'canceled {"reason":"Job \\"a\\" failed."}' },
    {
      status: -15,
      more: {},
      expected: 'failure',
      end: 'canceled {"reason":"Job \\"a\\" failed."}',
    },
    { status: 1, more: { 'continue-on-error': true }, expected: 'success', end: 'completed' },
    {
      status: 1,
      more: { 'continue-on-error': '${{ 1 == 1 }}' },
      expected: 'success',
      end: 'completed',
    },
  ])('is $expected for status $status with $more', ({ status, more, expected, end }) => {
    const happened = [workflow({ a: job(['x'], more) }), offer('a'), result('a', status)];
    const { run, log } = given(...happened);
    expect(run.jobs.get('a')?.result).toBe(expected);
    expect(log.at(-1)?.metadata['tutti.conclusion']).toBe(expected);
    const isForgiven = status !== 0 && expected === 'success';
    expect(log.at(-1)?.metadata['tutti.continue-on-error']).toBe(isForgiven || undefined);
    given(...happened)
      .when(released('a'))
      .follows('released a', end);
  });

  test('names at most five jobs that failed', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const begin = workflow(Object.fromEntries(names.map((name) => [name, job(['x'])])));
    const ends = names.flatMap((name) => wholeJob(name, 1));
    const { log } = given(begin, ...ends);
    expect(log.at(-1)).toMatchObject({
      details: { reason: 'Jobs "a", "b", "c", "d", "e" and 2 more failed.' },
    });
  });
});

describe('outputs of a job', () => {
  const outputs = { version: '${{ steps.s0.outputs.v }}', fixed: 'one' };
  const begin = workflow({
    a: job(['x'], { outputs }),
    b: job(['echo ${{ needs.a.outputs.version }} ${{ needs.a.result }}'], { needs: 'a' }),
  });

  // Language 1.7: Outputs of jobs are texts, evaluated at the end, read by those that need the job.
  // Language 6.7: `needs`: result and outputs.
  test('are those of its steps at its end, and what needs it sees them', () => {
    const happened = [begin, offer('a'), result('a', 0, { outputs: { v: '1.2' } }), released('a')];
    expect(given(...happened).run.jobs.get('a')?.outputs).toEqual({ version: '1.2', fixed: 'one' });
    given(...happened)
      .when(offer('b'))
      .follows('offer b: channel-1', 'run b 0: echo 1.2 success');
  });

  test('are empty where the step gave none', () => {
    const { run } = given(begin, ...wholeJob('a'));
    expect(run.jobs.get('a')?.outputs.version).toBe('');
  });

  test('that cannot be evaluated end the run, once, and the environment is released', () => {
    const broken = workflow({ a: job(['x'], { outputs: { v: '${{ nobody.knows }}' } }) });
    given(broken, offer('a'))
      .when(result('a'))
      .follows(
        'result a 0: 0',
        'error jobs.a: Invalid expression "nobody.knows": Invalid segment nobody or incorrect function call at position 1.',
        'release a: cancelled',
      );
  });
});

describe('max-parallel', () => {
  const begin = workflow(
    { a: job(['x']), b: job(['x']), c: job(['x']) },
    { strategy: { 'max-parallel': 1 } },
  );

  // Language 1.8: `max-parallel` of the workflow bounds its jobs.
  test('lets no more jobs start, and says why once', () => {
    given()
      .when(begin)
      .follows(
        'workflow demo',
        'request a on linux',
        'waits b: max-parallel',
        'waits c: max-parallel',
      );
    given(begin).when(offer('a')).follows('offer a: channel-1', 'run a 0: x');
    expect(given(begin).run.jobs.get('b')?.waiting).toEqual({
      reason: 'max-parallel',
      limit: 1,
      running: 1,
    });
  });

  test('gives the place of a job only once its environment is free', () => {
    given(begin, offer('a')).when(result('a')).follows('result a 0: 0', 'release a: success');
    const { run } = given(begin, offer('a'), result('a'))
      .when(released('a'))
      .follows('released a', 'request b on linux');
    expect(run.jobs.get('b')?.waiting).toBeNull();
  });
});

describe('concurrency groups', () => {
  const ofJob = workflow({ a: job(['x'], { concurrency: { group: 'lab' } }) });
  const ofRun = workflow({ a: job(['x']) }, { concurrency: { group: 'lab' } });

  test.each([
    { what: 'a', begin: ofJob, claim: 'a', granted: 'a' },
    { what: 'workflow', begin: ofRun, claim: null, granted: 'workflow' },
  ])('$what starts once its group is granted', ({ what, begin, claim, granted }) => {
    given().when(begin).follows('workflow demo');
    given(begin).when(grant(claim)).follows(`granted ${granted}`, 'request a on linux');
    given(begin).when(hold(claim)).follows(`waits ${what}: concurrency`);
    given(begin, hold(claim))
      .when(grant(claim))
      .follows(`granted ${granted}`, 'request a on linux');
  });

  test('the holder of a group is logged once per holder', () => {
    given(ofJob, hold('a', 'run-1')).when(hold('a', 'run-1')).follows();
    given(ofJob, hold('a', 'run-1')).when(hold('a', 'run-2')).follows('waits a: concurrency');
    given(ofRun, hold(null, 'run-1')).when(hold(null, 'run-1')).follows();
  });

  test('a group that is granted twice, or held too late, changes nothing', () => {
    given(ofJob, grant('a')).when(grant('a')).follows();
    given(ofJob, grant('a')).when(hold('a')).follows();
    given(ofRun, grant(null)).when(hold(null)).follows();
    given(ofRun).when(hold('nobody')).follows();
  });
});

describe('a waiting job is remembered only while it waits', () => {
  test('a reason that comes after the offer is not shown', () => {
    const begin = workflow({ a: job(['x'], { concurrency: { group: 'lab' } }) });
    const { run } = given(begin, hold('a'), grant('a'), offer('a'));
    expect(run.jobs.get('a')?.waiting).toBeNull();
  });
});

test('tags and the time limit of a job are evaluated for each run', () => {
  const begin = workflow(
    { a: job(['x'], { 'runs-on': '${{ variables.OS }}', 'timeout-minutes': '${{ 2 }}' }) },
    { variables: { OS: 'windows' } },
  );
  given().when(begin).follows('workflow demo', 'request a on windows');
  given(begin).when(minute(1.9)).follows();
  given(begin)
    .when(minute(2))
    .follows('ended a: cancelled', 'canceled {"reason":"Job \\"a\\" failed."}');
});

test.each<[string | readonly string[], string]>([
  ['${{ fromJSON(\'["linux", "gpu"]\') }}', 'linux+gpu'],
  [['linux', '${{ fromJSON(\'["a", "b"]\') }}'], 'linux+a+b'],
  ["${{ fromJSON('[]') }}", ''],
  [" ${{ 'linux' }}\n", 'linux'],
  ["${{ format('{0}-{1}', 'a', 1) }}", 'a-1'],
  // Language 1.3: `runs-on`: a tag, an expression, or a list with at least one of them.
])('the tags of %j are %s', (tags, expected) => {
  const begin = workflow({ a: job(['x'], { 'runs-on': tags as string }) });
  given().when(begin).follows('workflow demo', `request a on ${expected}`);
});

test.each([
  ["${{ 'two words' }}", '"two words"'],
  ["${{ '' }}", '""'],
  ['${{ 7 }}', '7'],
  ['${{ null }}', 'null'],
  ["${{ fromJSON('[[1]]') }}", '[1]'],
])('a tag of %s ends the run, as nothing can have it', (tag, shown) => {
  const { log } = given(workflow({ a: job(['x'], { 'runs-on': tag }) }));
  const errors = log.flatMap((event) => (event.kind === 'ExecutionError' ? [event.details] : []));
  expect(errors).toEqual([{ error: `jobs.a: "runs-on" gives no tag, but ${shown}.` }]);
});

test.each([
  ['${{ 0 }}', '0'],
  ["${{ 'soon' }}", 'soon'],
  ['${{ 1e999 }}', 'Infinity'],
])('a time limit of %s ends the run', (limit, got) => {
  const error = `jobs.a: Expected a number of minutes above 0 from "${limit}", got "${got}".`;
  given()
    .when(workflow({ a: job(['x'], { 'timeout-minutes': limit }) }))
    .follows(
      'workflow demo',
      `error ${error}`,
      'ended a: cancelled',
      `canceled ${JSON.stringify({ reason: error })}`,
    );
});

// Language 1.7: Critical errors end the run.
test('an error that a plugin tells ends the run with it', () => {
  given(workflow({ a: job(['x']), b: job(['x'], { if: 'always()' }) }), offer('a'))
    .when(executionError('the provider broke'))
    .follows('error the provider broke', 'stop s0: canceled', 'ended b: cancelled');
});

test('the condition of a job that waits for a slot is not evaluated again for each event', () => {
  // An evaluation would now find that the job is not wanted.
  let condition = 'true';
  const watched = {
    get if() {
      return condition;
    },
    'runs-on': 'linux',
    steps: [{ id: 's', run: 'x' }],
  };
  const slots = { strategy: { 'max-parallel': 1 } };
  const waiting = given(workflow({ a: job(['x']), b: watched }, slots));
  condition = 'false';
  waiting.when(offer('a')).follows('offer a: channel-1', 'run a 0: x');
});

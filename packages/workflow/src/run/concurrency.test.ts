/** Concurrency groups: what their names are, what asks for them when, and what an error in a name leads to. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import type {
  ChannelId,
  ExecutionCommandEvent,
  Timestamp,
  WorkflowId,
  WorkflowJob,
  WorkflowManifest,
} from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { type GroupClaim, groupClaims, groupOfJob } from './concurrency.ts';
import { createDecisionBudget } from './evaluation.ts';
import { withOwnJobs } from './own-jobs.ts';
import type { Run } from './run.ts';
import { given } from './testing/given.ts';
import {
  cancel,
  executionError,
  grant,
  type Happening,
  holdBeside,
  job,
  minute,
  offer,
  released,
  result,
  supersede,
  WORKFLOW_ID,
  workflow,
} from './testing/inputs.ts';

const inputs = { metadata: { annotations: { 'tutti.inputs': { target: 'staging' } } } };
const ofWorkflow = (group: string, more: Partial<WorkflowManifest['jobs'][string]> = {}) =>
  workflow(
    { a: job(['x'], more) },
    {
      variables: { SITE: 'lyon' },
      resources: { files: ['map'] },
      ...inputs,
      concurrency: { group },
    },
  );

const build = job([{ id: 's', run: 'x' }], { outputs: { lab: '${{ steps.s.outputs.lab }}' } });
const afterBuild = (group: string) =>
  workflow(
    {
      build,
      a: job(['x'], { needs: 'build', variables: { RACK: 'r7' }, concurrency: { group } }),
    },
    { variables: { SITE: 'lyon' }, ...inputs },
  );
const built = [offer('build'), result('build', 0, { outputs: { lab: 'blue' } }), released('build')];

const claim = (name: string | null, group: string, holds: boolean): GroupClaim => ({
  job: name,
  group,
  holds,
  takesOver: false,
  since: '2026-01-01T12:00:00.000000' as Timestamp,
});

function groupOfA(run: Run): ReturnType<typeof groupOfJob> {
  const a = run.jobs.get('a');
  return a === undefined ? null : groupOfJob(run, a, createDecisionBudget());
}

describe('the group of a workflow', () => {
  test.each([
    ['deploy', 'deploy'],
    ['deploy-${{ inputs.target }}', 'deploy-staging'],
    ['${{ variables.SITE }}', 'lyon'],
    ['${{ opentf.workflow }}/${{ opentf.namespace }}', 'demo/default'],
    ['${{ resources.files.map }}', 'map'],
    ['${{ 7 }}', '7'],
  ])('%s is called %s', (group, name) => {
    const { run } = given(ofWorkflow(group));
    expect(groupClaims(run)).toEqual([claim(null, name, false)]);
    expect(groupClaims(given(ofWorkflow(group), grant(null)).run)).toEqual([
      claim(null, name, true),
    ]);
  });

  test.each([
    ['${{ needs.a.result }}', 'Invalid expression "needs.a.result"'],
    ['${{ runner.os }}', 'Invalid expression "runner.os"'],
    ['${{ success() }}', 'Invalid expression "success()"'],
    ['${{ inputs.nothing }}', 'Expected the name of a group, got none.'],
  ])('%s ends the run, once, and is never waited for', (group, why) => {
    const { log, run } = given(ofWorkflow(group));
    expect(log.map(({ kind }) => kind)).toEqual([
      'Workflow',
      'ExecutionError',
      'Notification',
      'WorkflowCanceled',
    ]);
    expect(log.at(-1)).toMatchObject({
      details: { reason: expect.stringMatching(/^concurrency\.group: /) },
    });
    expect(log.at(-1)).toMatchObject({ details: { reason: expect.stringContaining(why) } });
    expect(groupClaims(run)).toEqual([]);
  });
});

describe('the group of a job', () => {
  test.each([
    ['lab', 'lab'],
    ['lab-${{ needs.build.outputs.lab }}', 'lab-blue'],
    ['${{ needs.build.result }}', 'success'],
    ['${{ variables.SITE }}-${{ variables.RACK }}', 'lyon-r7'],
    ['${{ inputs.target }}', 'staging'],
    ['job-${{ opentf.job }}', 'job-'],
  ])('%s is called %s from the end of its needs to its own', (group, name) => {
    const begin = afterBuild(group);
    expect(groupClaims(given(begin).run)).toEqual([]);
    expect(groupClaims(given(begin, ...built).run)).toEqual([claim('a', name, false)]);
    const holding = [claim('a', name, true)];
    expect(groupClaims(given(begin, ...built, grant('a')).run)).toEqual(holding);
    const running = [...built, grant('a'), offer('a', 'channel-2')];
    expect(groupClaims(given(begin, ...running).run)).toEqual(holding);
    expect(groupClaims(given(begin, ...running, result('a')).run)).toEqual(holding);
    expect(groupClaims(given(begin, ...running, result('a'), released('a')).run)).toEqual([]);
  });

  test('is what its needs give, though the job that waits for them is the same', () => {
    const { when } = given(afterBuild('lab-${{ needs.build.outputs.lab }}'), offer('build'));
    const runs = ['blue', 'red'].map((lab) => when(result('build', 0, { outputs: { lab } })).run);
    const [blue, red] = runs.map(groupOfA);
    expect(new Set(runs.map((run) => run.jobs.get('a'))).size).toBe(1);
    expect(blue).toMatchObject({ value: { name: 'lab-blue' } });
    expect(red).toMatchObject({ value: { name: 'lab-red' } });
  });

  test('is evaluated once, whatever happens to other jobs', () => {
    const concurrency = { group: '${{ opentf.workflow }}' };
    const { run, when } = given(workflow({ a: job(['x'], { concurrency }), b: job(['y']) }));
    expect(groupOfA(run)).toMatchObject({ value: { name: 'demo' } });
    expect(groupOfA(when(offer('b')).run)).toBe(groupOfA(run));
  });

  test('is not asked for while the workflow waits for its own', () => {
    const begin = ofWorkflow('deploy', { concurrency: { group: 'lab' } });
    expect(groupClaims(given(begin).run)).toEqual([claim(null, 'deploy', false)]);
    expect(groupClaims(given(begin, grant(null)).run)).toEqual([
      claim(null, 'deploy', true),
      claim('a', 'lab', false),
    ]);
  });

  test('is not asked for by a job that is skipped', () => {
    given(afterBuild('lab'), offer('build'), result('build', 1))
      .when(released('build'))
      .follows(
        'released build',
        'ended a: skipped',
        'canceled {"reason":"Job \\"build\\" failed."}',
      );
  });

  test('an error in its name ends the run, once, when the job is to start', () => {
    const reason = 'jobs.a.concurrency.group: Expected the name of a group, got none.';
    given(afterBuild('${{ needs.build.outputs.rack }}'), ...built.slice(0, 2))
      .when(released('build'))
      .follows(
        'released build',
        `error ${reason}`,
        'ended a: cancelled',
        `canceled {"reason":"${reason}"}`,
      );
  });

  test('an error in its name ends the job alone when the run is ending already', () => {
    const begin = workflow({
      build,
      a: job(['x'], {
        needs: 'build',
        if: 'always()',
        concurrency: { group: '${{ needs.build.outputs.rack }}' },
      }),
    });
    given(begin, offer('build'), cancel(), result('build', 143))
      .when(released('build'))
      .follows('released build', 'ended a: cancelled', 'canceled {"status":"cancelled"}');
  });

  test('one that the workflow holds is an error, as the job would wait for its own run for ever', () => {
    const begin = ofWorkflow('${{ variables.SITE }}', { concurrency: { group: 'lyon' } });
    const reason = 'jobs.a.concurrency.group: Group "lyon" is held by the workflow of the job.';
    given(begin)
      .when(grant(null))
      .follows(
        'granted workflow',
        `error ${reason}`,
        'ended a: cancelled',
        `canceled ${JSON.stringify({ reason })}`,
      );
  });
});

describe('cancel-in-progress', () => {
  type Flag = NonNullable<WorkflowManifest['concurrency']>['cancel-in-progress'];
  const flagged = (flag: Flag) => ({
    group: 'lab',
    ...(flag === undefined ? {} : { 'cancel-in-progress': flag }),
  });

  test.each<[Flag, boolean]>([
    [undefined, false],
    [true, true],
    [false, false],
    ["${{ inputs.target == 'staging' }}", true],
    ["${{ inputs.target == 'live' }}", false],
    ["${{ variables.SITE == 'lyon' }}", true],
    // Language 1.2: `concurrency`: a group is required, `cancel-in-progress` is true, false or an expression.
  ])('%s takes the group over: %s', (flag, takesOver) => {
    const common = { variables: { SITE: 'lyon' }, ...inputs, concurrency: flagged(flag) };
    expect(groupClaims(given(workflow({ a: job(['x']) }, common)).run)).toMatchObject([
      { job: null, takesOver },
    ]);
    const ofJob = workflow(
      { a: job(['x'], { concurrency: flagged(flag) }) },
      { variables: { SITE: 'lyon' }, ...inputs },
    );
    expect(groupClaims(given(ofJob).run)).toMatchObject([{ job: 'a', takesOver }]);
  });

  test('an error in it ends the run and says where', () => {
    const flag = '${{ nowhere.to.be.found }}';
    const { log } = given(workflow({ a: job(['x']) }, { concurrency: flagged(flag) }));
    expect(log.at(-1)).toMatchObject({
      details: { reason: expect.stringMatching(/^concurrency\.cancel-in-progress: /) },
    });
    const ofJob = given(workflow({ a: job(['x'], { concurrency: flagged(flag) }) }));
    expect(ofJob.log.at(-1)).toMatchObject({
      details: { reason: expect.stringMatching(/^jobs\.a\.concurrency\.cancel-in-progress: /) },
    });
  });

  test('a claim is as old as what made the job ready, or the run', () => {
    const begin = afterBuild('lab');
    const late = { metadata: { creationTimestamp: '2026-01-01T12:30:00.000000' } };
    const { run } = given(begin, ...built.slice(0, 2), released('build', late));
    expect(groupClaims(run)).toMatchObject([{ since: '2026-01-01T12:30:00.000000' }]);
    const nested = workflow(
      { a: job(['x'], { concurrency: flagged(true) }) },
      { concurrency: { group: 'deploy' } },
    );
    expect(groupClaims(given(nested, minute(7), grant(null)).run)).toMatchObject([
      { job: null, since: '2026-01-01T12:00:00.000000' },
      { job: 'a', since: '2026-01-01T12:07:00.000000' },
    ]);
  });
});

describe('a run whose group is taken over', () => {
  const steps = ['x', { id: 'clean', run: 'clean', if: 'always()' }];
  const begin = (jobs: Partial<WorkflowJob> = {}) =>
    workflow({ a: job(steps, jobs) }, { concurrency: { group: 'lab' } });
  const reason = 'Concurrency group "lab" was taken over by workflow workflow-9.';
  const end = { reason, source: 'arranger', status: 'cancelled' };

  test('ends at once if it waits for the group', () => {
    given(begin())
      .when(supersede(null))
      .follows(`cancel ${reason}`, 'ended a: cancelled', `canceled ${JSON.stringify(end)}`);
  });

  test('is cancelled while it runs, cleans up, and says why', () => {
    const running = given(begin(), grant(null), offer('a'));
    expect(running.when(supersede(null)).events.map(({ kind }) => kind)).toEqual([
      'WorkflowCancellation',
      'ExecutionCommand',
    ]);
    const over = [supersede(null), result('a', 143), result('a')];
    given(begin(), grant(null), offer('a'), ...over)
      .when(released('a'))
      .follows('released a', `canceled ${JSON.stringify(end)}`);
  });

  test('is told once', () => {
    given(begin(), grant(null), offer('a'), supersede(null)).when(supersede(null)).follows();
    given(begin(), grant(null), offer('a'), cancel('enough')).when(supersede(null)).follows();
    given(begin(), grant(null), offer('a'), executionError('no')).when(supersede(null)).follows();
    given(begin(), supersede(null)).when(supersede(null)).follows();
  });
});

describe('a job whose group is taken over', () => {
  const steps = ['x', { id: 'clean', run: 'clean', if: 'always()' }];
  const begin = workflow({
    a: job(steps, { concurrency: { group: 'lab' } }),
    b: job(['y'], { needs: 'a' }),
    c: job(['z'], { 'runs-on': 'other' }),
  });
  const reason = 'Concurrency group "lab" was taken over by workflow workflow-9.';

  test.each([
    ['waits for the group', [begin]],
    ['waits for an environment', [begin, grant('a')]],
  ])('ends at once if it %s, and what needs it is skipped', (_, happened) => {
    const outcome = given(...happened).when(supersede('a'));
    outcome.follows('ended a: cancelled', 'ended b: skipped');
    expect(outcome.events[0]).toMatchObject({
      spec: { logs: [`Job "a" canceled: ${reason}`] },
    });
  });

  test('is stopped while it runs, cleans up, and takes no other job with it', () => {
    const happened = [begin, offer('c'), grant('a'), offer('a', 'channel-2'), supersede('a')];
    const { run, log } = given(...happened);
    expect(log.at(-1)).toMatchObject({ metadata: { step_sequence_id: -4 } });
    expect(run.cancellation).toBeNull();
    given(...happened, result('a', 143))
      .when(result('a'))
      .follows('result a 1: 0', 'release a: cancelled');
    given(...happened, result('a', 143), result('a'), released('a'), result('c'))
      .when(released('c'))
      .follows(
        'released c',
        `canceled ${JSON.stringify({ reason, source: 'arranger', status: 'cancelled' })}`,
      );
  });

  test('has a few minutes to clean up', () => {
    const happened = [begin, grant('a'), offer('a'), supersede('a'), result('a', 143)];
    const { events } = given(...happened).when(minute(6));
    const commands = events.filter(({ kind }) => kind === 'ExecutionCommand');
    expect((commands[0] as ExecutionCommandEvent).metadata.step_sequence_id).toBe(-4);
  });

  test('is told once, and not when it is ending anyway', () => {
    const running = [begin, grant('a'), offer('a')];
    given(...running, supersede('a'))
      .when(supersede('a'))
      .follows();
    given(...running, cancel())
      .when(supersede('a'))
      .follows();
    given(...running, result('a'), result('a'))
      .when(supersede('a'))
      .follows();
    given(...running, result('a'), result('a'), released('a'))
      .when(supersede('a'))
      .follows();
    given(begin).when(supersede('nobody')).follows();
  });

  test('takes its own jobs with it if it is a bundle, and says why at the end', () => {
    const bundle = { jobs: { x: job(steps), y: job(['y'], { needs: 'x' }) } };
    const begun = workflow({ a: { ...bundle, concurrency: { group: 'lab' } }, c: job(['z']) });
    const happened = [begun, grant('a'), offer('a/x'), supersede('a')];
    expect(given(...happened).log.slice(-2)).toMatchObject([
      { kind: 'Notification' },
      { metadata: { step_sequence_id: -4, name: 'x' } },
    ]);
    given(...happened)
      .when(supersede('a'))
      .follows();
    const over = [result('a/x', 143), result('a/x'), released('a/x')];
    const { run } = given(...happened, ...over);
    expect(['a', 'a/x', 'a/y'].map((key) => run.jobs.get(key)?.result)).toEqual(
      Array(3).fill('cancelled'),
    );
    given(...happened, ...over, offer('c'), result('c'))
      .when(released('c'))
      .follows(
        'released c',
        `canceled ${JSON.stringify({ reason, source: 'arranger', status: 'cancelled' })}`,
      );
  });

  test('that failed beside others does not hide their failure', () => {
    const happened = [begin, offer('c'), supersede('a'), result('c', 1)];
    given(...happened)
      .when(released('c'))
      .follows('released c', 'canceled {"reason":"Jobs \\"a\\", \\"c\\" failed."}');
  });
});

describe('a job whose group another job of its run holds', () => {
  const begin = workflow({
    a: job(['x'], { concurrency: { group: 'lab' } }),
    b: job(['y'], { concurrency: { group: 'lab' } }),
  });

  test('is told which job that is, once', () => {
    const { events } = given(begin, grant('a')).when(holdBeside('b', 'a'));
    expect(events).toMatchObject([
      {
        spec: {
          'tutti.waiting': { reason: 'concurrency', group: 'lab', heldByJob: 'a' },
          logs: ['Job "b" waits: concurrency group "lab" is held by job "a" of this workflow.'],
        },
      },
    ]);
    given(begin, grant('a'), holdBeside('b', 'a')).when(holdBeside('b', 'a')).follows();
  });
});

test('an environment that a job of the same run keeps is told with the name of that job', () => {
  const { run } = given(workflow({ a: job(['x']) }), offer('a'));
  const environment = { name: 'lab-1', channel_id: 'channel-1' as ChannelId };
  const own = {
    ...environment,
    workflow_id: run.workflowId,
    job_id: run.jobs.get('a')?.jobId ?? null,
  };
  const foreign = { ...own, workflow_id: 'workflow-9' as WorkflowId };
  const unknown = { ...environment, workflow_id: null, job_id: null };
  const environments = [own, foreign, unknown];
  const busy = { reason: 'busy', tags: [], namespace: 'shop', environments, matching: 3 } as const;
  expect(withOwnJobs(run, busy)).toEqual({
    ...busy,
    environments: [{ ...own, job_name: 'a' }, foreign, unknown],
  });
  const other = { reason: 'max-parallel', limit: 1, running: 1 } as const;
  expect(withOwnJobs(run, other)).toBe(other);
});

describe('a job whose group is held by who waits for it', () => {
  const deadlock = (heldBy: string): Happening => ({
    input: () => ({ type: 'deadlocked', job: 'a', group: 'lab', heldBy: heldBy as WorkflowId }),
  });
  const waiting = workflow({
    a: job(['x'], { concurrency: { group: 'lab' } }),
    b: job(['y'], { needs: 'a', if: 'always()' }),
  });

  test('is cancelled, and says why', () => {
    const { events } = given(waiting)
      .when(deadlock('workflow-0'))
      .follows('ended a: cancelled', 'request b on linux');
    expect(events[0]).toMatchObject({
      spec: { logs: [expect.stringContaining('is held by workflow workflow-0, which itself')] },
    });
    const own = given(waiting).when(deadlock(WORKFLOW_ID));
    expect(own.events[0]).toMatchObject({
      spec: { logs: [expect.stringContaining('is held by another job of this workflow, which')] },
    });
  });

  test('goes on if it was granted its group, or ended, before', () => {
    given(waiting, grant('a')).when(deadlock('workflow-0')).follows();
    given(waiting, cancel()).when(deadlock('workflow-0')).follows();
  });
});

/** Concurrency groups: what their names are, what asks for them when, and what an error in a name leads to. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import type { WorkflowManifest } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { type GroupClaim, groupClaims } from './concurrency.ts';
import { given } from './testing/given.ts';
import { cancel, grant, job, offer, released, result, workflow } from './testing/inputs.ts';

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
});

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

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Cases in which several rows of the tables in docs/reference/what-happens-when.md meet. */
import type { Hook, HookStep, WorkflowJob, WorkflowManifest } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { hook } from './testing/hook-story.ts';
import {
  answer,
  bundle,
  cancel,
  generate,
  type Happening,
  job,
  minute,
  workflow,
} from './testing/inputs.ts';
import { play } from './testing/play.ts';

interface Combination {
  readonly jobs: WorkflowManifest['jobs'];
  readonly more?: Parameters<typeof workflow>[1];
  readonly meanwhile?: Readonly<Record<string, Happening>>;
  /** Results by key; scripts as they began; the end. */
  readonly played: readonly [jobs: string, ran: string, ends: string];
}

const FAILED = 'FAILED';
const DONE = 'DONE';
const CANCELED = 'FAILED, cancelled';
const step = (run: string, condition: string) => ({ run, if: condition });
const matrix = (values: readonly string[], more: NonNullable<WorkflowJob['strategy']> = {}) => ({
  strategy: { matrix: { m: [...values] }, ...more },
});
const CALL = { metadata: { annotations: { 'tutti.files': { f: 'f' } } } };
const called = (jobs: WorkflowManifest['jobs'], hooks: readonly Hook[] = []) =>
  generate('a', jobs, {
    metadata: { 'tutti.uses': { file: 'f', blob: 'f' }, 'tutti.called': { name: 'f', hooks } },
  });
const teardown = (before: readonly (string | HookStep)[], after: readonly string[] = ['after']) =>
  hook('t', [{ channel: 'teardown' }], { before, after });
const setup = (script: string) => hook('s', [{ channel: 'setup' }], { after: [script] });

const rows: Readonly<Record<string, Combination>> = {
  'one need failed, another was skipped, and the if is failure()': {
    jobs: {
      a: job(['fail']),
      b: job(['no'], { if: 'false' }),
      c: job(['x'], { needs: ['a', 'b'], if: 'failure()' }),
    },
    played: ['a failure, b skipped, c success', 'fail, x', FAILED],
  },
  'the if is !cancelled(), after a failure': {
    jobs: { a: job(['fail']), b: job(['x'], { needs: 'a', if: '!cancelled()' }) },
    played: ['a failure, b success', 'fail, x', FAILED],
  },
  'the if is !cancelled(), after a cancellation': {
    jobs: { a: job(['hang']), b: job(['no'], { needs: 'a', if: '!cancelled()' }) },
    meanwhile: { hang: cancel() },
    played: ['a cancelled, b cancelled', 'hang', CANCELED],
  },
  'a step of a job that runs under failure() begins with success()': {
    jobs: {
      a: job(['fail']),
      b: job(['x', step('no', 'failure()'), step('y', 'success()')], {
        needs: 'a',
        if: 'failure()',
      }),
    },
    played: ['a failure, b success', 'fail, x, y', FAILED],
  },
  'a matrix runs under failure()': {
    jobs: {
      a: job(['fail']),
      b: job(['x ${{ matrix.m }}'], { needs: 'a', if: 'failure()', ...matrix(['p', 'q']) }),
    },
    played: ['a failure, b success, b/b-p success, b/b-q success', 'fail, x p, x q', FAILED],
  },
  'a called workflow runs under failure(), and its jobs by default': {
    jobs: { z: job(['fail']), a: { uses: './f', needs: 'z', if: 'failure()' } },
    more: CALL,
    meanwhile: { a: called({ c: job(['x']), d: job(['no'], { if: 'failure()' }) }) },
    played: ['z failure, a success, a/c success, a/d skipped', 'fail, x', FAILED],
  },
  'a job of a called workflow takes too long': {
    jobs: {
      a: { uses: './f' },
      b: job(['no'], { needs: 'a', if: 'failure()' }),
      c: job(['x ${{ needs.a.result }}'], { needs: 'a', if: 'always()' }),
    },
    more: CALL,
    meanwhile: { a: called({ d: job(['hang'], { 'timeout-minutes': 1 }) }), hang: minute(1) },
    played: ['a cancelled, b skipped, c success, a/d cancelled', 'hang, x cancelled', FAILED],
  },
  'the run is cancelled in a called workflow, and jobs there and outside run always': {
    jobs: { a: { uses: './f' }, b: job(['y'], { needs: 'a', if: 'always()' }) },
    more: CALL,
    meanwhile: {
      a: called({ c: job(['hang']), d: job(['x'], { needs: 'c', if: 'always()' }) }),
      hang: cancel(),
    },
    played: ['a cancelled, b success, a/c cancelled, a/d success', 'hang, x, y', CANCELED],
  },
  'a setup hook of a called workflow fails': {
    jobs: { a: { uses: './f', 'continue-on-error': true }, b: job(['x'], { needs: 'a' }) },
    more: CALL,
    meanwhile: { a: called({ c: job(['no']) }, [setup('fail'), teardown(['t'])]) },
    played: ['a success, b success, a/c failure', 'fail, t, after, x', DONE],
  },
  'a job that continues on error takes too long, and hooks clean up': {
    jobs: {
      a: job(['hang', 'no'], { 'timeout-minutes': 1, 'continue-on-error': true }),
      b: job(['no'], { needs: 'a', if: 'failure() || cancelled()' }),
    },
    more: { hooks: [teardown(['t'])] },
    meanwhile: { hang: minute(1) },
    played: ['a success, b skipped', 'hang, t, after', DONE],
  },
  'the run is cancelled, and steps of a teardown hook have status functions': {
    jobs: { a: job(['hang', 'no']) },
    more: {
      hooks: [
        teardown([
          { id: 'f', ...step('no', 'failure()') },
          { id: 'c', ...step('x', 'cancelled()') },
          { id: 's', ...step('no', 'success()') },
        ]),
      ],
    },
    meanwhile: { hang: cancel() },
    played: ['a cancelled', 'hang, x, after', CANCELED],
  },
  'a function that continues on error fails': {
    jobs: {
      a: job([
        { uses: 'a/b', 'continue-on-error': true },
        'x ${{ steps.s0.outcome }} ${{ steps.s0.conclusion }}',
        step('no', 'failure()'),
      ]),
    },
    meanwhile: {
      'call a': answer('a', [
        { id: 'n0', run: 'fail' },
        { id: 'n1', run: 'no' },
        { id: 'n2', ...step('y', 'failure()') },
      ]),
    },
    played: ['a success', 'fail, y, x failure success', DONE],
  },
  'a bundle in a bundle fails': {
    jobs: {
      a: bundle({
        b: bundle({ c: job(['fail']) }),
        d: job(['no'], { needs: 'b' }),
        e: job(['x'], { needs: 'd', if: 'failure()' }),
      }),
      f: job(['y'], { needs: 'a', if: 'failure()' }),
    },
    played: [
      'a failure, f success, a/b failure, a/d skipped, a/e success, a/b/c failure',
      'fail, x, y',
      FAILED,
    ],
  },
  'a bundle that continues on error fails, up the chain of needs': {
    jobs: {
      a: bundle({ b: job(['fail']) }, { 'continue-on-error': true }),
      c: job(['x'], { needs: 'a', if: 'always()' }),
      d: job(['no'], { needs: 'c', if: 'failure()' }),
    },
    played: ['a success, c success, d skipped, a/b failure', 'fail, x', DONE],
  },
  'the run is cancelled while the jobs of a matrix run one after the other': {
    jobs: {
      a: job(
        ['hang ${{ matrix.m }}', step('x ${{ matrix.m }}', 'always()')],
        matrix(['p', 'q'], { 'max-parallel': 1 }),
      ),
    },
    meanwhile: { 'hang p': cancel() },
    played: ['a cancelled, a/a-p cancelled, a/a-q cancelled', 'hang p, x p', CANCELED],
  },
  'a job fails, the workflow has fail-fast, and jobs clean up after it': {
    jobs: {
      a: job(['fail']),
      b: job(['no'], { needs: 'a', if: 'failure()' }),
      c: job(['x'], { needs: 'a', if: 'always()' }),
    },
    more: { strategy: { 'fail-fast': true } },
    played: ['a failure, b cancelled, c success', 'fail, x', FAILED],
  },
};

test.each(Object.entries(rows))('%s', (_, { jobs, more = {}, meanwhile = {}, played }) => {
  const { jobs: results, ran, ends } = play(workflow(jobs, more), meanwhile);
  const shownBy = Object.entries(results).map((entry) => entry.join(' '));
  expect([shownBy.join(', '), ran.join(', '), ends]).toEqual(played);
});

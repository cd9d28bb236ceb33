// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/**
 * The rows of the tables in docs/reference/what-happens-when.md, each under its title. `tests/structure` holds that none is
 * missing here.
 */
import type { WorkflowId, WorkflowJob, WorkflowManifest } from '@tutti/manifests';
import { expect, test } from 'vitest';
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
import { type Played, play } from './testing/play.ts';

type Jobs = WorkflowManifest['jobs'];
type More = Parameters<typeof workflow>[1];

interface Scenario {
  readonly jobs: Jobs;
  readonly more?: More;
  readonly meanwhile?: Readonly<Record<string, Happening>>;
  readonly played: Played;
}

const DONE = 'DONE';
const FAILED = 'FAILED';
const CANCELED = 'FAILED, cancelled';

const step = (run: string, condition: string) => ({ run, if: condition });
const matrix = (
  steps: Parameters<typeof job>[0],
  more: Partial<WorkflowJob> = {},
  values: readonly string[] = ['x', 'y'],
): WorkflowJob =>
  job(steps, { ...more, strategy: { matrix: { m: [...values] }, ...more.strategy } });
/** The first of the cells fails, while the others hang. */
const FIRST_FAILS = "${{ matrix.m == 'x' && 'fail' || 'hang' }} ${{ matrix.m }}";
const superseded: Happening = {
  input: () => ({ type: 'superseded', job: null, group: 'lab', by: 'other' as WorkflowId }),
};

const rows: Readonly<Record<string, Scenario>> = {
  'A step fails: its command exits with another status than 0': {
    jobs: { a: job(['fail', 'x']) },
    played: { jobs: { a: 'failure' }, ran: ['fail'], ends: FAILED },
  },
  'A step fails, and later ones have if: failure() or if: always()': {
    jobs: { a: job(['fail', step('x', 'failure()'), step('y', 'always()'), 'z']) },
    played: { jobs: { a: 'failure' }, ran: ['fail', 'x', 'y'], ends: FAILED },
  },
  // Language 1.7: `continue-on-error` of a step: the outcome is a failure, the conclusion a success.
  // Language 6.7: `steps`: outputs, outcome, conclusion, of the steps before.
  'A step fails that has continue-on-error': {
    jobs: {
      a: job([
        { run: 'fail', 'continue-on-error': true },
        'x ${{ steps.s0.outcome }} ${{ steps.s0.conclusion }}',
        step('y', 'failure()'),
      ]),
    },
    played: { jobs: { a: 'success' }, ran: ['fail', 'x failure success'], ends: DONE },
  },
  'The if of a step does not hold': {
    jobs: { a: job([step('x', "'a' == 'b'"), 'y ${{ steps.s0.outcome }}']) },
    played: { jobs: { a: 'success' }, ran: ['y skipped'], ends: DONE },
  },
  'A step takes longer than its timeout-minutes': {
    jobs: { a: job([{ run: 'hang', 'timeout-minutes': 1 }, 'x', step('y', 'failure()')]) },
    meanwhile: { hang: minute(1) },
    played: { jobs: { a: 'failure' }, ran: ['hang', 'y'], ends: FAILED },
  },
  'A step in a function fails': {
    jobs: { a: job([{ uses: 'a/b' }, step('z', 'failure()')]) },
    meanwhile: {},
    played: { jobs: { a: 'failure' }, ran: ['fail', 'y', 'z'], ends: FAILED },
  },
  // Language 3.10: The environment of each job is freed, also after a failure or a cancellation.
  'A job fails': {
    jobs: { a: job(['fail']), b: job(['x']) },
    played: { jobs: { a: 'failure', b: 'success' }, ran: ['fail', 'x'], ends: FAILED },
  },
  // Language 1.7: `continue-on-error` of a job: the run succeeds.
  'A job fails that has continue-on-error': {
    jobs: {
      a: job(['fail'], { 'continue-on-error': true }),
      b: job(['x ${{ needs.a.result }}'], { needs: 'a' }),
      c: job(['y'], { needs: 'a', if: 'failure()' }),
    },
    played: {
      jobs: { a: 'success', b: 'success', c: 'skipped' },
      ran: ['fail', 'x success'],
      ends: DONE,
    },
  },
  'The if of a job does not hold': {
    jobs: { a: job(['x'], { if: 'failure()' }), b: job(['y']) },
    played: { jobs: { a: 'skipped', b: 'success' }, ran: ['y'], ends: DONE },
  },
  // Language 1.7: After a failure dependants are skipped, unless their `if` says otherwise.
  'A needed job failed': {
    jobs: {
      a: job(['fail']),
      b: job(['x'], { needs: 'a' }),
      c: job(['y'], { needs: 'a', if: '1 == 1' }),
    },
    played: { jobs: { a: 'failure', b: 'skipped', c: 'skipped' }, ran: ['fail'], ends: FAILED },
  },
  // Language 1.7: After a failure dependants are skipped, unless their `if` says otherwise.
  'A needed job failed, and the if is failure() or always()': {
    jobs: {
      a: job(['fail']),
      b: job(['x'], { needs: 'a', if: 'failure()' }),
      c: job(['y'], { needs: 'a', if: "always() && needs.a.result == 'failure'" }),
    },
    played: {
      jobs: { a: 'failure', b: 'success', c: 'success' },
      ran: ['fail', 'x', 'y'],
      ends: FAILED,
    },
  },
  'A job that is needed by a needed job failed': {
    jobs: {
      a: job(['fail']),
      b: job(['x'], { needs: 'a' }),
      c: job(['y'], { needs: 'b', if: 'failure()' }),
      d: job(['z'], { needs: 'b' }),
    },
    played: {
      jobs: { a: 'failure', b: 'skipped', c: 'success', d: 'skipped' },
      ran: ['fail', 'y'],
      ends: FAILED,
    },
  },
  'A needed job ran under always() after a failure, and succeeded': {
    jobs: {
      a: job(['fail']),
      b: job(['x'], { needs: 'a', if: 'always()' }),
      c: job(['y'], { needs: 'b' }),
      d: job(['z'], { needs: 'b', if: 'failure()' }),
      e: job(['w'], { needs: 'b', if: '!failure()' }),
    },
    played: {
      jobs: { a: 'failure', b: 'success', c: 'success', d: 'success', e: 'skipped' },
      ran: ['fail', 'x', 'y', 'z'],
      ends: FAILED,
    },
  },
  // Language 6.7: `needs`: result and outputs.
  'A needed job was skipped': {
    jobs: {
      a: job(['x'], { if: 'false' }),
      b: job(['y'], { needs: 'a' }),
      c: job(['z'], { needs: 'a', if: 'failure()' }),
      d: job(['w'], { needs: 'a', if: 'always()' }),
    },
    played: {
      jobs: { a: 'skipped', b: 'skipped', c: 'skipped', d: 'success' },
      ran: ['w'],
      ends: DONE,
    },
  },
  'A needed job was skipped, and the if is !failure()': {
    jobs: {
      a: job(['x'], { if: 'failure()' }),
      b: job(['y'], { needs: 'a', if: '!failure()' }),
      c: job(['z'], { needs: 'b' }),
    },
    played: {
      jobs: { a: 'skipped', b: 'success', c: 'success' },
      ran: ['y', 'z'],
      ends: DONE,
    },
  },
  // Language 1.7: A job that takes too long is cancelled.
  'A job takes longer than its timeout-minutes': {
    jobs: {
      a: job(['hang', 'x', step('y', 'always()'), step('z', 'failure()')], {
        'timeout-minutes': 1,
      }),
      b: job(['w']),
    },
    meanwhile: { hang: minute(1) },
    played: { jobs: { a: 'cancelled', b: 'success' }, ran: ['hang', 'w', 'y'], ends: FAILED },
  },
  'A job takes longer than its timeout-minutes, and has continue-on-error': {
    jobs: {
      a: job(['hang', 'x', step('y', 'always()')], {
        'timeout-minutes': 1,
        'continue-on-error': true,
      }),
      b: job(['z ${{ needs.a.result }}'], { needs: 'a' }),
    },
    meanwhile: { hang: minute(1) },
    played: {
      jobs: { a: 'success', b: 'success' },
      ran: ['hang', 'y', 'z success'],
      ends: DONE,
    },
  },
  'A needed job took longer than its timeout-minutes': {
    jobs: {
      a: job(['hang'], { 'timeout-minutes': 1 }),
      b: job(['x'], { needs: 'a' }),
      c: job(['y'], { needs: 'a', if: 'failure()' }),
      d: job(['z ${{ needs.a.result }}'], { needs: 'a', if: 'always()' }),
    },
    meanwhile: { hang: minute(1) },
    played: {
      jobs: { a: 'cancelled', b: 'skipped', c: 'skipped', d: 'success' },
      ran: ['hang', 'z cancelled'],
      ends: FAILED,
    },
  },
  'A job waits for an environment longer than its timeout-minutes': {
    jobs: { a: job(['x'], { 'runs-on': 'nowhere', 'timeout-minutes': 1 }), b: job(['y', 'z']) },
    meanwhile: { y: minute(1) },
    played: { jobs: { a: 'cancelled', b: 'success' }, ran: ['y', 'z'], ends: FAILED },
  },
  'A job waits for an environment longer than its timeout-minutes, and has continue-on-error': {
    jobs: {
      a: job(['x'], {
        'runs-on': 'nowhere',
        'timeout-minutes': 1,
        'continue-on-error': "${{ 'a' == 'a' }}",
      }),
      b: job(['y', 'z']),
      c: job(['w'], { needs: 'a' }),
    },
    meanwhile: { y: minute(1) },
    played: {
      jobs: { a: 'success', b: 'success', c: 'success' },
      ran: ['y', 'w', 'z'],
      ends: DONE,
    },
  },
  'A job fails, and the workflow has fail-fast': {
    jobs: {
      a: job(['fail']),
      b: job(['hang', step('x', 'always()')]),
      c: job(['y'], { needs: 'b', if: 'always()' }),
      d: job(['z'], { needs: 'b' }),
    },
    more: { strategy: { 'fail-fast': true } },
    played: {
      jobs: { a: 'failure', b: 'cancelled', c: 'success', d: 'cancelled' },
      ran: ['fail', 'hang', 'x', 'y'],
      ends: FAILED,
    },
  },
  'The run is cancelled': {
    jobs: {
      a: job([
        'hang',
        'x',
        step('y', 'always()'),
        step('z', 'cancelled()'),
        step('w', 'failure()'),
      ]),
      b: job(['v'], { needs: 'a' }),
    },
    meanwhile: { hang: cancel() },
    played: { jobs: { a: 'cancelled', b: 'cancelled' }, ran: ['hang', 'y', 'z'], ends: CANCELED },
  },
  'The run is cancelled, and a job that runs has continue-on-error': {
    jobs: {
      a: job(['hang'], { 'continue-on-error': true }),
      b: job(['x'], { needs: 'a' }),
    },
    meanwhile: { hang: cancel() },
    played: { jobs: { a: 'cancelled', b: 'cancelled' }, ran: ['hang'], ends: CANCELED },
  },
  'The run is cancelled while a step with if: always() runs': {
    jobs: { a: job([step('x', 'always()'), 'y']) },
    meanwhile: { x: cancel() },
    played: { jobs: { a: 'cancelled' }, ran: ['x'], ends: CANCELED },
  },
  'The run is cancelled, and the if of a job that waits is always() or cancelled()': {
    jobs: {
      a: job(['hang']),
      b: job(['x', 'y'], { needs: 'a', if: 'always()' }),
      c: job(['z'], { needs: 'a', if: 'cancelled()' }),
      d: job(['w'], { needs: 'a', if: 'failure()' }),
    },
    meanwhile: { hang: cancel() },
    played: {
      jobs: { a: 'cancelled', b: 'success', c: 'success', d: 'cancelled' },
      ran: ['hang', 'x', 'z', 'y'],
      ends: CANCELED,
    },
  },
  'The run is cancelled while it waits for its concurrency group': {
    jobs: {
      a: job(['x'], { if: 'always()' }),
      b: job(['y'], { if: 'cancelled()' }),
      c: job(['z']),
    },
    more: { concurrency: { group: 'lab' } },
    meanwhile: { 'the run waits': cancel() },
    played: {
      jobs: { a: 'cancelled', b: 'cancelled', c: 'cancelled' },
      ran: [],
      ends: CANCELED,
    },
  },
  'The run takes longer than its timeout-minutes': {
    jobs: { a: job(['hang', step('x', 'always()')]), b: job(['y'], { needs: 'a' }) },
    more: { 'timeout-minutes': 1 },
    meanwhile: { hang: minute(1) },
    played: { jobs: { a: 'cancelled', b: 'cancelled' }, ran: ['hang', 'x'], ends: FAILED },
  },
  'Another run takes over the concurrency group of the run': {
    jobs: { a: job(['hang', step('x', 'always()')]), b: job(['y'], { needs: 'a' }) },
    meanwhile: { hang: superseded },
    played: { jobs: { a: 'cancelled', b: 'cancelled' }, ran: ['hang', 'x'], ends: CANCELED },
  },
  // Language 1.7: Critical errors end the run.
  'An expression cannot be evaluated': {
    jobs: {
      a: job(['hang', step('x', 'always()')]),
      b: job(['y ${{ nowhere.x }}']),
      c: job(['z'], { needs: 'b', if: 'always()' }),
    },
    played: {
      jobs: { a: 'cancelled', b: 'cancelled', c: 'cancelled' },
      ran: ['hang'],
      ends: FAILED,
    },
  },
  'A job in a bundle fails': {
    jobs: {
      a: bundle({ b: job(['fail']), c: job(['x']), d: job(['y'], { needs: 'b' }) }),
      e: job(['z'], { needs: 'a' }),
      f: job(['w'], { needs: 'a', if: 'failure()' }),
    },
    played: {
      jobs: {
        a: 'failure',
        e: 'skipped',
        f: 'success',
        'a/b': 'failure',
        'a/c': 'success',
        'a/d': 'skipped',
      },
      ran: ['fail', 'x', 'w'],
      ends: FAILED,
    },
  },
  'A job in a bundle fails that has continue-on-error': {
    jobs: { a: bundle({ b: job(['fail'], { 'continue-on-error': true }) }) },
    played: { jobs: { a: 'success', 'a/b': 'success' }, ran: ['fail'], ends: DONE },
  },
  'A job fails in a bundle that has continue-on-error': {
    jobs: {
      a: bundle({ b: job(['fail']) }, { 'continue-on-error': true }),
      c: job(['x'], { needs: 'a' }),
    },
    played: {
      jobs: { a: 'success', c: 'success', 'a/b': 'failure' },
      ran: ['fail', 'x'],
      ends: DONE,
    },
  },
  'All jobs in a bundle are skipped': {
    jobs: { a: bundle({ b: job(['x'], { if: 'false' }) }), c: job(['y'], { needs: 'a' }) },
    played: { jobs: { a: 'success', c: 'success', 'a/b': 'skipped' }, ran: ['y'], ends: DONE },
  },
  'The if of a bundle does not hold': {
    jobs: { a: bundle({ b: job(['x']) }, { if: 'false' }), c: job(['y'], { needs: 'a' }) },
    played: { jobs: { a: 'skipped', c: 'skipped' }, ran: [], ends: DONE },
  },
  'A job in a bundle has a status function in its if': {
    jobs: {
      a: job(['fail']),
      b: bundle(
        { c: job(['x'], { if: 'success()' }), d: job(['y'], { if: 'failure()' }) },
        { needs: 'a', if: 'always()' },
      ),
    },
    played: {
      jobs: { a: 'failure', b: 'success', 'b/c': 'success', 'b/d': 'skipped' },
      ran: ['fail', 'x'],
      ends: FAILED,
    },
  },
  'A job in a bundle fails, and the bundle has fail-fast': {
    jobs: {
      a: bundle(
        { b: job(['fail']), c: job(['hang', step('x', 'always()')]) },
        { strategy: { 'fail-fast': true } },
      ),
      d: job(['y']),
    },
    played: {
      jobs: { a: 'failure', d: 'success', 'a/b': 'failure', 'a/c': 'cancelled' },
      ran: ['y', 'fail', 'hang', 'x'],
      ends: FAILED,
    },
  },
  'A job in a bundle fails, and the workflow has fail-fast': {
    jobs: {
      a: bundle({ b: job(['fail']), c: job(['hang', step('x', 'always()')]) }),
      d: job(['hang']),
    },
    more: { strategy: { 'fail-fast': true } },
    played: {
      jobs: { a: 'failure', d: 'cancelled', 'a/b': 'failure', 'a/c': 'cancelled' },
      ran: ['hang', 'fail', 'hang', 'x'],
      ends: FAILED,
    },
  },
  'A job fails in a bundle that says fail-fast: false, and the workflow has fail-fast': {
    jobs: {
      a: bundle({ b: job(['fail']), c: job(['x', 'y']) }, { strategy: { 'fail-fast': false } }),
      d: job(['hang']),
    },
    more: { strategy: { 'fail-fast': true } },
    played: {
      jobs: { a: 'failure', d: 'cancelled', 'a/b': 'failure', 'a/c': 'success' },
      ran: ['hang', 'fail', 'x', 'y'],
      ends: FAILED,
    },
  },
  'A bundle takes longer than its timeout-minutes': {
    jobs: {
      a: bundle(
        { b: job(['hang', step('x', 'always()')]), c: job(['y'], { needs: 'b' }) },
        { 'timeout-minutes': 1 },
      ),
      d: job(['z']),
    },
    meanwhile: { hang: minute(1) },
    played: {
      jobs: { a: 'cancelled', d: 'success', 'a/b': 'cancelled', 'a/c': 'cancelled' },
      ran: ['z', 'hang', 'x'],
      ends: FAILED,
    },
  },
  'A bundle takes longer than its timeout-minutes, and has continue-on-error': {
    jobs: {
      a: bundle(
        { b: job(['hang']), c: job(['x'], { needs: 'b' }) },
        { 'timeout-minutes': 1, 'continue-on-error': true },
      ),
      d: job(['y ${{ needs.a.result }}'], { needs: 'a' }),
    },
    meanwhile: { hang: minute(1) },
    played: {
      jobs: { a: 'success', d: 'success', 'a/b': 'cancelled', 'a/c': 'cancelled' },
      ran: ['hang', 'y success'],
      ends: DONE,
    },
  },
  'A job takes longer than its timeout-minutes in a bundle that has continue-on-error': {
    jobs: {
      a: bundle({ b: job(['hang'], { 'timeout-minutes': 1 }) }, { 'continue-on-error': true }),
      c: job(['x'], { needs: 'a' }),
    },
    meanwhile: { hang: minute(1) },
    played: {
      jobs: { a: 'success', c: 'success', 'a/b': 'cancelled' },
      ran: ['hang', 'x'],
      ends: DONE,
    },
  },
  'The run is cancelled while a bundle runs': {
    jobs: {
      a: bundle({
        b: job(['hang', step('x', 'always()')]),
        c: job(['y'], { needs: 'b' }),
        d: job(['z'], { needs: 'b', if: 'always()' }),
      }),
    },
    meanwhile: { hang: cancel() },
    played: {
      jobs: { a: 'cancelled', 'a/b': 'cancelled', 'a/c': 'cancelled', 'a/d': 'success' },
      ran: ['hang', 'x', 'z'],
      ends: CANCELED,
    },
  },
  'The run is cancelled, and the if of a bundle that waits is always()': {
    jobs: {
      a: job(['hang']),
      b: bundle(
        { c: job(['x']), d: job(['y'], { needs: 'c' }), e: job(['z'], { if: 'cancelled()' }) },
        { needs: 'a', if: 'always()' },
      ),
    },
    meanwhile: { hang: cancel() },
    played: {
      jobs: { a: 'cancelled', b: 'success', 'b/c': 'success', 'b/d': 'success', 'b/e': 'skipped' },
      ran: ['hang', 'x', 'y'],
      ends: CANCELED,
    },
  },
  'A job of a matrix fails': {
    jobs: {
      a: matrix([FIRST_FAILS, step('clean ${{ matrix.m }}', 'always()')]),
      b: job(['z'], { needs: 'a' }),
    },
    played: {
      jobs: { a: 'failure', b: 'skipped', 'a/a-x': 'failure', 'a/a-y': 'cancelled' },
      ran: ['fail x', 'hang y', 'clean x', 'clean y'],
      ends: FAILED,
    },
  },
  'A job of a matrix fails, and fail-fast is false': {
    jobs: {
      a: matrix(["${{ matrix.m == 'x' && 'fail' || 'ok' }}"], { strategy: { 'fail-fast': false } }),
    },
    played: {
      jobs: { a: 'failure', 'a/a-x': 'failure', 'a/a-y': 'success' },
      ran: ['fail', 'ok'],
      ends: FAILED,
    },
  },
  'A job of a matrix fails that has continue-on-error': {
    jobs: {
      a: matrix(["${{ matrix.m == 'x' && 'fail' || 'ok' }}"], {
        'continue-on-error': "${{ matrix.m == 'x' }}",
      }),
    },
    played: {
      jobs: { a: 'success', 'a/a-x': 'success', 'a/a-y': 'success' },
      ran: ['fail', 'ok'],
      ends: DONE,
    },
  },
  'A job of a matrix takes longer than its timeout-minutes': {
    jobs: {
      a: matrix(['hang ${{ matrix.m }}'], {
        'timeout-minutes': 1,
        strategy: { 'max-parallel': 1 },
      }),
    },
    meanwhile: { 'hang x': minute(1) },
    played: {
      jobs: { a: 'cancelled', 'a/a-x': 'cancelled', 'a/a-y': 'cancelled' },
      ran: ['hang x'],
      ends: FAILED,
    },
  },
  'A job of a matrix takes longer than its timeout-minutes, and has continue-on-error': {
    jobs: {
      a: matrix(
        ['hang ${{ matrix.m }}'],
        {
          'timeout-minutes': 1,
          'continue-on-error': "${{ matrix.m == 'x' }}",
          strategy: { 'max-parallel': 1 },
        },
        ['x'],
      ),
      b: job(['z'], { needs: 'a' }),
    },
    meanwhile: { 'hang x': minute(1) },
    played: {
      jobs: { a: 'success', b: 'success', 'a/a-x': 'success' },
      ran: ['hang x', 'z'],
      ends: DONE,
    },
  },
  'A matrix has no combination': {
    jobs: {
      a: job(['x'], { strategy: { matrix: { m: "${{ fromJSON('[]') }}" } } }),
      b: job(['hang']),
    },
    played: { jobs: { a: 'cancelled', b: 'cancelled' }, ran: [], ends: FAILED },
  },
  'A generator gives jobs that are not valid': {
    jobs: { a: { generator: 'a/b' }, b: job(['hang', step('x', 'always()')]) },
    meanwhile: { a: generate('a', { c: job(['y'], { needs: 'nobody' }) }) },
    played: { jobs: { a: 'cancelled', b: 'cancelled' }, ran: [], ends: FAILED },
  },
  'A generator gives no answer within the timeout-minutes of its job': {
    jobs: { a: { generator: 'a/b', 'timeout-minutes': 1 }, b: job(['x']) },
    meanwhile: { a: minute(1) },
    played: { jobs: { a: 'failure', b: 'success' }, ran: ['x'], ends: FAILED },
  },
  'A job of a generator fails': {
    jobs: { a: { generator: 'a/b' }, b: job(['x'], { needs: 'a' }) },
    meanwhile: { a: generate('a', { c: job(['fail']), d: job(['y']) }) },
    played: {
      jobs: { a: 'failure', b: 'skipped', 'a/c': 'failure', 'a/d': 'success' },
      ran: ['fail', 'y'],
      ends: FAILED,
    },
  },
  'A job of a called workflow fails': {
    jobs: { a: { uses: './f' }, b: job(['x'], { needs: 'a', if: 'failure()' }) },
    more: { metadata: { annotations: { 'tutti.files': { f: 'f' } } } },
    meanwhile: {
      a: generate(
        'a',
        { c: job(['fail']) },
        { metadata: { 'tutti.uses': { file: 'f', blob: 'f' }, 'tutti.called': { name: 'f' } } },
      ),
    },
    played: {
      jobs: { a: 'failure', b: 'success', 'a/c': 'failure' },
      ran: ['fail', 'x'],
      ends: FAILED,
    },
  },
  'A called workflow in a repository cannot be fetched, or is not valid': {
    jobs: { a: { uses: 'https://example.org/a.git/f' }, b: job(['x']) },
    meanwhile: { 'call a/.download_job_a': answer('a/.download_job_a', [{ run: 'fail' }]) },
    played: {
      jobs: { a: 'failure', b: 'success', 'a/.download_job_a': 'failure' },
      ran: ['x', 'fail'],
      ends: FAILED,
    },
  },
};

/** A function cannot be called by a script, so its answer waits for the job. */
const FUNCTION = answer('a', [
  { id: 'n0', run: 'fail' },
  { id: 'n1', ...step('y', 'always()') },
]);

test.each(Object.entries(rows))('%s', (_, { jobs, more = {}, meanwhile = {}, played }) => {
  expect(play(workflow(jobs, more), { 'call a': FUNCTION, ...meanwhile })).toEqual(played);
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Jobs that run again when a run, or some of its jobs, are rerun. */
import type { WorkflowJob, WorkflowManifest } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { evolve } from './evolve.ts';
import { markOf } from './rerun.ts';
import { emptyRun } from './run.ts';
import { takenOver } from './taken-over.ts';
import { given } from './testing/given.ts';
import {
  bundle,
  cancel,
  generate,
  type Happening,
  job,
  uploaded,
  workflow,
} from './testing/inputs.ts';
import { play, playOut } from './testing/play.ts';

type Jobs = WorkflowManifest['jobs'];

const matrix = (steps: readonly string[], values: unknown, more: Partial<WorkflowJob> = {}) =>
  job(steps, { ...more, strategy: { matrix: { m: values as string[] }, 'fail-fast': false } });
const needing = (...needs: string[]): Partial<WorkflowJob> => ({ needs });

describe('a rerun of chosen jobs', () => {
  const jobs: Jobs = {
    build: job(['b']),
    lint: job(['l']),
    test: job(['t ${{ needs.build.result }}'], { needs: 'build' }),
    report: job(['r'], { needs: ['test', 'lint'], if: 'always()' }),
  };

  test.each<[asked: string[], ran: string[], skipped: string[]]>([
    [['build'], ['b'], ['lint', 'test', 'report']],
    [['test'], ['b', 't success'], ['lint', 'report']],
    [['lint', 'test'], ['b', 'l', 't success'], ['report']],
    [['report'], ['b', 'l', 't success', 'r'], []],
  ])('%j run with what they need', (asked, ran, skipped) => {
    const metadata = { annotations: { 'tutti.jobs': asked } };
    const played = play(workflow(jobs, { metadata }));
    const skippedJobs = Object.entries(played.jobs).filter(([, result]) => result === 'skipped');
    expect(skippedJobs.map(([name]) => name)).toEqual(skipped);
    expect([played.ran.toSorted(), played.ends]).toEqual([ran.toSorted(), 'DONE']);
  });
});

interface Scenario {
  readonly jobs: Jobs;
  /** Happenings by job, in the earlier run and in the later one. */
  readonly meanwhile?: Readonly<Record<string, Happening>>;
  readonly again?: Readonly<Record<string, Happening>>;
  /** Scripts that run in the later one. */
  readonly ran: readonly string[];
  readonly jobsAfter?: Readonly<Record<string, string>>;
}

/** A script that fails in the earlier run and succeeds in the later one. */
const FAILS = '${{ variables.does }}';
const begin = (jobs: Jobs, does: string, metadata: Readonly<Record<string, unknown>> = {}) =>
  workflow(jobs, { variables: { does }, metadata });

/** The later run, which runs the rest of an earlier one. */
function rerun({ jobs, meanwhile = {}, again = {} }: Omit<Scenario, 'ran'>, does = 'mended') {
  const { run } = playOut(begin(jobs, 'fail'), meanwhile);
  // As the log has it.
  const metadata = JSON.parse(JSON.stringify(takenOver(run).metadata));
  const begun = begin(jobs, does, metadata);
  return { played: play(begun, again), ...playOut(begun, again) };
}

const generated = (jobs: Jobs) => ({ g: generate('g', jobs) });
const UUID = '00000000-0000-4000-8000-00000000000';

const rows: Readonly<Record<string, Scenario>> = {
  'what succeeded does not, and gives its outputs to what does': {
    jobs: {
      a: job([{ run: 'a' }], { outputs: { word: 'from a' } }),
      b: job([FAILS, 'b ${{ needs.a.outputs.word }} ${{ needs.a.result }}'], needing('a')),
    },
    ran: ['mended', 'b from a success'],
  },
  'what waited for a failure does': {
    jobs: { a: job([FAILS]), b: job(['b'], needing('a')), c: job(['c'], needing('b')) },
    ran: ['mended', 'b', 'c'],
  },
  'what ran after a failure is decided anew': {
    jobs: {
      a: job([FAILS]),
      onFailure: job(['f'], { needs: 'a', if: 'failure()' }),
      always: job(['w ${{ needs.a.result }}'], { needs: 'a', if: 'always()' }),
    },
    ran: ['mended', 'w success'],
    jobsAfter: { a: 'success', onFailure: 'skipped', always: 'success' },
  },
  'what was skipped by its own condition stays so': {
    jobs: {
      a: job(['a'], { if: 'false' }),
      b: job(['b'], { needs: 'a', if: 'always()' }),
      c: job([FAILS]),
    },
    ran: ['mended'],
    jobsAfter: { a: 'skipped', b: 'success', c: 'success' },
  },
  'a failure that counts as a success stays so': {
    jobs: { a: job(['fail'], { 'continue-on-error': true }), b: job([FAILS]) },
    ran: ['mended'],
  },
  'what was canceled does, and what was never begun': {
    jobs: { a: job(['a']), b: job(['hang'], needing('a')), c: job(['c'], needing('b')) },
    meanwhile: { hang: cancel() },
    again: { hang: cancel() },
    ran: ['hang'],
    jobsAfter: { a: 'success', b: 'cancelled', c: 'cancelled' },
  },
  'of a matrix the cells that failed do': {
    jobs: {
      a: matrix([`\${{ matrix.m == 'y' && variables.does || 'x' }} \${{ matrix.m }}`], ['x', 'y']),
      b: job(['b ${{ needs.a.result }}'], needing('a')),
    },
    ran: ['mended y', 'b success'],
  },
  'a matrix that succeeded is taken over as a whole': {
    jobs: { a: matrix(['x'], ['x', 'y']), b: job([FAILS], needing('a')) },
    ran: ['mended'],
    jobsAfter: { a: 'success', b: 'success' },
  },
  'of a matrix whose values come from what runs again all cells do': {
    jobs: {
      a: job([FAILS], { 'continue-on-error': '${{ false }}', outputs: { list: '["x"]' } }),
      b: { ...matrix(['b'], '${{ fromJSON(needs.a.outputs.list) }}'), needs: 'a', if: 'always()' },
    },
    ran: ['mended', 'b'],
  },
  'of jobs in a job those that failed do, with what needs them': {
    jobs: {
      a: bundle({
        x: job(['x'], { outputs: { o: 'of x' } }),
        y: job([FAILS], needing('x')),
        z: job(['z ${{ needs.x.outputs.o }}'], needing('x', 'y')),
      }),
    },
    ran: ['mended', 'z of x'],
  },
  'of generated jobs those that are the same and succeeded do not': {
    jobs: { g: { generator: 'org/gen@v1' } },
    meanwhile: generated({
      x: job([{ run: 'x', id: `${UUID}1` }]),
      y: job([FAILS]),
      w: job(['w']),
    }),
    again: generated({
      x: job([{ run: 'x', id: `${UUID}2` }]),
      y: job([FAILS]),
      w: job(['another w']),
    }),
    ran: ['mended', 'another w'],
  },
};

describe('a rerun of the rest of a run', () => {
  test('a job that is given another value is another job, also where that is named like an id', () => {
    const marks = [1, 2].map((number) => {
      const x = job([{ uses: 'a/b@v1', with: { id: `${UUID}${number}` } }]);
      const { run } = given(workflow({ x }));
      const begun = run.jobs.get('x');
      return begun === undefined ? null : markOf(run, begun);
    });
    expect(new Set(marks).size).toBe(2);
  });

  test.each(Object.entries(rows))('%s', (_, { ran, jobsAfter, ...scenario }) => {
    const { played } = rerun(scenario);
    expect(played.ran).toEqual(ran);
    if (jobsAfter !== undefined) expect(played.jobs).toEqual(jobsAfter);
  });

  const jobs = { a: job(['a'], { outputs: { o: 'x' } }), b: job([FAILS]) };

  test('the end of a job that is taken over says from where, in its log and as data', () => {
    const { log } = rerun({ jobs });
    expect(log[1]).toMatchObject({
      kind: 'Notification',
      spec: {
        'tutti.job': 'a',
        conclusion: 'success',
        'tutti.outputs': { o: 'x' },
        'tutti.taken-over': { workflow_id: 'workflow-1' },
        logs: ['Job "a" taken over from workflow workflow-1, where it succeeded.'],
      },
    });
  });

  test('a restart finds the same run in the log', () => {
    const { run, log } = rerun({ jobs });
    expect(JSON.parse(JSON.stringify(log)).reduce(evolve, emptyRun)).toEqual(run);
  });

  test('takes over again the results that the earlier run took over', () => {
    const { run } = rerun({ jobs }, 'fail');
    expect(run.phase).toBe('FAILED');
    expect(takenOver(run)).toMatchObject({
      metadata: { 'tutti.taken': { jobs: { a: { result: 'success', outputs: { o: 'x' } } } } },
      isAll: false,
    });
  });

  test('takes over artifacts, except those of jobs that run again', () => {
    const wid = 'workflow-1';
    const path = (number: number) => `/tmp/${wid}-${UUID}${number}_WR_${UUID}${number}.txt`;
    const { run } = playOut(begin({ a: job(['a']), b: job([FAILS]) }, 'fail'), {
      a: uploaded('a', path(1)),
      fail: uploaded('b', path(2)),
    });
    expect(run.artifacts).toEqual([path(1), path(2)]);
    const { artifacts, metadata } = takenOver(run);
    expect(artifacts).toEqual([{ uuid: `${UUID}1`, name: `${UUID}1.txt` }]);
    expect(Object(metadata)['tutti.taken'].jobs.a?.artifacts).toEqual([`${UUID}1`]);
  });

  test('masks the texts that the earlier run masks', () => {
    const { run } = playOut(workflow({ a: job([FAILS]) }, { secrets: { S: 'hidden' } }));
    expect(takenOver(run).metadata).toMatchObject({ 'tutti.masks': ['hidden'] });
  });

  test('nothing is left of one that succeeded', () => {
    expect(takenOver(rerun({ jobs }).run).isAll).toBe(true);
  });
});

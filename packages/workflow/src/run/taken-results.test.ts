/** Test results of earlier runs that a run shows beside its own. */
import type { WorkflowId, WorkflowManifest } from '@tutti/manifests';
import { expect, test } from 'vitest';
import type { Run } from './run.ts';
import { takenOver } from './taken-over.ts';
import { jobsWithin, takenResults } from './taken-results.ts';
import { bundle, generate, type Happening, job, workflow } from './testing/inputs.ts';
import { playOut } from './testing/play.ts';

type Jobs = WorkflowManifest['jobs'];

// biome-ignore lint/suspicious/noTemplateCurlyInString: expressions are written so.
const FAILS = '${{ variables.does }}';

/** A run in which `FAILS` fails, unless it is mended. The results it takes over are as the log has them. */
function runOf(jobs: Jobs, earlier: Run | null, does: string, happens: Happenings = {}): Run {
  const metadata = earlier === null ? {} : JSON.parse(JSON.stringify(takenOver(earlier).metadata));
  return playOut(workflow(jobs, { variables: { does }, metadata }), happens).run;
}

type Happenings = Readonly<Record<string, Happening>>;

const keysOf = (run: Run) => [...(takenResults(run)?.keys ?? [])];

test('a run that runs nothing again has no results of others', () => {
  expect(takenResults(runOf({ a: job(['a']) }, null, 'mended'))).toBeNull();
});

test('a run has the results of what it took over, but for what was skipped', () => {
  const jobs: Jobs = {
    a: job(['a']),
    left: job(['l'], { if: 'false' }),
    b: job([FAILS], { needs: 'a' }),
  };
  const first = runOf(jobs, null, 'fail');
  const second = runOf(jobs, first, 'mended');
  expect(takenResults(second)).toEqual({ from: first.workflowId, keys: new Set(['a']) });
  const { ids, names, keys, taken } = jobsWithin(first, new Set(['a']));
  expect([...ids]).toEqual([first.jobs.get('a')?.jobId]);
  expect([[...names], keys, taken]).toEqual([['a'], ['a'], null]);
});

test('the results of a bundle that was taken over are those of the jobs in it', () => {
  const jobs: Jobs = { all: bundle({ x: job(['x']), y: job(['y']) }), b: job([FAILS]) };
  const first = runOf(jobs, null, 'fail');
  expect(keysOf(runOf(jobs, first, 'mended'))).toEqual(['all']);
  const { ids, names } = jobsWithin(first, new Set(['all']));
  expect([...names]).toEqual(expect.arrayContaining(['x', 'y']));
  expect(ids.has(first.jobs.get('all/x')?.jobId ?? ('' as never))).toBe(true);
  expect(ids.has(first.jobs.get('b')?.jobId ?? ('' as never))).toBe(false);
});

test('a bundle that ran again in part has only the other part from the earlier run', () => {
  const jobs: Jobs = { all: bundle({ x: job(['x']), y: job([FAILS]) }) };
  const second = runOf(jobs, runOf(jobs, null, 'fail'), 'mended');
  expect(keysOf(second)).toEqual(['all/x']);
});

test('results that were taken over twice are those of the first run', () => {
  const jobs: Jobs = { a: job(['a']), b: job(['b ', FAILS]), c: job([FAILS], { needs: 'a' }) };
  const first = { ...runOf(jobs, null, 'fail'), workflowId: 'first' as WorkflowId };
  const second = { ...runOf(jobs, first, 'fail'), workflowId: 'second' as WorkflowId };
  const third = runOf(jobs, second, 'mended');
  expect(takenResults(third)).toEqual({ from: 'second', keys: new Set(['a']) });
  const within = jobsWithin(second, new Set(['a', 'b']));
  expect([within.keys, within.taken]).toEqual([['b'], { from: 'first', keys: new Set(['a']) }]);
});

test('a job that a generator gave in another way ran again, and is of no earlier run', () => {
  const jobs: Jobs = { g: { generator: 'org/gen@v1' } };
  const given = (script: string) => ({ g: generate('g', { a: job([script]), b: job([FAILS]) }) });
  const first = runOf(jobs, null, 'fail', given('a'));
  expect(keysOf(runOf(jobs, first, 'mended', given('a')))).toEqual(['g/a']);
  expect(takenResults(runOf(jobs, first, 'mended', given('other')))).toBeNull();
});

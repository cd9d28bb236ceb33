import type { Variables } from '@tutti/manifests';
import { emptyRun, type Job, type Run } from '@tutti/workflow';
import { expect, test } from 'vitest';
import { JOB_VARIABLES_LIMITS, shownVariables } from './job-variables.ts';

/** A run with this number of jobs, and one of them. */
function runOf(count: number, ofWorkflow: Variables, ofJob: Variables): [Run, Job] {
  const definition = { 'runs-on': 'linux', steps: [], variables: ofJob };
  // The fields that the function reads.
  const job = { key: 'job', definition, bundle: null, parent: null } as unknown as Job;
  const jobs = new Map(Array.from({ length: count }, (_, index) => [`job ${index}`, job]));
  const manifest = { ...emptyRun.manifest, variables: ofWorkflow };
  return [{ ...emptyRun, manifest, jobs }, job];
}

test('a job shows its variables over those of the workflow', () => {
  const [run, job] = runOf(2, { A: '1', B: { value: '2', verbatim: true } }, { A: 'own' });
  expect(shownVariables(run, job)).toEqual({ A: 'own', B: '2' });
});

test('each of many jobs leaves out levels beyond its share, from the workflow on', () => {
  const length = JOB_VARIABLES_LIMITS.length / 1024;
  const long = { LONG: 'x'.repeat(length - 6) };
  expect(shownVariables(...runOf(1024, long, { B: '1' }))).toEqual({ ...long, B: '1' });
  expect(shownVariables(...runOf(1024, long, { BB: '12' }))).toEqual({ BB: '12' });
  expect(shownVariables(...runOf(1024, { A: '1' }, { ...long, BB: '12' }))).toEqual({});
  expect(shownVariables(...runOf(1, long, { ...long, BB: '12' }))).toEqual({ ...long, BB: '12' });
});

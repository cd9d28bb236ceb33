// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Jobs that a generator gives: held to the rules of workflows, as far as these jobs alone tell. */
import { formatProblem } from '@tutti/manifests/documents';
import * as ajv from 'ajv/dist/2019.js';
import { expect, test } from 'vitest';
import { createJobsCheck } from './workflow-problems.ts';

const check = createJobsCheck(() => ajv);
const problemsOf = (jobs: unknown) => check(jobs).map(formatProblem);
const steps = [{ run: 'x' }];

test('all kinds of mistakes in generated jobs are told at once', () => {
  const jobs = {
    a: { 'run-on': 'linux', steps },
    b: { needs: 'c', steps: [{ run: '${{ nobody }} ${{ steps.none.outcome }}' }] },
  };
  expect(problemsOf(jobs)).toEqual([
    'jobs.a: unknown key "run-on", did you mean "runs-on"?',
    'jobs.b.needs: Job "b" has a dependency on job "c" which does not exist.',
    'jobs.b.steps[0].run: unknown context "nobody"',
    'jobs.b.steps[0].run: no step before this one has the id "none"',
  ]);
  expect(problemsOf({ b: jobs.b })).toHaveLength(3);
  expect(problemsOf({})).toEqual(['jobs: must not be empty']);
});

test('what generated jobs read and call of the run is for the run to know', () => {
  const run = '${{ inputs.any }} ${{ secrets.ANY }} ${{ resources.files.any }}';
  const jobs = {
    a: { steps: [{ run }] },
    b: { needs: 'a', uses: './any.yaml' },
    c: { uses: '${{ resources.repositories.any }}/x.yaml' },
  };
  expect(problemsOf(jobs)).toEqual([]);
});

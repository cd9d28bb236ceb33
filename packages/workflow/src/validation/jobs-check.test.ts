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

test('names of the run that generated jobs read or call are left to the run', () => {
  const run = '${{ inputs.any }} ${{ secrets.ANY }} ${{ resources.files.any }}';
  const jobs = {
    a: { steps: [{ run }] },
    b: { needs: 'a', uses: './any.yaml' },
    c: { uses: '${{ resources.repositories.any }}/x.yaml' },
  };
  expect(problemsOf(jobs)).toEqual([]);
});

test('outputs beside generated jobs speak of these jobs, and of what they give', () => {
  const jobs = {
    a: { steps, outputs: { o: 'x' } },
    b: { generator: 'any/plan@v1' },
  };
  const outputs = {
    fits: '${{ jobs.a.outputs.o }} ${{ jobs.b.outputs.any }} ${{ inputs.any }}',
    described: { description: 'd', value: '${{ jobs.a.outputs.p }}' },
    gone: '${{ jobs.g1.outputs.o }}',
    outside: '${{ needs.x.result }}',
    broken: '${{ jobs.a',
    number: 1,
    list: ['${{ nobody }}'],
    'a b': 'x',
    '1': '${{ jobs.a.outputs.p }}',
  };
  const actual = check(jobs, outputs).map(formatProblem);
  expect(actual).toEqual([
    'outputs.1: job "a" has no output "p", so this is empty',
    'outputs.described.value: job "a" has no output "p", so this is empty',
    'outputs.gone: there is no job "g1" here',
    expect.stringMatching(/^outputs\.outside: the context "needs" cannot be used here/),
    expect.stringMatching(/^outputs\.broken: /),
  ]);
  const { fits, number, list } = outputs;
  expect(check(jobs, { fits, number, list })).toEqual([]);
  expect(check({ a: { ...jobs.a, 'run-on': 'x' } }, outputs).map(formatProblem)).toEqual([
    'jobs.a: unknown key "run-on", did you mean "runs-on"?',
    actual[0],
    expect.stringContaining('outputs.fits'),
    ...actual.slice(1),
  ]);
});

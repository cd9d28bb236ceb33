/** The budget for all expressions of one decision. It counts steps, so it is the same on every machine. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import type { WorkflowJob } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { DECISION_STEPS_MAX } from './evaluation.ts';
import { given } from './testing/given.ts';
import { type Happening, job, offer, workflow } from './testing/inputs.ts';

/** A search in it takes more than half a million steps. */
const TEXT = 'ab'.repeat(8000);
const COSTLY = "variables.TEXT ~= 'a*c' || variables.TEXT ~= 'a*c'";
const COUNT = 200;

const withText = (jobs: Readonly<Record<string, WorkflowJob>>): Happening =>
  workflow(jobs, { variables: { TEXT } });

const many = (each: WorkflowJob): Readonly<Record<string, WorkflowJob>> =>
  Object.fromEntries(Array.from({ length: COUNT }, (_, index) => [`j${index}`, each]));

const errorOf = (happening: Happening, ...before: readonly Happening[]): string => {
  const { decision, events, run } = given(...before).when(happening);
  expect(run.phase).not.toBe('DONE');
  if (decision.outcome === 'refused') throw new Error(decision.why);
  // The expression that meets the bound may go beyond it, but no more than one may.
  expect(decision.steps).toBeLessThan(DECISION_STEPS_MAX + 6_000_000);
  const error = events.find(({ kind }) => kind === 'ExecutionError');
  return error?.kind === 'ExecutionError' ? error.details.error : 'no error';
};

const TOO_MUCH =
  'too much is evaluated at one time (let fewer jobs begin, or fewer steps be skipped, together, or look at shorter texts)';

test.each<[what: string, each: WorkflowJob]>([
  ['conditions of jobs', job(['x'], { if: `(${COSTLY}) && false` })],
  ['tags', job(['x'], { 'runs-on': `\${{ (${COSTLY}) && 'a' || 'b' }}` })],
  ['groups', job(['x'], { concurrency: { group: `g-\${{ ${COSTLY} }}` } })],
  ['variables', job(['x'], { if: 'variables.V', variables: { V: `\${{ ${COSTLY} }}` } })],
  ['matrices', job(['x'], { strategy: { matrix: { a: [`\${{ ${COSTLY} }}`] } } })],
])('%s that cost too much together end the run', (_what, each) => {
  expect(errorOf(withText(many(each)))).toContain(TOO_MUCH);
});

test('conditions of steps that are skipped one after the other count together', () => {
  const steps = Array.from({ length: COUNT }, () => ({ run: 'x', if: `(${COSTLY}) && false` }));
  const error = errorOf(offer('a'), withText({ a: job(steps) }));
  expect(error).toContain(TOO_MUCH);
});

test('a decision says what it cost, and groups that are remembered cost again', () => {
  const each = job(['x'], { concurrency: { group: `g-\${{ ${COSTLY} }}` } });
  const stepsOf = ({ decision }: ReturnType<ReturnType<typeof given>['when']>) =>
    decision.outcome === 'accepted' ? decision.steps : null;
  const begin = withText({ a: each });
  expect(stepsOf(given().when(begin))).toBe(stepsOf(given().when(begin)));
  expect(stepsOf(given().when(begin))).toBeGreaterThan(1_000_000);
});

test('cheap expressions may be evaluated for as many jobs as a run may have', () => {
  const each = job(['x'], {
    if: "variables.STAGE == 'test' && startsWith(inputs.target, 's')",
    'runs-on': ['linux', "${{ variables.STAGE == 'test' && 'a' || 'b' }}"],
    variables: { NAME: '${{ opentf.workflow }}-${{ variables.STAGE }}' },
    concurrency: { group: 'g-${{ variables.NAME }}' },
  });
  const jobs = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`j${at}`, each]));
  const inputs = { metadata: { annotations: { 'tutti.inputs': { target: 'staging' } } } };
  const { decision } = given().when(workflow(jobs, { variables: { STAGE: 'test' }, ...inputs }));
  if (decision.outcome === 'refused') throw new Error(decision.why);
  expect(decision.events.some(({ kind }) => kind === 'ExecutionError')).toBe(false);
  expect(decision.steps).toBeGreaterThan(1_000_000);
  expect(decision.steps).toBeLessThan(DECISION_STEPS_MAX / 2);
});

describe('thousands of variables', () => {
  const COUNT_OF_VARIABLES = 5000;
  const plain = Object.fromEntries(
    Array.from({ length: COUNT_OF_VARIABLES }, (_, at) => [`V${at}`, 'x']),
  );
  const jobs = many(job(['x'], { if: "variables.V1 == 'y'" }));

  test('cost nothing where they are as they are written', () => {
    const { decision, run } = given().when(workflow(jobs, { variables: plain }));
    if (decision.outcome === 'refused') throw new Error(decision.why);
    expect(run.phase).toBe('DONE');
    expect(decision.steps).toBeLessThan(COUNT_OF_VARIABLES * COUNT);
  });

  test('count for each job where one of them is evaluated', () => {
    const variables = { ...plain, NAME: '${{ opentf.job }}' };
    expect(errorOf(workflow(jobs, { variables }))).toContain(TOO_MUCH);
  });
});

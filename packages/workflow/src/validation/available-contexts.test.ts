/** Compares the contexts that the check knows with the contexts of a real run. */
import type { Scope } from '@tutti/expressions';
import { expect, test } from 'vitest';
import {
  bundleScope,
  jobScope,
  outerScope,
  workflowOutputScope,
  workflowScope,
} from '../run/contexts.ts';
import { createDecisionBudget } from '../run/evaluation.ts';
import { given } from '../run/testing/given.ts';
import { bundle, job, offer, workflow } from '../run/testing/inputs.ts';
import { PART_RULES, rulesOf } from './available-contexts.ts';

const t = job(['x'], { strategy: { matrix: { os: ['a'] } } });
const inMatrix = bundle({ d: job(['x']) }, { strategy: { matrix: { os: ['a'] } } });
const { run } = given(workflow({ t, b: bundle({ c: job(['x']) }), m: inMatrix }), offer('t/t-a'));
const jobAt = (key: string) => {
  const found = run.jobs.get(key);
  if (found === undefined) throw new Error(`There is no job ${key}.`);
  return found;
};

const budget = createDecisionBudget();

const BUNDLE_OUTPUTS = rulesOf({
  jobs: [{ name: 'b', job: { jobs: {} }, beside: {} }],
  part: 'job-outputs',
  stepIndex: null,
});

const IN_MATRIX = rulesOf({
  jobs: [
    { name: 'm', job: inMatrix, beside: {} },
    { name: 'd', job: {}, beside: {} },
  ],
  part: 'job-if',
  stepIndex: null,
});

test.each<[part: string, rules: typeof BUNDLE_OUTPUTS, scope: Scope, lacks: readonly string[]]>([
  ['the workflow', PART_RULES.workflow, workflowScope(run, budget), []],
  [
    'the outputs of the workflow',
    PART_RULES['workflow-outputs'],
    workflowOutputScope(run, budget),
    [],
  ],
  ['jobs', PART_RULES.job, jobScope(run, jobAt('t/t-a'), budget), []],
  ['conditions of jobs', PART_RULES['job-if'], jobScope(run, jobAt('b'), budget), []],
  ['conditions of jobs in a matrix', IN_MATRIX, jobScope(run, jobAt('m/m-a/d'), budget), []],
  ['outputs of bundles', BUNDLE_OUTPUTS, bundleScope(run, jobAt('b'), budget), ['matrix']],
  ['steps', PART_RULES.step, outerScope(run, jobAt('t/t-a'), budget), []],
  ['defaults', PART_RULES.defaults, outerScope(run, jobAt('t/t-a'), budget), []],
  // Language 6.7: `variables`.
])('the contexts of %s are those of a run', (_, rules, scope, lacks) => {
  const wanted = (rules?.contexts ?? []).filter((name) => !lacks.includes(name));
  expect(Object.keys(scope.contexts).sort()).toEqual([...wanted].sort());
  expect(rules?.hasStatusFunctions).toBe(scope.functions !== undefined);
});

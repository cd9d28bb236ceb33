/** What a job has from the bundles around it, and from the workflow, where it says nothing itself. */
import { type EvaluationBudget, interpolate, type Scope } from '@tutti/expressions';
import { OrchestratorError, shownValue, type Variables } from '@tutti/manifests';
import { jobScope } from './contexts.ts';
import { bundlesAround, ownDefinition } from './job-tree.ts';
import type { Job, Run } from './run.ts';

/** Its own tags, then those of the bundles around it; each is evaluated where it is written. An expression may give a list. */
export function tagsOf(run: Run, job: Job, within: EvaluationBudget): readonly string[] {
  if (job.parent === null) return [...new Set(ownTagsOf(run, job, within))];
  const levels = [...bundlesAround(run, job), job].reverse();
  return [...new Set(levels.flatMap((level) => ownTagsOf(run, level, within)))];
}

function ownTagsOf(run: Run, job: Job, within: EvaluationBudget): readonly string[] {
  const tags = ownDefinition(job)['runs-on'];
  if (tags === undefined) return [];
  const scope = jobScope(run, job, within);
  return [tags].flat().flatMap((tag) => tagsFromText(tag, scope));
}

/** Those that one entry of `runs-on` gives; throws `Invalid`. */
export const tagsFromText = (text: string, scope: Scope): readonly string[] =>
  [interpolate(text.trim(), scope)].flat().map(checkedTag);

const TAG = /^[a-zA-Z][a-zA-Z0-9-]*$/;

/** What an expression gives is checked here: no environment has such a tag, and the job would wait until its time is over. */
function checkedTag(value: unknown): string {
  if (typeof value === 'string' && TAG.test(value)) return value;
  throw new OrchestratorError('Invalid', `"runs-on" gives no tag, but ${shownValue(value)}.`);
}

type RunDefaults = { readonly shell?: string; readonly 'working-directory'?: string };

/**
 * Shell and working directory of `run` steps, the most specific ones. A called workflow was written without those of who calls it:
 * what counts begins with the job that calls.
 */
export function defaultsOf(run: Run, job: Job): RunDefaults {
  const around = [...bundlesAround(run, job), job];
  const caller = around.findLastIndex(({ bundle }) => (bundle?.called ?? null) !== null);
  const levels = around
    .slice(Math.max(0, caller))
    .flatMap((level) => [ownDefinition(level).defaults, level.bundle?.called?.defaults]);
  const ofWorkflow = caller < 0 ? run.manifest.defaults?.run : undefined;
  return Object.assign({}, ofWorkflow, ...levels.map((level) => level?.run));
}

/** The variables of the workflow, of the bundles around a job and of the job, as they are written; later ones win. */
export function variableLevels(run: Run, job: Job): readonly (Variables | undefined)[] {
  const levels = [...bundlesAround(run, job), job];
  return [
    run.manifest.variables,
    ...levels.flatMap((level) => [ownDefinition(level).variables, level.bundle?.called?.variables]),
  ];
}

/** What came about tests with a job: with the jobs of the innermost generator around it, else with the workflow. */
export function managedTestsOf(run: Run, job: Job): unknown {
  const generators = bundlesAround(run, job).filter(
    (each) => each.bundle?.category === 'generator',
  );
  return generators.at(-1)?.bundle?.managedTests ?? run.manifest.metadata.managedTests;
}

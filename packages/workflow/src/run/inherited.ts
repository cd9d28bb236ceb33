/** Settings that a job inherits from the bundles around it, and from the workflow, where it has none itself. */
import { type EvaluationBudget, interpolate, OPENING, type Scope } from '@tutti/expressions';
import { OrchestratorError, shownValue, type Variables } from '@tutti/manifests';
import { jobScope } from './contexts.ts';
import { bundlesAround, ownDefinition } from './job-tree.ts';
import type { Job, Run } from './run.ts';

/** Tags of the job, then those of the bundles around it; each is evaluated where it is written. An expression may give a list. */
export function tagsOf(run: Run, job: Job, within: EvaluationBudget): readonly string[] {
  const tags = tagLevels(run, job).flatMap(({ level, written }) => {
    // Making a scope takes longer than reading plain tags.
    if (!written.some((text) => text.includes(OPENING))) {
      return written.map((text) => checkedTag(text.trim()));
    }
    const scope = jobScope(run, level, within);
    return written.flatMap((text) => tagsFromText(text, scope));
  });
  return [...new Set(tags)];
}

/** A job, or a bundle around it, with the tags that are written for it. */
export interface TagLevel {
  readonly level: Job;
  readonly written: readonly string[];
}

/**
 * The tags of the job first, then of the bundles around it. Tags of a workflow, also of a called one, count only where nothing in it has
 * tags. Together they could ask for an environment that does not exist.
 */
export function tagLevels(run: Run, job: Job): readonly TagLevel[] {
  const levels: TagLevel[] = [];
  let inherited = run.manifest.defaults?.['runs-on'];
  let isTagged = false;
  for (const level of [...bundlesAround(run, job), job]) {
    const called = level === job ? null : (level.bundle?.called ?? null);
    const isLast = called !== null || (level === job && job.bundle === null);
    const own = (level === job ? level.definition : ownDefinition(level))['runs-on'];
    isTagged ||= own !== undefined;
    const written = own ?? (isLast && !isTagged ? inherited : undefined);
    if (written !== undefined) levels.push({ level, written: [written].flat() });
    if (called !== null) {
      inherited = called.defaults['runs-on'];
      isTagged = false;
    }
  }
  return levels.reverse();
}

/** Tags that one entry of `runs-on` gives; throws `Invalid`. */
export const tagsFromText = (text: string, scope: Scope): readonly string[] =>
  [interpolate(text.trim(), scope)].flat().map(checkedTag);

const TAG = /^[a-zA-Z][a-zA-Z0-9-]*$/;

/** Checks the value of an expression. No environment has a malformed tag, so the job would wait until its time is over. */
function checkedTag(value: unknown): string {
  if (typeof value === 'string' && TAG.test(value)) return value;
  throw new OrchestratorError('Invalid', `"runs-on" gives no tag, but ${shownValue(value)}.`);
}

type RunDefaults = { readonly shell?: string; readonly 'working-directory'?: string };

/**
 * Shell and working directory of `run` steps, the most specific ones. A called workflow does not see the defaults of its caller: only those
 * from the calling job inwards count.
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

/** The variables of the workflow, of the bundles around a job and of the job, as they are written. Later ones win. */
export function variableLevels(run: Run, job: Job): readonly (Variables | undefined)[] {
  const levels = [...bundlesAround(run, job), job];
  return [
    run.manifest.variables,
    ...levels.flatMap((level) => [ownDefinition(level).variables, level.bundle?.called?.variables]),
  ];
}

/** Test data that came with a job: with the jobs of the innermost generator around it, else with the workflow. */
export function managedTestsOf(run: Run, job: Job): unknown {
  const generators = bundlesAround(run, job).filter(
    (each) => each.bundle?.category === 'generator',
  );
  return generators.at(-1)?.bundle?.managedTests ?? run.manifest.metadata.managedTests;
}

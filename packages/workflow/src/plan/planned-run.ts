/** A run of a workflow that has only begun. Its bundles are expanded as far as they are known before anything runs. */
import {
  apiVersionOf,
  DEFAULT_API_GROUP,
  evaluateInputs,
  formatTimestamp,
  type InputValues,
  type StepId,
  type WorkflowEvent,
  type WorkflowId,
  type WorkflowManifest,
} from '@tutti/manifests';
import { annotationEntries } from '../facts/encode.ts';
import { calledText } from '../run/calls.ts';
import { jobScope } from '../run/contexts.ts';
import { attempt, createDecisionBudget } from '../run/evaluation.ts';
import { type BudgetedContext, RunEvents } from '../run/events.ts';
import { evolve } from '../run/evolve.ts';
import { expansionOf } from '../run/expansion.ts';
import { withStepIds } from '../run/generated-jobs.ts';
import { emptyRun, type Job, type Run } from '../run/run.ts';
import { isKnown, type KnownValues } from './known-values.ts';

/** Values that a run would be started with. */
export interface PlanStart {
  readonly variables?: Readonly<Record<string, string>>;
  readonly inputs?: InputValues;
  readonly namespace?: string | undefined;
}

export interface PlannedRun {
  readonly run: Run;
  readonly known: KnownValues;
  /** Why a bundle has no jobs yet, by its key. */
  readonly openBundles: ReadonlyMap<string, string>;
  /** Why it never gets any: the error that ends the run there. */
  readonly wrongBundles: ReadonlyMap<string, string>;
}

/** Plays a run of a valid manifest for its plan. Throws `Invalid` for inputs that do not fit. */
export function plannedRun(manifest: WorkflowManifest, start: PlanStart): PlannedRun {
  const { inputs, openInputs } = inputsOf(manifest, start.inputs ?? {});
  const begun = evolve(emptyRun, workflowEvent(manifest, start, inputs));
  return expanded(begun, { openInputs });
}

/** A required input without a value stays open: whoever plans may not know it yet. */
function inputsOf({ inputs: declared = {} }: WorkflowManifest, given: InputValues) {
  const isGiven = (name: string) =>
    Object.hasOwn(given, name) || Object.hasOwn(given, name.replaceAll('-', '_'));
  const open = Object.entries(declared).filter(
    ([name, { required }]) => required === true && !isGiven(name),
  );
  const openInputs = new Set(open.map(([name]) => name));
  const lenient = Object.entries(declared).map(([name, declaration]) => [
    name,
    openInputs.has(name) ? { ...declaration, required: false } : declaration,
  ]);
  return { inputs: evaluateInputs(Object.fromEntries(lenient), given), openInputs };
}

/** Ids and times that no part of a plan shows. */
const CONTEXT_AT = formatTimestamp(0);

/** Each evaluation of the plan may cost as much as one decision. */
function contextOf(): BudgetedContext {
  let count = 0;
  return {
    at: CONTEXT_AT,
    newId() {
      count += 1;
      return `planned-${count}`;
    },
    get budget() {
      return createDecisionBudget();
    },
  };
}

function workflowEvent(
  manifest: WorkflowManifest,
  { variables = {}, namespace }: PlanStart,
  inputs: InputValues,
): WorkflowEvent {
  const { newId } = contextOf();
  return {
    ...manifest,
    apiVersion: apiVersionOf(DEFAULT_API_GROUP, 'Workflow'),
    kind: 'Workflow',
    metadata: {
      name: manifest.metadata.name,
      namespace: namespace ?? manifest.metadata.namespace ?? 'default',
      workflow_id: newId() as WorkflowId,
      creationTimestamp: CONTEXT_AT,
      annotations: annotationEntries({ inputs }),
    },
    variables: { ...manifest.variables, ...variables },
    jobs: withStepIds(manifest.jobs, () => newId() as StepId),
  };
}

function expanded(begun: Run, known: KnownValues): PlannedRun {
  const context = contextOf();
  const openBundles = new Map<string, string>();
  const wrongBundles = new Map<string, string>();
  let run = begun;
  // Jobs of bundles are appended, so that those that are bundles themselves are reached, too.
  for (const key of keysInTurn(() => run)) {
    const job = run.jobs.get(key);
    if (job === undefined || job.bundle === null) continue;
    const open = whyOpen(run, job, known);
    if (open !== null) {
      openBundles.set(key, open);
      continue;
    }
    const planned = withoutOpenSettings(run, job, known);
    const expansion = expansionOf(run, planned, new RunEvents(run, context));
    if (expansion.ok) run = evolve(run, expansion.value);
    else wrongBundles.set(key, expansion.error);
  }
  return { run, known, openBundles, wrongBundles };
}

function* keysInTurn(current: () => Run): Generator<string> {
  const seen = new Set<string>();
  for (let isMore = true; isMore; ) {
    const fresh = [...current().jobs.keys()].filter((key) => !seen.has(key));
    isMore = fresh.length > 0;
    for (const key of fresh) {
      seen.add(key);
      yield key;
    }
  }
}

/** Drops limits of a bundle that only the run knows. A plan shows no limits, and the jobs do not depend on them. */
function withoutOpenSettings(run: Run, job: Job, known: KnownValues): Job {
  const { 'timeout-minutes': minutes, strategy = {}, ...definition } = job.definition;
  const { 'max-parallel': limit, 'fail-fast': failFast, matrix } = strategy;
  if (isKnown([minutes, limit, failFast], run, job, known)) return job;
  return {
    ...job,
    definition: { ...definition, ...(matrix === undefined ? {} : { strategy: { matrix } }) },
  };
}

/** Why nobody knows the jobs of a bundle before the run; null when they are known. */
function whyOpen(run: Run, job: Job, known: KnownValues): string | null {
  const { strategy, generator, uses, name } = job.definition;
  if (strategy?.matrix !== undefined) {
    return isKnown([strategy.matrix, name], run, job, known)
      ? null
      : 'its matrix depends on what is only known in the run';
  }
  if (uses !== undefined) return `the workflow ${usesOf(run, job, uses, known)} gives its jobs`;
  return generator === undefined ? null : `the generator ${generator} gives its jobs`;
}

/** Name of the called workflow, evaluated where that is possible; else as it is written. */
function usesOf(run: Run, job: Job, uses: string, known: KnownValues): string {
  if (!isKnown(uses, run, job, known)) return uses;
  const text = attempt('uses', () =>
    calledText(run, uses, jobScope(run, job, createDecisionBudget())),
  );
  return text.ok ? text.value : uses;
}

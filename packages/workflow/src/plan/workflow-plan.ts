/**
 * The plan of a workflow: jobs, steps and environments, as far as they are known before it runs. The code that expands bundles in a run
 * finds the jobs. Values that depend on results stay as they are written.
 */
import { interpolateText } from '@tutti/expressions';
import type { WorkflowManifest, WorkflowStep } from '@tutti/manifests';
import { jobScope, needsOf, statusFunctions } from '../run/contexts.ts';
import { attempt, condition, createDecisionBudget, type Evaluated } from '../run/evaluation.ts';
import { tagLevels, tagsFromText } from '../run/inherited.ts';
import { jobBeside, jobsOfBundle, jobsOfWorkflow } from '../run/job-tree.ts';
import type { BundleCategory, Job } from '../run/run.ts';
import { decidedCondition } from './decided-conditions.ts';
import {
  callsStatusFunction,
  isKnown,
  isKnownCondition,
  isKnownNode,
  speaksOfMatrix,
} from './known-values.ts';
import { errorOfJob, errorOfWorkflow } from './planned-errors.ts';
import { type PlannedRun, type PlanStart, plannedRun } from './planned-run.ts';

export interface WorkflowPlan {
  readonly name: string;
  readonly namespace: string;
  /** Inputs that a run must be given and the plan was not. */
  readonly openInputs: readonly string[];
  readonly jobs: readonly PlannedJob[];
  /** Why the run ends with an error as soon as it begins; null when it does not. */
  readonly error: string | null;
}

export interface PlannedJob {
  /** Unique in the plan: the names of the bundles around it and its own, joined by slashes. */
  readonly key: string;
  /** Name for readers. */
  readonly name: string;
  readonly kind: 'steps' | BundleCategory;
  /** The tags that its environment must have; of a bundle, what all of its jobs need. */
  readonly runsOn: readonly PlannedValue[];
  /** Keys of jobs beside it. */
  readonly needs: readonly string[];
  /** The condition as it is written; null when there is none. */
  readonly condition: string | null;
  /** Whether it runs if all goes well; null when that is only known in the run. */
  readonly runs: boolean | null;
  readonly steps: readonly PlannedStep[];
  /** Jobs of a bundle. */
  readonly jobs: readonly PlannedJob[];
  /** Why the jobs of a bundle are not known; null when they are. */
  readonly open: string | null;
  /**
   * Why the run ends with an error when the job should begin. Null if no error is known. Also null if the job does not begin when all goes
   * well, since then none of its expressions is evaluated.
   */
  readonly error: string | null;
}

export interface PlannedValue {
  /** The value, or the expression as it is written. */
  readonly text: string;
  readonly isKnown: boolean;
}

export interface PlannedStep {
  readonly name: string;
  /** The function; null for a script. */
  readonly uses: string | null;
  readonly condition: string | null;
}

/** The plan of a valid manifest. Throws `Invalid` for inputs that do not fit. */
export function planWorkflow(manifest: WorkflowManifest, start: PlanStart = {}): WorkflowPlan {
  const planned = plannedRun(manifest, start);
  const { run, known } = planned;
  const planner = new Planner(planned);
  return {
    name: run.name,
    namespace: run.namespace,
    openInputs: [...known.openInputs],
    jobs: planner.jobsOf(jobsOfWorkflow(run)),
    error: errorOfWorkflow(planned),
  };
}

/** Errors that end the run if all goes well until then. */
export function errorsOfPlan({
  jobs,
  error,
}: Pick<WorkflowPlan, 'jobs' | 'error'>): readonly string[] {
  const own = error === null ? [] : [error];
  return [...own, ...jobs.flatMap(errorsOfPlan)];
}

const ALL_WELL = statusFunctions('success');

class Planner {
  readonly #planned: PlannedRun;
  /** Results by key of the job, kept since many jobs may need one. */
  readonly #runs = new Map<string, boolean | null>();

  constructor(planned: PlannedRun) {
    this.#planned = planned;
  }

  /** `isReached`: false inside of a bundle that does not run. */
  jobsOf(jobs: readonly Job[], isReached = true): readonly PlannedJob[] {
    return jobs.map((job) => this.#jobOf(job, isReached));
  }

  #jobOf(job: Job, isReached: boolean): PlannedJob {
    const { run, openBundles } = this.#planned;
    const { definition, bundle } = job;
    const runs = this.#runsOf(job);
    const begins = isReached && runs !== false;
    return {
      key: job.key,
      name: job.name,
      kind: bundle?.category ?? 'steps',
      runsOn: tagsIn(this.#planned, job),
      needs: this.#needsOf(job).map(({ key }) => key),
      condition: definition.if ?? null,
      runs,
      steps: bundle === null ? this.#stepsOf(job) : [],
      jobs: this.jobsOf(jobsOfBundle(run, job), begins),
      open: openBundles.get(job.key) ?? (begins ? null : this.#openUnreached(job)),
      error: begins ? this.#errorOf(job) : null,
    };
  }

  #openUnreached({ key }: Job): string | null {
    return this.#planned.wrongBundles.has(key) ? 'it does not run, so it gets no jobs' : null;
  }

  #errorOf(job: Job): string | null {
    return this.#planned.wrongBundles.get(job.key) ?? errorOfJob(this.#planned, job);
  }

  #stepsOf(job: Job): readonly PlannedStep[] {
    return (job.definition.steps ?? []).map((step) => plannedStep(step, this.#planned, job));
  }

  #needsOf(job: Job): readonly Job[] {
    return needsOf(job).flatMap((name) => jobBeside(this.#planned.run, job, name) ?? []);
  }

  #runsOf(job: Job): boolean | null {
    const rule = this.#runs.get(job.key);
    if (rule !== undefined) return rule;
    const found = this.#decide(job);
    this.#runs.set(job.key, found);
    return found;
  }

  /** If all goes well, needed jobs that run have succeeded. */
  #decide(job: Job): boolean | null {
    const { run, known } = this.#planned;
    const text = job.definition.if;
    const isAsked = text !== undefined && callsStatusFunction(text);
    const ofNeeds = isAsked ? [] : this.#needsOf(job).map((need) => this.#runsOf(need));
    if (ofNeeds.includes(false)) return false;
    const scope = { ...jobScope(run, job, createDecisionBudget()), functions: ALL_WELL };
    const isMet =
      text === undefined || isKnownCondition(text, run, job, known)
        ? valueIfAny(attempt('if', () => condition(text, scope)))
        : decidedCondition(text, scope, (node) => isKnownNode(node, run, job, known));
    return isMet === true && ofNeeds.includes(null) ? null : isMet;
  }
}

const valueIfAny = <T>(evaluated: Evaluated<T>): T | null =>
  evaluated.ok ? evaluated.value : null;

/** Known and unknown tags of a job, each once. */
function tagsIn(planned: PlannedRun, job: Job): readonly PlannedValue[] {
  const tags = tagLevels(planned.run, job).flatMap(({ level, written }) =>
    written.flatMap((text) => tagsFrom(text, level, planned)),
  );
  return [...new Map(tags.map((tag) => [tag.text, tag])).values()];
}

/** An expression may give several. */
function tagsFrom(
  written: string,
  level: Job,
  { run, known }: PlannedRun,
): readonly PlannedValue[] {
  // A job with a matrix has no values yet; its jobs have.
  const isOfCells = level.bundle?.category === 'matrix' && speaksOfMatrix(written);
  const isOpen = isOfCells || !isKnown(written, run, level, known);
  const tags = isOpen
    ? null
    : attempt('runs-on', () => tagsFromText(written, jobScope(run, level, createDecisionBudget())));
  return tags?.ok === true
    ? tags.value.map((text) => ({ text, isKnown: true }))
    : [{ text: written, isKnown: !written.includes('${{') }];
}

/** A name whose expressions are known is shown as the log will show it. */
function plannedStep(step: WorkflowStep, { run, known }: PlannedRun, job: Job): PlannedStep {
  const { name, run: script = '', uses, if: written } = step;
  const [firstLine = ''] = script.trim().split('\n');
  const text = name ?? uses ?? firstLine;
  // Variables of the step itself are not those of the job.
  const isOpen = step.variables !== undefined || !isKnown(text, run, job, known);
  const rule = isOpen
    ? null
    : attempt('name', () => interpolateText(text, jobScope(run, job, createDecisionBudget())));
  return {
    name: rule?.ok === true ? rule.value : text,
    uses: uses ?? null,
    condition: written ?? null,
  };
}

/**
 * Contexts that expressions of a run can see, and where (wire facts 6.7). `within` is the shared budget of one decision. Each scope has its
 * own bound in it, and so has each level of variables.
 */
import {
  createBudget,
  type EvaluationBudget,
  type Scope,
  STEPS_MAX,
  spendSteps,
} from '@tutti/expressions';
import type { Variables } from '@tutti/manifests';
import { interpolateVariable, lazily } from './evaluation.ts';
import { channelPartOf, isInHook, isTeardown } from './hooks.ts';
import {
  bundleSeenFrom,
  calledAround,
  isHalted,
  jobBeside,
  jobsOfBundle,
  jobsOfWorkflow,
  nameOfKey,
  ownDefinition,
  parentOf,
} from './job-tree.ts';
import type { Cell } from './matrix.ts';
import { resourcesContext } from './resources.ts';
import {
  type CalledWorkflow,
  type EndedStep,
  isCanceled,
  type Job,
  type Run,
  type StepState,
} from './run.ts';
import { nameOfNextStep } from './step-name.ts';
import { evaluatedLevel, knownLevel, textOf, withNames } from './variable-levels.ts';

type Status = 'success' | 'failure' | 'cancelled';

/** The functions `success`, `failure`, `cancelled` and `always` of a scope. */
export const statusFunctions = (status: Status): StatusFunctions => FUNCTIONS_OF[status];

type StatusFunctions = NonNullable<Scope['functions']>;

const functionsOf = (status: Status): StatusFunctions => ({
  success: () => status === 'success',
  failure: () => status === 'failure',
  cancelled: () => status === 'cancelled',
  always: () => true,
});

const FUNCTIONS_OF: Readonly<Record<Status, StatusFunctions>> = {
  success: functionsOf('success'),
  failure: functionsOf('failure'),
  cancelled: functionsOf('cancelled'),
};

export function needsOf(job: Job): readonly string[] {
  const { needs } = job.definition;
  return needs === undefined ? [] : typeof needs === 'string' ? [needs] : needs;
}

/**
 * `success` looks at the needed jobs, `failure` at all jobs up the chain. Both hold if a needed job ran under `always()` after a failure,
 * and succeeded. Neither holds if nothing failed, but a needed job did not run.
 */
function functionsOfNeeds(run: Run, job: Job): StatusFunctions {
  if (isHalted(run, job)) return FUNCTIONS_OF.cancelled;
  return {
    success: () => needsOf(job).every((name) => jobBeside(run, job, name)?.result === 'success'),
    failure: () => hasFailedAncestor(run, job),
    cancelled: () => false,
    always: () => true,
  };
}

/** The ancestors of an ended job no longer change. So each chain of needs is followed once, for any number of jobs. */
const failedAncestors = new WeakMap<Job, boolean>();

/** `seen`: the jobs that were asked. No run with a cycle of needs is accepted, but events of other servers may have one. */
function hasFailedAncestor(run: Run, job: Job, seen = new Set<Job>()): boolean {
  const known = failedAncestors.get(job);
  if (known !== undefined) return known;
  if (seen.has(job)) return false;
  seen.add(job);
  const found = needsOf(job).some((name) => {
    const need = jobBeside(run, job, name);
    return need !== null && (need.result === 'failure' || hasFailedAncestor(run, need, seen));
  });
  if (job.phase === 'COMPLETED') failedAncestors.set(job, found);
  return found;
}

/** The status of the job as its next step sees it. */
function statusOfJob(job: Job): Status {
  if (isCanceled(job)) return 'cancelled';
  return job.frames.some((frame) => frame.status === 'failure') ? 'failure' : 'success';
}

/**
 * Inside a provider step only its own steps count. So a step under `always()` works in a failed job, and a step that cleans up in a
 * cancelled one.
 */
function statusOfFrame(job: Job): Status {
  const status = job.frames.at(-1)?.status ?? 'success';
  const isCleanup = job.frames.length > 1 && isTeardown(channelPartOf(job));
  return isCanceled(job) && !isCleanup ? 'cancelled' : status;
}

/** The values of all levels by name; later levels win. */
export function variableValues(
  ...levels: readonly (Variables | undefined)[]
): Readonly<Record<string, string>> {
  const known = levels.flatMap((level) => (level === undefined ? [] : [knownLevel(level)]));
  const [only, ...others] = known.filter(({ size }) => size > 0);
  if (only === undefined) return {};
  if (others.length === 0) return only.values;
  return Object.fromEntries([only, ...others].flatMap(({ values }) => Object.entries(values)));
}

/** Cost of copying a variable, in steps: measured, and rounded. */
const VARIABLE_STEPS = 100;

/** The jobs that a job needs, and those that the bundles around it need, as far as it sees these. */
function needsContext(run: Run, job: Job): Record<string, unknown> {
  const around = bundleSeenFrom(run, job);
  const outer = around === null ? {} : needsContext(run, around);
  const own = needsOf(job).flatMap((name) => {
    const need = jobBeside(run, job, name);
    return need === null ? [] : [[name, outcomeOf(need)] as const];
  });
  return { ...outer, ...Object.fromEntries(own) };
}

const outcomeOf = ({ result, outputs }: Job) => ({ result, outputs });

/** The jobs of a bundle that ended, by name. */
function jobsContext(jobs: readonly Job[]): Record<string, unknown> {
  return Object.fromEntries(jobs.map((job) => [nameOfKey(job.key), outcomeOf(job)]));
}

/** Where a job has a matrix of its own inside of one, its values win over those around. */
function matrixContext(run: Run, job: Job): Cell | null {
  const around = bundleSeenFrom(run, job);
  const outer = around === null ? null : matrixContext(run, around);
  return job.matrix === null ? outer : { ...outer, ...job.matrix };
}

/** Contexts that the addresses of resources can use, too. */
export const basicContexts = (run: Run, called: CalledWorkflow | null = null) => ({
  opentf: { workflow: run.name, namespace: run.namespace, actor: 'dummy' },
  inputs: called?.inputs ?? run.inputs,
  secrets: run.manifest.secrets ?? {},
});

/** In a called workflow its own declarations count, not those of its caller. Only repositories and test managers come from the caller. */
function workflowContexts(
  run: Run,
  called: CalledWorkflow | null,
  within: EvaluationBudget,
): Record<string, unknown> {
  const contexts = basicContexts(run, called);
  const resources = resourcesContext(run, { contexts: basicContexts(run), called }, within);
  return { ...contexts, resources };
}

function commonContexts(run: Run, job: Job, within: EvaluationBudget): Record<string, unknown> {
  const matrix = matrixContext(run, job);
  return {
    ...workflowContexts(run, calledAround(run, job), within),
    opentf: opentfContext(run, job),
    needs: needsContext(run, job),
    ...(matrix === null ? {} : { matrix }),
  };
}

/** Without a token: a step that had one could do what its author may not. */
function opentfContext(run: Run, job: Job): Record<string, unknown> {
  return {
    workflow: run.name,
    namespace: run.namespace,
    job: job.jobId ?? '',
    get step() {
      return nameOfNextStep(job);
    },
    actor: 'dummy',
  };
}

function runnerContext({ channel }: Job): Record<string, unknown> {
  return { runner: { os: channel?.os ?? 'linux', temp: channel?.temp ?? '' } };
}

/** Secrets are variables, too: of the whole workflow, and never expanded. */
export function secretVariables({ manifest }: Run): Variables {
  return Object.fromEntries(
    Object.entries(manifest.secrets ?? {}).map(([name, value]) => [
      name,
      { value, verbatim: true },
    ]),
  );
}

/** Variables of the workflow, of the bundles around the job and of the job, evaluated. They mean the same in all steps. */
export function levelVariables(run: Run, job: Job, within: EvaluationBudget): Variables {
  const own = {
    opentf: opentfContext(run, job),
    ...(job.channel === null ? {} : runnerContext(job)),
  };
  return variablesAt({ run, own, within }, job);
}

interface Asking {
  readonly run: Run;
  /** Contexts of the asking job itself. */
  readonly own: Scope['contexts'];
  readonly within: EvaluationBudget;
}

/** Evaluates each level where it is written, except for the contexts of the asking job. */
function variablesAt(asking: Asking, job: Job): Variables {
  const { run, own, within } = asking;
  const contexts = lazily(() => ({ ...commonContexts(run, job, within), ...own }));
  const around = parentOf(run, job);
  const outer =
    around === null
      ? evaluatedInOrder(run.manifest.variables, contexts, {}, within)
      : variablesWithin(asking, around, contexts);
  return evaluatedInOrder(ownDefinition(job).variables, contexts, outer, within);
}

/** Variables for the jobs of a bundle: its own, then those of the workflow that it calls. */
function variablesWithin(
  asking: Asking,
  bundle: Job,
  contextsOf: () => Scope['contexts'],
): Variables {
  const outer = variablesAt(asking, bundle);
  return evaluatedInOrder(bundle.bundle?.called?.variables, contextsOf, outer, asking.within);
}

/** Each variable sees those before it, and those of `outer`, which it may replace. Most levels have none, and nothing is gathered for these. */
function evaluatedInOrder(
  level: Variables | undefined,
  contextsOf: () => Scope['contexts'],
  outer: Variables,
  within: EvaluationBudget,
): Variables {
  const known = level === undefined ? null : knownLevel(level);
  if (level === undefined || known === null || known.size === 0) return outer;
  const around = knownLevel(outer);
  if (around.size === 0 && known.isPlain) return level;
  const size = around.size + known.size;
  spendSteps(within, VARIABLE_STEPS * size);
  const values = withNames(around.values);
  const variables = withNames(outer);
  const scope = {
    contexts: { ...contextsOf(), variables: values },
    budget: createBudget(STEPS_MAX, within),
  };
  for (const [name, variable] of Object.entries(level)) {
    const evaluated = interpolateVariable(variable, scope);
    variables[name] = evaluated;
    values[name] = textOf(evaluated);
  }
  return evaluatedLevel(variables, values, size);
}

/** Most texts have no expression, and nothing is gathered for these. */
function scopeOf(
  within: EvaluationBudget,
  contextsOf: () => Scope['contexts'],
  functions?: StatusFunctions,
): Scope {
  const contexts = lazily(contextsOf);
  return {
    get contexts() {
      return contexts();
    },
    functions,
    budget: createBudget(STEPS_MAX, within),
  };
}

/** The scope of keys outside of jobs: the concurrency group and the time limit of the workflow. */
export function workflowScope(run: Run, within: EvaluationBudget): Scope {
  return scopeOf(within, () => {
    const contexts = workflowContexts(run, null, within);
    const variables = lazily(() =>
      variableValues(evaluatedInOrder(run.manifest.variables, () => contexts, {}, within)),
    );
    return {
      ...contexts,
      get variables() {
        return variables();
      },
    };
  });
}

/** The scope of a job without an environment, for its tags and its time limit. A matrix waits for the jobs that its cells need. */
export function jobScope(run: Run, job: Job, within: EvaluationBudget): Scope {
  const around = parentOf(run, job);
  const waits = around?.bundle?.category === 'matrix' ? around : job;
  return scopeBefore(run, job, functionsOfNeeds(run, waits), within);
}

/** The scope for the `if` of a job. The condition of a matrix was decided for all of its cells, so a cell has none. */
export const conditionScope = (run: Run, job: Job, within: EvaluationBudget): Scope =>
  scopeBefore(run, job, functionsOfNeeds(run, job), within);

function scopeBefore(
  run: Run,
  job: Job,
  functions: StatusFunctions,
  within: EvaluationBudget,
): Scope {
  const contexts = () => {
    const variables = lazily(() => variableValues(levelVariables(run, job, within)));
    return {
      ...commonContexts(run, job, within),
      get variables() {
        return variables();
      },
    };
  };
  return scopeOf(within, contexts, functions);
}

/** The scope for the outputs of a bundle whose jobs ended. The outputs of a called workflow are written there. */
export function bundleScope(run: Run, job: Job, within: EvaluationBudget): Scope {
  return scopeOf(within, () => {
    const called = job.bundle?.called ?? null;
    const common = commonContexts(run, job, within);
    const contexts =
      called === null ? common : { ...common, ...workflowContexts(run, called, within) };
    const variables = () => variablesWithin({ run, own: {}, within }, job, () => contexts);
    return contextsOfOutputs(contexts, jobsOfBundle(run, job), variables);
  });
}

/** Scope of the outputs of the workflow, when all jobs ended. */
export function workflowOutputScope(run: Run, within: EvaluationBudget): Scope {
  return scopeOf(within, () => {
    const contexts = workflowContexts(run, null, within);
    const variables = () => evaluatedInOrder(run.manifest.variables, () => contexts, {}, within);
    return contextsOfOutputs(contexts, jobsOfWorkflow(run), variables);
  });
}

function contextsOfOutputs(
  contexts: Scope['contexts'],
  jobs: readonly Job[],
  variablesOf: () => Variables,
): Scope['contexts'] {
  const variables = lazily(() => variableValues(variablesOf()));
  const byName = lazily(() => jobsContext(jobs));
  return {
    ...contexts,
    get variables() {
      return variables();
    },
    get jobs() {
      return byName();
    },
  };
}

const statesOf = (ended: readonly EndedStep[]): Record<string, StepState> =>
  Object.fromEntries(ended.map(({ id, state }) => [id, state]));

/** The scope for the next step of the innermost frame. `own` gives the variables of the step itself. */
export function stepScope(
  run: Run,
  job: Job,
  own: () => Variables | undefined,
  within: EvaluationBudget,
): Scope {
  const contexts = () => {
    const variables = lazily(() => {
      const ofLevels = variableValues(levelVariables(run, job, within));
      spendSteps(within, VARIABLE_STEPS * Object.keys(ofLevels).length);
      return {
        ...ofLevels,
        ...job.persisted,
        ...variableValues(...job.frames.map((each) => each.provider?.variables), own()),
      };
    });
    const steps = lazily(() => statesOf(job.frames.at(-1)?.ended ?? []));
    return {
      // A hook is around jobs with a matrix and others, and can ask only by using it.
      ...(isInHook(job) ? { matrix: {} } : {}),
      ...commonContexts(run, job, within),
      get variables() {
        return variables();
      },
      job: { status: statusOfJob(job) },
      get steps() {
        return steps();
      },
      ...runnerContext(job),
    };
  };
  return scopeOf(within, contexts, statusFunctions(statusOfFrame(job)));
}

/** The scope in which the variables of the next step are evaluated. So it has none of them. */
export const outerScope = (run: Run, job: Job, within: EvaluationBudget): Scope =>
  stepScope(run, job, () => undefined, within);

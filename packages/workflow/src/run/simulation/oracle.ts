/**
 * What a run comes to when nothing disturbs it, told from the plan alone: recursively, without events, states or expressions, so
 * that it is wrong in other ways than the run is.
 */
import {
  type Condition,
  type HookPlan,
  hooksOn,
  type JobPlan,
  type StepPlan,
  type WorkflowPlan,
} from './plan.ts';

export interface ExpectedJob {
  readonly result: 'success' | 'failure' | 'skipped';
  readonly output: string;
  /** First lines of the scripts, in the order in which they run. */
  readonly scripts: readonly string[];
}

type Status = 'success' | 'failure' | 'skipped';

/** What a condition lets run. Nothing is cancelled where nothing disturbs, and nothing is broken. */
const LETS_RUN: Readonly<Record<Condition, readonly Status[]>> = {
  default: ['success'],
  success: ['success'],
  plain: ['success'],
  failure: ['failure'],
  either: ['success', 'failure'],
  always: ['success', 'failure', 'skipped'],
  cancelled: [],
  never: [],
  broken: [],
};

export function expectedJobs(plan: WorkflowPlan): ReadonlyMap<string, ExpectedJob> {
  const jobs = new Map(plan.jobs.map((job) => [job.name, job]));
  const known = new Map<string, ExpectedJob>();
  const jobNamed = (name: string): JobPlan => jobs.get(name) ?? missing(name);
  const hasFailed = (name: string): boolean =>
    expected(name).result === 'failure' || jobNamed(name).needs.some(hasFailed);
  const expected = (name: string): ExpectedJob => {
    const job = jobNamed(name);
    const needs = job.needs.map((need) => expected(need));
    const all = needs.every(({ result }) => result === 'success');
    const status = all ? 'success' : job.needs.some(hasFailed) ? 'failure' : 'skipped';
    const outcome = known.get(name) ?? expectedJob(plan, job, status, needs);
    known.set(name, outcome);
    return outcome;
  };
  for (const { name } of plan.jobs) expected(name);
  return known;
}

export function isExpectedToSucceed(jobs: ReadonlyMap<string, ExpectedJob>): boolean {
  return [...jobs.values()].every(({ result }) => result !== 'failure');
}

function expectedJob(
  plan: WorkflowPlan,
  job: JobPlan,
  status: Status,
  needs: readonly ExpectedJob[],
): ExpectedJob {
  if (!LETS_RUN[job.condition].includes(status))
    return { result: 'skipped', output: '', scripts: [] };
  const environment = { plan, scripts: [], variable: job.variable ?? plan.variable };
  const words = needs.map(({ result, output }) => `${result}=${output}`);
  const { failed, outputs } = runSteps(stepsOfJob(plan, job, words), environment, null);
  return {
    result: failed && !job.continueOnError ? 'failure' : 'success',
    output: outputs.get(job.outputOf) ?? '',
    scripts: environment.scripts,
  };
}

/** A step in the place where it runs. */
interface PlacedStep {
  readonly step: StepPlan;
  /** What it says after its own words. */
  readonly words: readonly string[];
  readonly hook: HookPlan | null;
}

const ofHook = (hook: HookPlan, steps: readonly StepPlan[]): readonly PlacedStep[] =>
  steps.map((step) => ({ step, words: [], hook }));

/** Those of hooks outermost first before, and last after. */
function around(hooks: readonly HookPlan[], within: readonly PlacedStep[]): readonly PlacedStep[] {
  const [outermost, ...others] = hooks;
  if (outermost === undefined) return within;
  const { before, after } = outermost;
  return [...ofHook(outermost, before), ...around(others, within), ...ofHook(outermost, after)];
}

function stepsOfJob(
  plan: WorkflowPlan,
  job: JobPlan,
  words: readonly string[],
): readonly PlacedStep[] {
  const own = job.steps.map((step) => ({ step, words, hook: null }));
  return [...around(hooksOn(plan, 'setup'), []), ...own, ...around(hooksOn(plan, 'teardown'), [])];
}

/** What steps leave for those after them. */
interface Environment {
  readonly plan: WorkflowPlan;
  readonly scripts: string[];
  variable: string;
}

const ASKS_NOTHING: readonly Condition[] = ['default', 'plain'];

function letsRun({ step, hook }: PlacedStep, status: Status): boolean {
  const isFree = (condition: Condition) => ASKS_NOTHING.includes(condition);
  if (hook !== null && !isFree(hook.condition) && !LETS_RUN[hook.condition].includes(status)) {
    return false;
  }
  const isCleanup = hook?.on === 'teardown';
  return (isCleanup && isFree(step.condition)) || LETS_RUN[step.condition].includes(status);
}

/** `local`: the variable of the steps of a provider, if the step around them has one. */
function runSteps(
  steps: readonly PlacedStep[],
  environment: Environment,
  local: string | null,
  isInHook = false,
): { readonly failed: boolean; readonly outputs: ReadonlyMap<string, string> } {
  let failed = false;
  const outputs = new Map<string, string>();
  for (const placed of steps) {
    const { step, words, hook } = placed;
    if (!letsRun(placed, failed ? 'failure' : 'success')) continue;
    const own = step.variable ?? local;
    const said = [own ?? environment.variable, ...words];
    const ended =
      step.nested === null
        ? runScript(step, environment, said)
        : runProvided(step.nested, environment, own, said, isInHook || hook !== null);
    outputs.set(step.id, ended.output);
    failed ||= ended.failed && !step.continueOnError;
  }
  return { failed, outputs };
}

interface EndedStep {
  readonly failed: boolean;
  readonly output: string;
}

function runScript(step: StepPlan, environment: Environment, said: readonly string[]): EndedStep {
  environment.scripts.push([step.key, ...said].join(' '));
  environment.variable = step.leaves ?? environment.variable;
  return { failed: step.exitCode !== 0, output: step.output };
}

function runProvided(
  nested: readonly StepPlan[],
  environment: Environment,
  own: string | null,
  said: readonly string[],
  isInHook: boolean,
): EndedStep {
  const steps = nested.map((step) => ({ step, words: said, hook: null }));
  const hooks = isInHook ? [] : hooksOn(environment.plan, 'function');
  const { failed, outputs } = runSteps(around(hooks, steps), environment, own, isInHook);
  return { failed, output: outputs.get(nested.at(-1)?.id ?? '') ?? '' };
}

function missing(name: string): never {
  throw new Error(`The plan has no job ${name}.`);
}

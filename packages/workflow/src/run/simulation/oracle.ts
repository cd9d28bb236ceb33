/**
 * Predicts the result of an undisturbed run from the plan alone. It works recursively, without events, states or expressions, so its
 * mistakes differ from those of the run.
 */
import { downloadKeyOf, fetchStepOf, isCall } from './call-plan.ts';
import { systemOf } from './environment-plan.ts';
import { withCalled } from './hook-plan.ts';
import {
  type BundlePlan,
  type Condition,
  commandText,
  type DefaultsPlan,
  type HookPlan,
  hooksOn,
  type JobPlan,
  NO_DEFAULTS,
  type StepPlan,
  type WorkflowPlan,
  withInput,
  withValue,
} from './plan.ts';
import { filesSeenIn, filesSeenInCall, saidOfResources } from './resource-plan.ts';

export interface ExpectedJob {
  readonly result: 'success' | 'failure' | 'skipped';
  readonly output: string;
  /** First lines of the scripts, in the order in which they run, with what runs them and where. */
  readonly scripts: readonly string[];
}

type Status = 'success' | 'failure' | 'skipped';

/** Statuses in which a condition is true. An undisturbed run has no cancellation and no broken condition. */
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

/** By key: every job that there will be, those of bundles behind them. */
export function expectedJobs(plan: WorkflowPlan): ReadonlyMap<string, ExpectedJob> {
  const given = plan.input === null ? [] : [plan.input, `secret-${plan.input}`];
  const files = filesSeenIn(plan);
  const words = [...given, ...saidOfResources(plan, files)];
  const { variable, defaults } = plan;
  const place = { plan, prefix: '', variable, defaults, tags: [], words, files };
  return new ExpectedSet(place, plan.jobs).all();
}

export function isExpectedToSucceed(jobs: ReadonlyMap<string, ExpectedJob>): boolean {
  return [...jobs].every(([key, { result }]) => key.includes('/') || result !== 'failure');
}

/** A place where jobs stand side by side: the prefix of their keys, and the settings from around it. */
interface Place {
  readonly plan: WorkflowPlan;
  readonly prefix: string;
  readonly variable: string;
  readonly defaults: DefaultsPlan;
  /** Tags of the bundles around the jobs, the innermost first. */
  readonly tags: readonly string[];
  readonly words: readonly string[];
  /** Names of the resource files of the workflow that the jobs are written in. */
  readonly files: readonly string[];
}

const SKIPPED: ExpectedJob = { result: 'skipped', output: '', scripts: [] };

class ExpectedSet {
  readonly #place: Place;
  readonly #jobs: ReadonlyMap<string, JobPlan>;
  readonly #known = new Map<string, ExpectedJob>();
  /** Jobs of bundles in the set, by key. */
  readonly #inside = new Map<string, ExpectedJob>();

  constructor(place: Place, jobs: readonly JobPlan[]) {
    this.#place = place;
    this.#jobs = new Map(jobs.map((job) => [job.name, job]));
  }

  all(): ReadonlyMap<string, ExpectedJob> {
    const own = [...this.#jobs.keys()].map(
      (name) => [`${this.#place.prefix}${name}`, this.expected(name)] as const,
    );
    return new Map([...own, ...this.#inside]);
  }

  expected(name: string): ExpectedJob {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const job = this.#jobNamed(name);
    const needs = job.needs.map((need) => this.expected(need));
    const all = needs.every(({ result }) => result === 'success');
    const hasFailed = job.needs.some((need) => this.#hasFailed(need));
    const words = needs.map(({ result, output }) => `${result}=${output}`);
    const isMet = LETS_RUN[job.condition].some((status) =>
      status === 'success' ? all : status === 'failure' ? hasFailed : !all && !hasFailed,
    );
    const outcome = isMet ? this.#begun(job, words) : SKIPPED;
    this.#known.set(name, outcome);
    return outcome;
  }

  #jobNamed(name: string): JobPlan {
    return this.#jobs.get(name) ?? missing(name);
  }

  #hasFailed(name: string): boolean {
    const { needs } = this.#jobNamed(name);
    return this.expected(name).result === 'failure' || needs.some((need) => this.#hasFailed(need));
  }

  #begun(job: JobPlan, needed: readonly string[]): ExpectedJob {
    const { prefix, words } = this.#place;
    const place = { ...this.#place, words: [...words, ...needed] };
    if (job.matrix === null) return this.#single(place, `${prefix}${job.name}`, job);
    const cells = job.matrix.map((value) => {
      const also = job.matrixForm === 'axes' ? '-p' : '';
      const key = `${prefix}${job.name}/${job.name}-${value}${also}`;
      const tags = job.tags.form === 'cell' ? [value, ...place.tags] : place.tags;
      const cell = this.#single({ ...place, tags, words: [...place.words, value] }, key, job);
      this.#inside.set(key, cell);
      return cell;
    });
    const output = cells.findLast((cell) => cell.output !== '')?.output ?? '';
    return { result: resultOf(cells), output, scripts: [] };
  }

  /** A job of steps, or a bundle. */
  #single(place: Place, key: string, job: JobPlan): ExpectedJob {
    const variable = withValue(job.variable ?? place.variable, place.variable);
    const { bundle } = job;
    const calls = bundle !== null && isCall(bundle);
    const defaults = calls ? job.defaults : defaultsWithin(place.defaults, job.defaults);
    const tags = [...job.tags.names, ...place.tags];
    if (bundle === null) return jobOfSteps({ ...place, variable, defaults, tags }, job);
    if (bundle.form === 'repository' && !this.#isFetched(place, key, job, variable)) {
      return { result: job.continueOnError ? 'success' : 'failure', output: '', scripts: [] };
    }
    // Jobs from elsewhere see only variables and resources of what is around them.
    const files = isCall(bundle) ? filesSeenInCall(bundle) : place.files;
    const given = bundle.input === null ? [] : [bundle.input];
    const fromElsewhere = [...given, ...saidOfResources(place.plan, files)];
    const words = bundle.form === 'jobs' ? place.words : fromElsewhere;
    const called = calledWithin({ ...place, variable, defaults, tags }, bundle);
    const inside = { ...called, words, files, prefix: `${key}/` };
    const set = new ExpectedSet(inside, bundle.jobs);
    for (const [inner, expected] of set.all()) this.#inside.set(inner, expected);
    const result = resultOf(bundle.jobs.map(({ name }) => set.expected(name)));
    const { output: own } = set.expected(bundle.outputOf);
    const isMore = isCall(bundle) && bundle.input !== null;
    const output = isMore ? `${own}+${bundle.input}+${inside.variable}` : own;
    return { result: job.continueOnError ? 'success' : result, output, scripts: [] };
  }

  /** A job fetches the file, around which there are hooks of channels alone. These may fail. */
  #isFetched({ plan }: Place, key: string, job: JobPlan, variable: string): boolean {
    const hooks = { ...plan.hooks, workflow: [] };
    const nothing = { prefix: '', words: [], files: [], tags: [], defaults: NO_DEFAULTS };
    const place = { ...nothing, plan: { ...plan, hooks }, variable };
    const step = fetchStepOf(job);
    const own = { steps: [step], outputOf: '', continueOnError: false, saysSystem: false };
    const steps = { ...job, ...own };
    const fetching = jobOfSteps(place, steps);
    this.#inside.set(downloadKeyOf(key), fetching);
    return fetching.result === 'success';
  }
}

function resultOf(jobs: readonly ExpectedJob[]): 'success' | 'failure' {
  return jobs.some(({ result }) => result === 'failure') ? 'failure' : 'success';
}

/** Settings of a called workflow win over settings around it. */
function calledWithin(place: Place, { called, input }: BundlePlan): Place {
  const variable = withValue(called.variable ?? place.variable, place.variable);
  const hooks = withCalled(place.plan.hooks, called.hooks);
  return {
    ...place,
    plan: { ...place.plan, hooks },
    variable: withInput(variable, input ?? ''),
    defaults: defaultsWithin(place.defaults, called.defaults),
  };
}

const defaultsWithin = (outer: DefaultsPlan, own: DefaultsPlan): DefaultsPlan => ({
  shell: own.shell ?? outer.shell,
  directory: own.directory ?? outer.directory,
});

function jobOfSteps(place: Place, job: JobPlan): ExpectedJob {
  const { plan, variable } = place;
  const environment = { plan, scripts: [], variable };
  const frame = { variable: null, directory: null, isInHook: false };
  const { failed, outputs } = runSteps(stepsOfJob(place, job), environment, frame);
  return {
    result: failed && !job.continueOnError ? 'failure' : 'success',
    output: outputs.get(job.outputOf) ?? '',
    scripts: environment.scripts,
  };
}

/** A step in the place where it runs. */
interface PlacedStep {
  readonly step: StepPlan;
  /** Texts that the step prints after its own words. */
  readonly words: readonly string[];
  readonly hook: HookPlan | null;
  /** Defaults for steps written in a job; other steps are written for the shell that they need. */
  readonly defaults: DefaultsPlan;
}

const ofHook = (hook: HookPlan, steps: readonly StepPlan[]): readonly PlacedStep[] =>
  steps.map((step) => ({ step, words: [], hook, defaults: NO_DEFAULTS }));

/** Steps of hooks around the job's steps: outermost first before, and last after. */
function around(hooks: readonly HookPlan[], within: readonly PlacedStep[]): readonly PlacedStep[] {
  const [outermost, ...others] = hooks;
  if (outermost === undefined) return within;
  const { before, after } = outermost;
  return [...ofHook(outermost, before), ...around(others, within), ...ofHook(outermost, after)];
}

function stepsOfJob(place: Place, job: JobPlan): readonly PlacedStep[] {
  const { plan, defaults, tags } = place;
  const system = job.saysSystem ? [systemOf(tags) ?? ''] : [];
  const words = [...place.words, ...system];
  const own = job.steps.map((step) => ({ step, words, hook: null, defaults }));
  return [...around(hooksOn(plan, 'setup'), []), ...own, ...around(hooksOn(plan, 'teardown'), [])];
}

/** State that steps leave for later steps. */
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

/** Settings that the step around a provider's steps gives them: null where it gives none. */
interface Surroundings {
  readonly variable: string | null;
  readonly directory: string | null;
  readonly isInHook: boolean;
}

function runSteps(
  steps: readonly PlacedStep[],
  environment: Environment,
  outer: Surroundings,
): { readonly failed: boolean; readonly outputs: ReadonlyMap<string, string> } {
  let failed = false;
  const outputs = new Map<string, string>();
  for (const placed of steps) {
    const { step, words } = placed;
    if (!letsRun(placed, failed ? 'failure' : 'success')) continue;
    const before = outer.variable ?? environment.variable;
    const value = withValue(step.variable ?? before, before);
    const variable = step.variable === null ? outer.variable : value;
    const said = { ...placed, words: [value, ...words] };
    const directory = step.directory === null ? outer.directory : withValue(step.directory, value);
    const ended =
      step.nested === null
        ? runScript(said, environment, value, directory)
        : runProvided(step.nested, said, environment, { ...outer, directory, variable });
    outputs.set(step.id, ended.output);
    failed ||= ended.failed && !step.continueOnError;
  }
  return { failed, outputs };
}

interface EndedStep {
  readonly failed: boolean;
  readonly output: string;
}

function runScript(
  { step, words, defaults }: PlacedStep,
  environment: Environment,
  value: string,
  given: string | null,
): EndedStep {
  const shell = step.shell ?? defaults.shell ?? '';
  const directory = given ?? withValue(defaults.directory ?? '', value);
  const script = [step.key, ...words].join(' ');
  environment.scripts.push(commandText(script, withValue(shell, value), directory));
  environment.variable = step.leaves ?? environment.variable;
  return { failed: step.exitCode !== 0, output: step.output };
}

function runProvided(
  nested: readonly StepPlan[],
  { words, hook }: PlacedStep,
  environment: Environment,
  outer: Surroundings,
): EndedStep {
  const steps = nested.map((step) => ({ step, words, hook: null, defaults: NO_DEFAULTS }));
  const isInHook = outer.isInHook || hook !== null;
  const hooks = isInHook ? [] : hooksOn(environment.plan, 'function');
  const placed = around(hooks, steps);
  const { failed, outputs } = runSteps(placed, environment, { ...outer, isInHook });
  return { failed, output: outputs.get(nested.at(-1)?.id ?? '') ?? '' };
}

function missing(name: string): never {
  throw new Error(`The plan has no job ${name}.`);
}

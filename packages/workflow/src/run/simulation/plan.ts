/** Parts of a simulated workflow: shared by the random choice, the manifest, the simulated world and the oracle. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import type { ChannelOs } from '@tutti/manifests';

export interface WorkflowPlan {
  /** In the order of the manifest, which need not be the order of needs. */
  readonly jobs: readonly JobPlan[];
  readonly maxParallel: number | null;
  readonly failFast: boolean;
  readonly timeoutMinutes: number | null;
  readonly group: string | null;
  /** The group's holder, and every waiting run, is cancelled. */
  readonly takesOver: boolean;
  readonly variable: string;
  /** Input of the run, and its secret; null for a workflow without inputs and secrets. */
  readonly input: string | null;
  /** Name of the job whose output is that of the workflow; null for none. */
  readonly outputOf: string | null;
  readonly defaults: DefaultsPlan;
  /** Null for a workflow that names none but the files that it calls. */
  readonly resources: ResourcesPlan | null;
  /** Each environment has at least one channel. */
  readonly environments: readonly EnvironmentPlan[];
  /** Tags that the operator demands of environments that fetch files. */
  readonly downloadTags: readonly string[];
  readonly hooks: HookPlans;
}

export interface EnvironmentPlan {
  readonly os: ChannelOs;
  /** All of them, its system included. */
  readonly tags: readonly string[];
}

export interface TagsPlan {
  readonly names: readonly string[];
  /**
   * The form of the tags. Plain texts; an expression for the list, or for all but the first; one expression each, with a status function.
   * Or the tag is the value of the cell, or cannot be evaluated.
   */
  readonly form: 'plain' | 'list' | 'mixed' | 'status' | 'cell' | 'broken';
}

/** Default shell and directory of the steps written there; null where there is none. */
export interface DefaultsPlan {
  readonly shell: string | null;
  readonly directory: string | null;
}

export const NO_DEFAULTS: DefaultsPlan = { shell: null, directory: null };

export interface ResourcesPlan {
  /** Names of files beside those that are called. */
  readonly files: readonly string[];
  /** The addresses of the others cannot be evaluated. */
  readonly isBroken: boolean;
}

/** Hooks by who wants them: the author, the operator of the channels, the provider. */
export interface HookPlans {
  readonly workflow: readonly HookPlan[];
  readonly channel: readonly HookPlan[];
  readonly provider: readonly HookPlan[];
}

export interface HookPlan {
  readonly name: string;
  readonly on: 'setup' | 'teardown' | 'function';
  readonly condition: Condition;
  /** The hook gives a workspace, on setup, or keeps it, on teardown. */
  readonly choosesWorkspace: boolean;
  readonly before: readonly StepPlan[];
  readonly after: readonly StepPlan[];
}

export interface JobPlan {
  readonly name: string;
  readonly needs: readonly string[];
  readonly condition: Condition;
  readonly steps: readonly StepPlan[];
  /** Id of the step whose output is that of the job. The id of no step is an error at the end of the job. */
  readonly outputOf: string;
  readonly continueOnError: boolean;
  readonly timeoutMinutes: number | null;
  readonly group: string | null;
  readonly takesOver: boolean;
  readonly variable: string | null;
  readonly defaults: DefaultsPlan;
  readonly tags: TagsPlan;
  /** The steps of the job print the system they run on. The tags of the job tell which it must be. */
  readonly saysSystem: boolean;
  /** The values for each of which the job runs once; null for a job without a matrix. */
  readonly matrix: readonly string[] | null;
  readonly matrixForm: MatrixForm;
  /** The jobs that it stands for; null for a job of steps. */
  readonly bundle: BundlePlan | null;
  /** Applies to the jobs of its matrix, or of its bundle. */
  readonly maxParallel: number | null;
  readonly failFast: boolean;
  /** Whether it is written, or what holds anyhow. */
  readonly saysFailFast: boolean;
}

/** Forms of the values of a matrix: a list, an expression, beside another axis, or by adding and leaving out. */
export const MATRIX_FORMS = ['values', 'expression', 'axes', 'include', 'exclude'] as const;
export type MatrixForm = (typeof MATRIX_FORMS)[number];

export interface BundlePlan {
  /** Whether the jobs are written in the workflow, come from a generator, or are those of another workflow. */
  readonly form: 'jobs' | 'generator' | 'file' | 'repository';
  readonly jobs: readonly JobPlan[];
  /** Name of the job whose output is that of the bundle. */
  readonly outputOf: string;
  /** Input of the called workflow; null for none. */
  readonly input: string | null;
  /** Ways to name the called workflow: directly, by a resource, or by an expression that reads one. */
  readonly reference: 'direct' | 'resource' | 'expression';
  /** Settings of the called workflow itself; empty for any other bundle. */
  readonly called: CalledPlan;
  /**
   * The source of the jobs never answers, answers with an error, or gives invalid jobs. A fetch from a repository may also fail, or hang.
   */
  readonly trouble: 'none' | 'hangs' | 'refused' | 'invalid' | 'unfetched' | 'fetch-hangs';
}

/** Null and empty for settings that it does not have. */
export interface CalledPlan {
  readonly variable: string | null;
  readonly defaults: DefaultsPlan;
  /** Names of its files beside those that it calls. */
  readonly files: readonly string[];
  /** Hooks around its jobs, within the hooks of the caller. */
  readonly hooks: readonly HookPlan[];
  readonly maxParallel: number | null;
  readonly failFast: boolean;
  readonly timeoutMinutes: number | null;
}

export const NOTHING_CALLED: CalledPlan = {
  variable: null,
  defaults: NO_DEFAULTS,
  files: [],
  hooks: [],
  maxParallel: null,
  failFast: false,
  timeoutMinutes: null,
};

export interface StepPlan {
  /** Unique in the workflow. */
  readonly key: string;
  /** Unique in the frame only. */
  readonly id: string;
  readonly condition: Condition;
  readonly exitCode: number;
  /** Empty where there is none. */
  readonly output: string;
  readonly continueOnError: boolean;
  readonly timeoutMinutes: number | null;
  readonly trouble: Trouble;
  readonly variable: string | null;
  /** Shell and directory of the step, if it names them. */
  readonly shell: string | null;
  readonly directory: string | null;
  /** A value of the variable that the step leaves to later ones. */
  readonly leaves: string | null;
  /** Whether the step attaches a test report. */
  readonly attaches: boolean;
  /** The steps that a provider puts in its place, for one with `uses`. */
  readonly nested: readonly StepPlan[] | null;
}

/** `hangs` never ends by itself, `refused` is answered with an error, and `broken` cannot be evaluated. */
export type Trouble = 'none' | 'hangs' | 'refused' | 'broken';

export const CONDITIONS = {
  default: null,
  success: 'success()',
  failure: 'failure()',
  always: 'always()',
  cancelled: 'cancelled()',
  plain: '1 == 1',
  either: 'success() || failure()',
  never: '${{ always() && false }}',
  broken: 'nowhere.to.be.found',
} as const;
export type Condition = keyof typeof CONDITIONS;

/** The name of the variable at all levels, and of all outputs. */
export const VARIABLE = 'V';

/** `@V` in shells, directories and variables: the value of the variable; in a variable, that of the level around. */
const VALUE = '@V';
/** `@I` in variables of a called workflow: its input. */
const INPUT = '@I';

export const withExpressions = (text: string): string =>
  text.replace(VALUE, `\${{ variables.${VARIABLE} }}`).replace(INPUT, '${{ inputs.i }}');

export const withValue = (text: string, value: string): string => text.replace(VALUE, value);

export const withInput = (text: string, input: string): string => text.replace(INPUT, input);

/** A command as the world logs it, and as the oracle predicts it. */
export const commandText = (script: string, shell?: string | null, directory?: string | null) =>
  [script, ...(shell ? [`by ${shell}`] : []), ...(directory ? [`in ${directory}`] : [])].join(' ');

/** Hooks for an event, those of the author outermost. */
export const hooksOn = (
  { hooks }: Pick<WorkflowPlan, 'hooks'>,
  on: HookPlan['on'],
): readonly HookPlan[] => {
  const { workflow, channel, provider } = hooks;
  return [...workflow, ...(on === 'function' ? provider : channel)].filter(
    (hook) => hook.on === on,
  );
};

/** Every job, also those of bundles. */
export function allJobs(jobs: readonly JobPlan[]): readonly JobPlan[] {
  return jobs.flatMap((job) => [job, ...allJobs(job.bundle?.jobs ?? [])]);
}

/** The jobs around the one with this key, the outermost first, and the job itself. A job that fetches a file is none. */
export function jobsOnWay(plan: WorkflowPlan, key: string): readonly JobPlan[] {
  const jobs = allJobs(plan.jobs);
  const names = key.split('/').map((name) => /^j\d+/.exec(name)?.[0]);
  return [...new Set(names)].flatMap((name) => jobs.filter((job) => job.name === name));
}

/** The name of the axis of a matrix; inside, those of other matrices are seen as well. */
export const axisOf = ({ name }: JobPlan): string => `m-${name}`;

/**
 * The state of one run, folded from its events. Nothing here is stored: the events are, and this is what they mean.
 *
 * A run is NONE before its `Workflow` event. It is PENDING until a first job has an environment, and RUNNING until every job ended. Then it
 * is DONE or FAILED for good. A job is
 * - WAITING for the jobs it needs, for a slot (`max-parallel`) or for a concurrency group;
 * - REQUESTED while it waits for an environment (`ExecutionCommand` -1 was sent);
 * - RUNNING on the channel of the offer that was accepted. One command or provider call is at work at a time;
 * - RELEASING once `ExecutionCommand` -2 was sent, its result already known;
 * - COMPLETED.
 *
 * A bundle, a job that stands for other jobs, has no environment. It is WAITING like any job. It is GENERATING while a generator is asked
 * for its jobs (`GeneratorCommand`). It is EXPANDED from the `GeneratorResult` that names them until all of them ended, then COMPLETED. One
 * that calls a workflow in a repository is EXPANDED before, too: into the job that fetches the file.
 */
import type {
  Actor,
  AttachmentId,
  ChannelId,
  ChannelOs,
  GeneralError,
  HookStep,
  JobId,
  StepId,
  StepTests,
  TestsResultEvent,
  Timestamp,
  Variables,
  WaitingReason,
  WorkflowId,
  WorkflowJob,
  WorkflowManifest,
} from '@tutti/manifests';
import type {
  CalledWorkflow,
  JobResult,
  Limits,
  RepositoryReference,
  StepOutcome,
  SupersededBy,
  TakenJobs,
} from '../facts/fact.ts';
import { NOTHING_TESTED, type Tested } from '../facts/tested.ts';
import type { Cell } from './matrix.ts';

export type { CalledWorkflow, JobResult, StepOutcome, SupersededBy };

/** The place of a step of a hook. It is around the call of a function, or around the life of the workspace. */
export type HookPart =
  | 'before'
  | 'after'
  | 'setup-before'
  | 'setup-after'
  | 'teardown-before'
  | 'teardown-after';

export interface HookMark {
  readonly name: string;
  /** The `if` of the hook, which each of its steps needs beside its own. */
  readonly condition: string | null;
  readonly part: HookPart;
}

/** A step as it runs: every one has an id; those of hooks say so. */
export type IdentifiedStep = HookStep & {
  readonly id: StepId;
  readonly hook?: HookMark;
  readonly tests?: StepTests;
};

export interface StepState {
  readonly outcome: StepOutcome;
  /** The outcome that counts for the job: `success` for a failure under `continue-on-error`. */
  readonly conclusion: StepOutcome;
  readonly outputs: Readonly<Record<string, string>>;
}

export interface EndedStep {
  readonly id: StepId;
  readonly state: StepState;
}

/** Settings of a running step, be it a script or a function. */
interface StepSettings {
  readonly stepId: StepId;
  /** Name of the step as it was evaluated. Null for one without a name, or whose name stands in the workflow as it is. */
  readonly name: string | null;
  readonly startedAt: Timestamp;
  readonly continueOnError: boolean;
  /** Epoch milliseconds; null when neither the step nor one around it has a time limit. */
  readonly deadlineMs: number | null;
}

/** Steps that run in order: those of the job, or a provider's steps in place of one. */
export interface Frame {
  readonly steps: readonly IdentifiedStep[];
  /** Index of the next step. */
  readonly next: number;
  /** Ends of its steps, in their order; a list, since thousands of steps may end in one decision. */
  readonly ended: readonly EndedStep[];
  readonly status: 'success' | 'failure';
  /** Null for the frame of the job itself. */
  readonly provider: ProviderFrame | null;
}

export interface ProviderFrame extends ProviderCall {
  readonly outputs: Readonly<Record<string, unknown>>;
}

export interface Channel {
  readonly id: ChannelId;
  /** The plugin that owns the channel, if it said so. */
  readonly handlerId: string | null;
  readonly os: ChannelOs;
  readonly temp: string | null;
}

/** The command that the environment works on. */
export interface RunningCommand extends StepSettings {
  readonly sequence: number;
  /** Why it was told to stop, if it was. */
  readonly terminated: 'canceled' | 'timeout' | null;
}

/** A step that a provider was asked to turn into steps. Its variables and working directory hold for these too. */
export interface ProviderCall extends StepSettings {
  readonly uses: string;
  /** Inputs of the call, for the scripts that take its place. */
  readonly inputs: Variables;
  readonly variables: Variables;
  readonly workingDirectory: string | null;
  /** Whether hooks hold for it. */
  readonly isHooked: boolean;
}

/** The attempt of a judged step that runs, or whose results are judged. Steps in their first attempt have none until they are judged. */
export interface Judging {
  /** From 1. */
  readonly attempt: number;
  /** Names of the results of the tests that run again; empty in the first attempt. */
  readonly retried: ReadonlySet<string>;
  /** The judge was asked, or answered that the step runs again at a time. Null while the attempt runs. */
  readonly ended: { readonly deadlineMs: number; readonly answer: TestsResultEvent | null } | null;
}

/** The workspace of a job, as hooks choose it. */
export interface Workspace {
  /** The workspace that a command made or will make. It is fresh, or a hook gave it. */
  readonly made: 'none' | 'fresh' | 'given';
  /** The directory that a hook gave; null is a fresh workspace. */
  readonly directory: string | null;
  /** A hook wants it to stay. */
  readonly isKept: boolean;
  /** The command that was to make it was stopped, and did not report that it had. */
  readonly isUncertain: boolean;
}

/** Jobs that stand side by side: those of the workflow, or those of one bundle. */
export interface JobSet extends Limits {
  /** Number of its jobs that have, or ask for, an environment. */
  readonly active: number;
  /** The jobs of the set that are not over were told to stop. */
  readonly halted: boolean;
  /** Key of the job that failed, one of them or in a bundle of them. Null where they stop for another reason. */
  readonly haltedBy: string | null;
}

/** The key of a job that makes it a bundle. */
export type BundleCategory = 'jobs' | 'matrix' | 'generator' | 'uses';

/** A job of our own that fetches the workflow that a bundle calls. */
export interface Download extends RepositoryReference {
  /** Key of the job. */
  readonly job: string;
  /** Step of the job that fetches. */
  readonly stepId: StepId;
}

/** State that only a bundle has. */
export interface Bundle {
  readonly category: BundleCategory;
  readonly set: JobSet;
  /** Keys of its jobs, in their order; empty before it is expanded. */
  readonly children: readonly string[];
  /** Came with its jobs: outputs that are evaluated at its end, and data of a test referential about their tests. */
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly managedTests: Readonly<Record<string, unknown>>;
  /** Null for jobs that are not those of a called workflow. */
  readonly called: CalledWorkflow | null;
  /** From its begin until it has its jobs, if they are in a repository. */
  readonly download: Download | null;
  /** Why it gets no jobs, once that is known. */
  readonly error: string | null;
}

export interface Job {
  /** Unique in the run: the names of the bundles around it and its own, joined by slashes. */
  readonly key: string;
  /** Key of the bundle that it is a job of; null for a job of the workflow. */
  readonly parent: string | null;
  /** Ids of the bundles around it, outermost first. */
  readonly origin: readonly JobId[];
  /** For readers: the last name of its key; for a job of a matrix a name with its values. */
  readonly name: string;
  /** The values of its cell, for a job of a matrix. */
  readonly matrix: Cell | null;
  readonly definition: WorkflowJob;
  readonly phase:
    | 'WAITING'
    | 'REQUESTED'
    | 'GENERATING'
    | 'RUNNING'
    | 'EXPANDED'
    | 'RELEASING'
    | 'COMPLETED';
  /** Null for a job of steps. */
  readonly bundle: Bundle | null;
  /** Null until the job asks for an environment or for its jobs, or is expanded. */
  readonly jobId: JobId | null;
  readonly tags: readonly string[];
  readonly requestedAt: Timestamp | null;
  /** When it got its environment, or was expanded. */
  readonly startedAt: Timestamp | null;
  /** When its first command began, which a function may keep waiting. */
  readonly workedAt: Timestamp | null;
  readonly endedAt: Timestamp | null;
  /** Epoch milliseconds after which the phase REQUESTED, GENERATING, RUNNING or EXPANDED is over-long; null before. */
  readonly deadlineMs: number | null;
  readonly timeoutMs: number;
  /** The run was cancelled while the job ran. One that starts after that, as its `if` asks, runs like any other. */
  readonly canceled: boolean;
  /** A job that ran too long may clean up (`always()` steps) for a while. Then nothing of it runs any more. */
  readonly overtime: 'none' | 'cleanup' | 'over';
  readonly channel: Channel | null;
  /** The channel that it has or had. */
  readonly ranOn: ChannelId | null;
  readonly nextSequence: number;
  /** The job's own frame first, the innermost last. */
  readonly frames: readonly Frame[];
  readonly command: RunningCommand | null;
  readonly providerCall: ProviderCall | null;
  readonly judging: Judging | null;
  /** Variables that steps left in the variables file. */
  readonly persisted: Readonly<Record<string, string>>;
  readonly workspace: Workspace;
  readonly waiting: WaitingReason | null;
  /** True once the concurrency group of the job was granted, or when it has none. */
  readonly granted: boolean;
  /** The run that took over its concurrency group, if that ended the job. */
  readonly supersededBy: SupersededBy | null;
  readonly result: JobResult | null;
  readonly outputs: Readonly<Record<string, string>>;
  readonly attachments: ReadonlyMap<AttachmentId, AttachmentOrigin>;
  /** Times of the manifest's steps, in the order of their requests. A list: it is copied faster than a map, once for each step. */
  readonly spans: readonly StepSpan[];
}

/** The origin of an attachment, for the test results in it. */
export interface AttachmentOrigin {
  /** The step of the manifest, whatever nested step attached the file. */
  readonly stepId: StepId;
  readonly type: string | null;
  readonly at: Timestamp;
  /**
   * Index of the first attachment of the same attempt of the same step in the job, from 0. Later steps have later executions of tests. All
   * attachments of one attempt count as run together, as reports of several projects are.
   */
  readonly order: number;
  /** The attempt of a judged step; absent for its first attempt, and for other steps. */
  readonly retry?: Pick<Judging, 'attempt' | 'retried'>;
  /** Absent before the first test results of it. */
  readonly tests?: ReportedTests;
}

/** The origin of an attachment that a step makes now. */
export function attachmentOf(
  { attachments, judging }: Job,
  stepId: StepId,
): Pick<AttachmentOrigin, 'stepId' | 'order' | 'retry'> {
  const attempt = judging?.attempt ?? 1;
  const known = [...attachments.values()].find(
    (each) => each.stepId === stepId && attemptOf(each) === attempt,
  );
  const order = known?.order ?? attachments.size;
  if (judging === null || attempt === 1) return { stepId, order };
  return { stepId, order, retry: { attempt, retried: judging.retried } };
}

export const attemptOf = ({ retry }: AttachmentOrigin): number => retry?.attempt ?? 1;

/** Tests and errors that the reports of one attachment gave so far. */
export interface ReportedTests {
  /** The test case that general errors are shown with. It is null before the first result, and never changes once both exist. */
  readonly first: FirstTest | null;
  readonly errorCount: number;
  /** The errors that came before any result. */
  readonly waiting: readonly GeneralError[];
}

export interface FirstTest {
  readonly name: string;
  readonly suite?: string;
  /** False for one that was skipped, which stands in until another was executed. */
  readonly isExecuted: boolean;
}

/** Times of a step of the manifest, for its test cases: when it was asked for, began and ended. */
export interface StepSpan {
  readonly stepId: StepId;
  readonly askedAt: Timestamp;
  /** Time of the first command; a function may delay it. */
  readonly startedAt: Timestamp | null;
  readonly endedAt: Timestamp | null;
}

/** Searches from the end: mostly the last step is asked for. */
export function spanOf({ spans }: Job, stepId: StepId): StepSpan | null {
  return spans.findLast((each) => each.stepId === stepId) ?? null;
}

export interface Cancellation {
  readonly reason: string | null;
  readonly source: string | null;
  /** `user` for the killswitch; the others are our own decisions. */
  readonly cause: 'user' | 'timeout' | 'superseded' | 'error';
  /** Actor of the request; absent where the server itself stops the run. */
  readonly actor?: Actor;
}

export interface Run {
  readonly phase: 'NONE' | 'PENDING' | 'RUNNING' | 'DONE' | 'FAILED';
  readonly workflowId: WorkflowId;
  readonly name: string;
  readonly namespace: string;
  readonly apiGroup: string;
  readonly createdAt: Timestamp;
  readonly completedAt: Timestamp | null;
  readonly deadlineMs: number | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly manifest: WorkflowManifest;
  /** By key: those of the workflow in its order, then those of bundles as these were expanded. */
  readonly jobs: ReadonlyMap<string, Job>;
  readonly jobKeys: ReadonlyMap<JobId, string>;
  /** Names of the jobs of the workflow that may run; null for all. */
  readonly chosen: ReadonlySet<string> | null;
  readonly taken: TakenJobs | null;
  /** The jobs of the workflow itself. */
  readonly set: JobSet;
  readonly granted: boolean;
  /** When the concurrency group of the workflow was; null before, and when it has none. */
  readonly grantedAt: Timestamp | null;
  /** Why the whole workflow waits, if it does. */
  readonly waiting: WaitingReason | null;
  readonly cancellation: Cancellation | null;
  readonly workers: ReadonlySet<string>;
  /** Resource files: name to name of the blob in the scope of the run. */
  readonly files: Readonly<Record<string, string>>;
  /** The process that accepted it carries it out on its own machine, and no other will. */
  readonly isLocal: boolean;
  /** Paths of the files that steps uploaded for other steps, in the order in which they came. */
  readonly artifacts: readonly string[];
  /** Versions and checkouts that its steps named. */
  readonly tested: Tested;
  /** Texts that are not shown of the run, to nobody. */
  readonly masks: readonly string[];
}

export const isEnded = (run: Run): boolean => run.phase === 'DONE' || run.phase === 'FAILED';

/** Still worth keeping in memory: not over, or somebody works on it. */
export const isLive = (run: Run): boolean =>
  run.phase !== 'NONE' && (!isEnded(run) || run.workers.size > 0);

export function jobById(run: Run, jobId: JobId): Job | null {
  const key = run.jobKeys.get(jobId);
  return key === undefined ? null : (run.jobs.get(key) ?? null);
}

/** The job that attached, or uploaded, a file; null when it is none of this run. */
export function jobOfAttachment(run: Run, attachmentId: AttachmentId): Job | null {
  for (const job of run.jobs.values()) {
    if (job.attachments.has(attachmentId)) return job;
  }
  return null;
}

/** True for a job that stops. Only steps that always run still run in it. */
export const isCanceled = (job: Job): boolean => job.canceled || job.overtime !== 'none';

/** True when the job exceeded its own time limit, and nobody else wanted its end. It counts as a failure, which the job may continue on. */
export const isOverdue = (job: Job): boolean => job.overtime !== 'none' && !job.canceled;

/** Ids of the provider steps around the job's innermost frame, outermost first. */
export function stepOriginOf(job: Job): readonly StepId[] {
  return job.frames.flatMap((frame) => (frame.provider === null ? [] : [frame.provider.stepId]));
}

/** The frame whose steps run now. */
export function topFrame(job: Job): Frame | null {
  return job.frames.at(-1) ?? null;
}

/** The step that runs, or comes next, in the innermost frame; null when all of its steps ended. */
export function currentStep(job: Job): IdentifiedStep | null {
  const frame = topFrame(job);
  return frame?.steps[frame.next] ?? null;
}

export const emptySet: JobSet = {
  maxParallel: null,
  active: 0,
  failFast: false,
  halted: false,
  haltedBy: null,
};

export const emptyBundle: Omit<Bundle, 'category'> = {
  set: emptySet,
  children: [],
  outputs: {},
  managedTests: {},
  called: null,
  download: null,
  error: null,
};

export const emptyRun: Run = {
  phase: 'NONE',
  workflowId: '' as WorkflowId,
  name: '',
  namespace: '',
  apiGroup: '',
  createdAt: '' as Timestamp,
  completedAt: null,
  deadlineMs: null,
  labels: {},
  inputs: {},
  manifest: { metadata: { name: '' }, jobs: {} },
  jobs: new Map(),
  jobKeys: new Map(),
  chosen: null,
  taken: null,
  set: emptySet,
  granted: true,
  grantedAt: null,
  waiting: null,
  cancellation: null,
  workers: new Set(),
  files: {},
  isLocal: false,
  artifacts: [],
  tested: NOTHING_TESTED,
  masks: [],
};

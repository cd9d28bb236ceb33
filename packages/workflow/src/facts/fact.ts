/**
 * Facts: the events of a run, as types. `factOf` reads each event of the log as one fact. A reader of facts switches over `type`, so the
 * compiler finds a forgotten fact. A fact has the content that the interface has no word for; ids, times and logs are in its `event`. A
 * `job` is a key: the names of the bundles around a job and its own. Null: the event has no such entry, as those of plugins and other
 * servers.
 */

import type {
  AttachmentId,
  ExecutionCommandEvent,
  ExecutionErrorEvent,
  ExecutionResultEvent,
  GeneralError,
  GeneratorCommandEvent,
  GeneratorResultEvent,
  Hook,
  JobId,
  MissingReports,
  NotificationEvent,
  ProviderCommandEvent,
  ProviderResultEvent,
  ReportFault,
  StepId,
  TestsCommandEvent,
  TestsResultEvent,
  Variables,
  WaitingReason,
  WorkflowCanceledEvent,
  WorkflowCancellationEvent,
  WorkflowCompletedEvent,
  WorkflowEvent,
  WorkflowId,
  WorkflowManifest,
  WorkflowResultEvent,
} from '@tutti/manifests';
import type { LineRange } from './line-ranges.ts';

export type JobResult = 'success' | 'failure' | 'cancelled' | 'skipped';
export type StepOutcome = JobResult;
type Entries = Readonly<Record<string, unknown>>;
type Outputs = Readonly<Record<string, string>>;

/** Settings that sibling jobs share. */
export interface Limits {
  /** Jobs in it, at any depth, that may have, or ask for, an environment at one time. */
  readonly maxParallel: number | null;
  /** The first of them that fails stops the others. */
  readonly failFast: boolean;
}

/** Settings of a bundle, evaluated when it is expanded. */
export interface BundleSettings extends Limits {
  /** Time from its expansion to the end of its last job; null for no limit. */
  readonly timeoutMs: number | null;
}

/** Results that a run takes over from an earlier run; never shown. */
export interface TakenJobs {
  readonly from: WorkflowId;
  /** Jobs by key, also jobs in bundles. */
  readonly jobs: ReadonlyMap<string, TakenJob>;
}

/** A job as it ended in an earlier run. */
export interface TakenJob {
  readonly result: JobResult;
  readonly outputs: Outputs;
  /** Two jobs with equal keys and marks are the same job, unchanged between runs (`markOf`). */
  readonly mark: string;
  /** Id of the job in the earlier run. */
  readonly jobId: JobId | null;
  /** Artifacts that the job, or a job in it, uploaded. */
  readonly artifacts: readonly AttachmentId[];
}

/** A file in a repository. */
export interface RepositoryReference {
  /** The name of a resource of the workflow, or an address. */
  readonly repository: string;
  /** From the root of the repository. */
  readonly path: string;
  /** A branch, a tag or a commit; null is the main branch. */
  readonly ref: string | null;
}

/** A file in a repository, and the commit at which it was read. */
export interface FetchedReference extends RepositoryReference {
  readonly commit: string;
}

/** The file that a job calls, and the blob in which it is kept. */
export interface CalledFile {
  /** Name of the file in the run, or a made-up name for one in a repository. */
  readonly file: string;
  readonly blob: string;
  /** Null for a file that came with the run. */
  readonly fetched: FetchedReference | null;
}

/** The workflow whose jobs a bundle got: what of it holds for them. */
export interface CalledWorkflow extends BundleSettings, Omit<CalledFile, 'blob'> {
  readonly name: string;
  readonly inputs: Entries;
  readonly variables: Variables;
  readonly defaults: NonNullable<WorkflowManifest['defaults']>;
  /** Names of its resource files. */
  readonly files: readonly string[];
  readonly hooks: readonly Hook[];
}

/** The concurrency group of a job, and the run that took it over. */
export interface SupersededBy {
  readonly group: string;
  readonly by: WorkflowId;
}

/** Choice of a hook step: which directory is the workspace, and whether it is kept. */
export interface WorkspaceChoice {
  readonly directory: string | null;
  readonly isKept: boolean | null;
}

interface Result {
  /** Number of output lines that earlier notifications already had. */
  readonly streamed: number;
  /** Output lines that came on standard error, of those that no notification had. */
  readonly stderr: readonly LineRange[];
  /** The environment was lost before: the step had no exit code. */
  readonly isNotRun: boolean;
  /** Reports that the step named and that the result does not have. */
  readonly missingReports: readonly MissingReports[];
}

interface Report {
  /** Errors that came with no test result, each of the attachment that it names, or that the notification is about. */
  readonly generalErrors: readonly (GeneralError & {
    readonly attachment_origin?: AttachmentId;
  })[];
  /** Test cases of the attachment may be missing. */
  readonly fault: ReportFault | null;
}

/** Facts of notifications. */
interface Notices {
  /** The end of a job that never had an environment, or of a bundle. */
  readonly JobEnded: {
    readonly job: string;
    readonly result: JobResult;
    readonly outputs: Outputs;
    readonly isForgiven: boolean;
    readonly supersededBy: SupersededBy | null;
    /** The run and the id under which it ended. */
    readonly taken: { readonly from: WorkflowId; readonly jobId: JobId | null } | null;
  };
  /** The jobs of a bundle must stop, because one of them failed. The empty key stands for those of the run. */
  readonly Halted: {
    readonly bundle: string;
    /** The job that failed, one of these or in a bundle of these. Events of earlier versions do not name it. */
    readonly failed: string | null;
    /** The bundle around it whose jobs go on. */
    readonly spared: string | null;
  };
  /** A concurrency group is free for a job, or with the empty key for the run. */
  readonly Granted: { readonly job: string };
  /** A job fetches the workflow that a bundle calls, in a step of that id. */
  readonly DownloadBegun: BundleSettings &
    RepositoryReference & { readonly bundle: string; readonly stepId: StepId };
  /** Why a job, or the run, waits; one event per change. */
  readonly Held: { readonly job: string | null; readonly reason: WaitingReason };
  readonly JobOverdue: object;
  readonly StepOverdue: object;
  /** Another job takes over the concurrency group of one that runs. */
  readonly Superseded: { readonly by: SupersededBy };
  /** The run itself says that a step is over. Outcomes in events of other programs do not count. */
  readonly StepEnded: WorkspaceChoice & {
    readonly name: string | null;
    readonly outcome: StepOutcome;
    readonly conclusion: StepOutcome;
    readonly outputs: Outputs;
  };
  /** Lines of a step that runs. They come again in `logs` of its result, and existing clients would print `logs` twice. */
  readonly StepPrinted: {
    readonly lines: readonly string[];
    /** Lines that came on standard error. */
    readonly stderr: readonly LineRange[];
  };
  readonly WorkerChanged: Report;
  /** Test results, or warnings about the report that they are in. */
  readonly ReportRead: Report;
  /** Lines for the log, or entries of plugins. */
  readonly Noted: object;
}

interface Contents extends Notices {
  readonly RunReceived: Limits & {
    /** Epoch milliseconds after which the run has taken too long. */
    readonly deadlineMs: number | null;
    readonly inputs: Entries;
    /** The blobs of its resource files, by name. */
    readonly files: Outputs;
    /** The process that accepted the run carries it out within one command; no server resumes it later. */
    readonly isLocal: boolean;
    /** Names of the jobs that were asked for; empty for all. */
    readonly chosen: readonly string[];
    readonly taken: TakenJobs | null;
    /** `traceparent` of the request that started the run. */
    readonly traceparent: string | null;
  };
  /** `timeoutMs`: how long the job may wait for it, and again how long it may run there. 0 for no limit. */
  readonly EnvironmentRequested: { readonly job: string | null; readonly timeoutMs: number };
  /** `hooks`: steps that the operator of the environment wants around each job there. */
  readonly EnvironmentOffered: Result & { readonly hooks: readonly Hook[] };
  readonly StepStarted: {
    /** Null for one without a name, or whose name stands in the workflow as it is. */
    readonly name: string | null;
    readonly continueOnError: boolean;
    readonly deadlineMs: number | null;
    /** The name of the hook that the step is of. */
    readonly hook: string | null;
    /** Names of its variables that are secrets. */
    readonly secrets: readonly string[];
  };
  /** A step that runs is told to stop. */
  readonly StepStopped: { readonly cause: 'canceled' | 'timeout' };
  readonly StepAnswered: Result;
  readonly JobReleased: {
    readonly result: JobResult | null;
    readonly outputs: Outputs;
    /** The job failed, and its `continue-on-error` makes that a success. */
    readonly isForgiven: boolean;
  };
  readonly EnvironmentFreed: Result;
  /** `isHooked`: whether hooks hold for it. `attempt`: 2 and more where a judged step runs again. */
  readonly FunctionCalled: {
    readonly deadlineMs: number | null;
    readonly isHooked: boolean;
    readonly attempt: number;
    /** The tests that run, for the tool; empty for all. */
    readonly selection: readonly string[];
  };
  /** `problems`: mistakes in the answer; only on the way to the run. */
  readonly FunctionAnswered: { readonly problems: readonly string[] };
  /** The reports of a judged step are read. */
  readonly TestsAsked: object;
  readonly TestsJudged: object;
  /** Somebody is asked for the jobs of a bundle; a generator has no file. */
  readonly JobsAsked: BundleSettings & {
    readonly job: string | null;
    readonly called: CalledFile | null;
  };
  readonly JobsGiven: BundleSettings & {
    readonly job: string | null;
    /** The server read the workflow that is called. */
    readonly isOfFile: boolean;
    readonly called: CalledWorkflow | null;
    /** The values of each job of a matrix, by its name; null for other jobs. */
    readonly cells: Readonly<Record<string, Entries>> | null;
    /** Mistakes in the jobs; present only until the run has read the result. */
    readonly problems: readonly string[];
  };
  /** Why a report was not made, or was made without all test cases. */
  readonly FilesPublished: { readonly skipped: string | null; readonly incomplete: string | null };
  readonly RunFailed: object;
  readonly CancellationAsked: { readonly cause: 'superseded' | 'timeout' | 'user' };
  readonly RunSucceeded: object;
  readonly RunEnded: object;
}

/** All fields of the facts with these types. */
export type Content<Type extends keyof Contents> = Type extends unknown
  ? Contents[Type] & { readonly type: Type }
  : never;
export type Notice = Content<keyof Notices>;

type Case<Event, Type extends keyof Contents> = Content<Type> & { readonly event: Event };

export type Fact =
  | Case<WorkflowEvent, 'RunReceived'>
  | Case<
      ExecutionCommandEvent,
      'EnvironmentRequested' | 'StepStarted' | 'StepStopped' | 'JobReleased'
    >
  | Case<ExecutionResultEvent, 'EnvironmentOffered' | 'StepAnswered' | 'EnvironmentFreed'>
  | Case<ProviderCommandEvent, 'FunctionCalled'>
  | Case<ProviderResultEvent, 'FunctionAnswered'>
  | Case<TestsCommandEvent, 'TestsAsked'>
  | Case<TestsResultEvent, 'TestsJudged'>
  | Case<GeneratorCommandEvent, 'JobsAsked'>
  | Case<GeneratorResultEvent, 'JobsGiven'>
  | Case<ExecutionErrorEvent, 'RunFailed'>
  | Case<NotificationEvent, keyof Notices>
  | Case<WorkflowResultEvent, 'FilesPublished'>
  | Case<WorkflowCancellationEvent, 'CancellationAsked'>
  | Case<WorkflowCompletedEvent, 'RunSucceeded'>
  | Case<WorkflowCanceledEvent, 'RunEnded'>;

/** The facts that events of these kinds tell. */
export type FactIn<Event> = Extract<Fact, { readonly event: Event }>;

export type FactOf<Type extends Fact['type']> = Extract<Fact, { readonly type: Type }>;

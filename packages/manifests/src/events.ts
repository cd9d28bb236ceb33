/**
 * Events of the bus (specification part 6; shapes from the wire facts of existing plugins). A workflow is its log of these
 * events: they are stored unchanged, and everything else is folded from them.
 *
 * Names are the wire's. Entries of `metadata` and `spec` whose name has a dot are Tutti's own extensions; other readers
 * ignore them.
 */
import type { AttachmentId, ChannelId, JobId, StepId, WorkflowId } from './ids.ts';
import type { Timestamp } from './timestamps.ts';
import type {
  Hook,
  StepTests,
  Variables,
  WorkflowJobs,
  WorkflowManifest,
  WorkflowStep,
} from './workflow-manifest.ts';

/** Numbers of commands in their job: steps count from 0, the negative numbers drive the channel. */
export const STEP_SEQUENCE = {
  request: -1,
  release: -2,
  notify: -3,
  terminate: -4,
  kill: -9,
} as const;

export type Labels = Readonly<Record<string, string>>;

export interface EventMetadata {
  readonly name: string;
  readonly workflow_id: WorkflowId;
  readonly creationTimestamp: Timestamp;
  readonly namespace: string;
  readonly labels?: Labels;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly [other: string]: unknown;
}

export interface JobMetadata extends EventMetadata {
  readonly job_id: JobId;
  /** Ids of the bundles this job is in, outermost first; empty for a job of the workflow itself. */
  readonly job_origin: readonly JobId[];
}

export interface StepMetadata extends JobMetadata {
  readonly step_id: StepId;
  /** Ids of the provider steps this step came from, outermost first; empty for a step of the manifest. */
  readonly step_origin: readonly StepId[];
}

export interface WorkflowEvent {
  readonly apiVersion: string;
  readonly kind: 'Workflow';
  readonly metadata: EventMetadata;
  readonly [key: string]: unknown;
  readonly jobs: WorkflowManifest['jobs'];
  readonly variables?: Variables;
}

/**
 * A command for a channel. `step_sequence_id` -1 asks for an environment and -2 releases it. -4 and -9 stop the running command. 0 and
 * above are the steps, in order. All but -1 name the chosen channel.
 */
export interface ExecutionCommandEvent {
  readonly apiVersion: string;
  readonly kind: 'ExecutionCommand';
  readonly metadata: StepMetadata & {
    readonly step_sequence_id: number;
    readonly channel_id?: ChannelId;
    readonly channel_os?: ChannelOs;
    readonly channel_temp?: string;
    /** Paths of the files that earlier steps of the run uploaded; absent when there are none. */
    readonly artifacts?: readonly string[];
  };
  readonly 'runs-on': readonly string[];
  readonly scripts: readonly string[];
  readonly shell?: string;
  readonly variables?: Variables;
  readonly 'working-directory'?: string;
}

export type ChannelOs = 'linux' | 'macos' | 'windows';

/** The parameters of an `::attach` line, and the id under which localstore serves the file. */
export interface AttachmentMetadata {
  readonly uuid: AttachmentId;
  readonly type?: string;
  readonly name?: string;
  readonly [parameter: string]: string | undefined;
}

/** The answer to an ExecutionCommand; for -1 it is an offer of a channel. `status` is the exit code. */
export interface ExecutionResultEvent {
  readonly apiVersion: string;
  readonly kind: 'ExecutionResult';
  readonly metadata: StepMetadata & {
    readonly step_sequence_id: number;
    readonly channel_id?: ChannelId;
    readonly channel_os?: ChannelOs;
    readonly channel_temp?: string;
    /** Attachments by their paths in `attachments`. */
    readonly attachments?: Readonly<Record<string, AttachmentMetadata>>;
  };
  readonly status: number;
  readonly logs?: readonly string[];
  readonly outputs?: Readonly<Record<string, string>>;
  readonly attachments?: readonly string[];
  /** Variables that the step left in its variables file. */
  readonly variables?: Readonly<Record<string, string>>;
}

export interface ProviderCommandEvent {
  readonly apiVersion: string;
  readonly kind: 'ProviderCommand';
  readonly metadata: StepMetadata;
  readonly 'runs-on': readonly string[];
  readonly contexts: Readonly<Record<string, unknown>>;
  readonly step: Readonly<Record<string, unknown>> & { readonly uses: string; readonly id: string };
}

export interface ProviderResultEvent {
  readonly apiVersion: string;
  readonly kind: 'ProviderResult';
  readonly metadata: StepMetadata;
  readonly steps: readonly WorkflowStep[];
  /** The provider's own hooks. A hook applies if its events fit the called function. */
  readonly hooks?: readonly Hook[];
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/** Asks for the jobs of a bundle. */
export interface GeneratorCommandEvent {
  readonly apiVersion: string;
  readonly kind: 'GeneratorCommand';
  readonly metadata: JobMetadata;
  readonly generator: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

/** The jobs that replace a bundle. For a matrix and for jobs in jobs, the run itself makes the event. */
export interface GeneratorResultEvent {
  readonly apiVersion: string;
  readonly kind: 'GeneratorResult';
  readonly metadata: JobMetadata;
  readonly jobs: WorkflowJobs;
  readonly outputs?: Readonly<Record<string, unknown>>;
}

/**
 * Asks what the results of a judged step say, once its reports are read. `attachments` has the reports of each attempt, the first one first.
 * `passed`: whether all commands of the last attempt did.
 */
export interface TestsCommandEvent {
  readonly apiVersion: string;
  readonly kind: 'TestsCommand';
  readonly metadata: StepMetadata;
  readonly uses: string;
  readonly channel_os: ChannelOs;
  readonly passed: boolean;
  readonly attachments: readonly (readonly AttachmentId[])[];
  readonly tests: StepTests;
}

/** The verdict about a judged step. After `retry`, its call runs again. */
export interface TestsResultEvent {
  readonly apiVersion: string;
  readonly kind: 'TestsResult';
  readonly metadata: StepMetadata;
  readonly verdict: 'success' | 'failure' | 'retry';
  /** Numbers of tests, by what became of them so far. Spared ones failed in quarantine. */
  readonly counts: { readonly failed: number; readonly spared: number; readonly flaked: number };
  /** Names of the results of the tests to run again; empty for other verdicts. */
  readonly retried: readonly string[];
  /** The selection of these for the tool; empty if all of the call runs again. */
  readonly selection: readonly string[];
  readonly logs: readonly string[];
}

export interface ExecutionErrorEvent {
  readonly apiVersion: string;
  readonly kind: 'ExecutionError';
  readonly metadata: EventMetadata;
  readonly details: { readonly error: string; readonly [key: string]: unknown };
}

export type TestResultStatus = 'SUCCESS' | 'FAILURE' | 'ERROR' | 'SKIPPED';

export interface TestResultDetails {
  readonly message?: string;
  readonly type?: string;
  readonly text?: string;
}

/** An error of a whole report, not of one test case. */
export interface GeneralError {
  readonly message: string;
  readonly timestamp?: string;
}

/** One execution of one test case, as an interpreter found it in an attachment. `duration` is in milliseconds. */
export interface TestResult {
  readonly id: string;
  /** `suite#test case` */
  readonly name: string;
  readonly status: TestResultStatus;
  readonly duration: number;
  readonly attachment_origin: AttachmentId;
  readonly suite?: string;
  readonly failureDetails?: TestResultDetails;
  readonly errorDetails?: TestResultDetails;
  readonly warningDetails?: TestResultDetails;
  readonly errorsList?: readonly GeneralError[];
}

export interface NotificationEvent {
  readonly apiVersion: string;
  readonly kind: 'Notification';
  readonly metadata: EventMetadata & {
    readonly job_id?: JobId;
    readonly job_origin?: readonly JobId[];
    readonly step_id?: StepId;
    readonly step_origin?: readonly StepId[];
    readonly step_sequence_id?: number;
    readonly attachment_origin?: readonly AttachmentId[];
  };
  readonly spec: {
    readonly logs?: readonly string[];
    readonly worker?: { readonly worker_id: string; readonly status: 'setup' | 'teardown' };
    readonly testResults?: readonly TestResult[];
    readonly outcome?: string;
    readonly conclusion?: string;
  };
}

export interface UnreachableEnvironment {
  readonly name: string;
  readonly channel_id: ChannelId;
  readonly since: Timestamp;
}

/** Matching environments that drain: somebody is taking them out of service. */
export interface DrainingEnvironments {
  readonly environments: readonly { readonly name: string; readonly channel_id: ChannelId }[];
  /** Number of all of them; `environments` names at most the first ten. */
  readonly matching: number;
}

/** The reason why a job waits. `job` is the name of the job, `tags` are those it asks for. */
export type WaitingReason =
  | {
      readonly reason: 'no-environment';
      readonly tags: readonly string[];
      readonly namespace: string;
      /** Tags that no environment of the namespace has. Empty when each tag exists, but no environment has all of them. */
      readonly missingTags: readonly string[];
    }
  | {
      readonly reason: 'busy';
      readonly tags: readonly string[];
      readonly namespace: string;
      readonly environments: readonly {
        readonly name: string;
        readonly channel_id: ChannelId;
        /** The job that holds it; null if that is of another namespace, or unknown. */
        readonly workflow_id: WorkflowId | null;
        readonly job_id: JobId | null;
        /** Name of that job, if it is of the same run. */
        readonly job_name?: string;
      }[];
      /** Number of all matching environments; `environments` names at most the first ten. */
      readonly matching: number;
      /** Matching environments that are unreachable; absent when there are none. */
      readonly unreachable?: {
        readonly environments: readonly UnreachableEnvironment[];
        readonly matching: number;
      };
      /** Matching environments that drain: they take no further job. Absent when there are none. */
      readonly draining?: DrainingEnvironments;
    }
  | {
      readonly reason: 'unreachable';
      readonly tags: readonly string[];
      readonly namespace: string;
      readonly environments: readonly UnreachableEnvironment[];
      readonly matching: number;
      /** Further matching environments that drain: they take no further job. Absent when there are none. */
      readonly draining?: DrainingEnvironments;
    }
  | ({
      readonly reason: 'draining';
      readonly tags: readonly string[];
      readonly namespace: string;
    } & DrainingEnvironments)
  | { readonly reason: 'max-parallel'; readonly limit: number; readonly running: number }
  | {
      readonly reason: 'concurrency';
      readonly group: string;
      readonly heldBy: WorkflowId;
      /** Name of the job that holds it, if that is of the same run. */
      readonly heldByJob?: string;
    };

export interface WorkflowResultEvent {
  readonly apiVersion: string;
  readonly kind: 'WorkflowResult';
  readonly metadata: EventMetadata & {
    readonly attachments: Readonly<Record<string, AttachmentMetadata>>;
    readonly job_id?: JobId;
    readonly request_id?: string;
  };
  readonly attachments: readonly string[];
}

export interface WorkflowCancellationEvent {
  readonly apiVersion: string;
  readonly kind: 'WorkflowCancellation';
  readonly metadata: EventMetadata;
  readonly details?: { readonly reason?: string; readonly source?: string };
}

export interface WorkflowCompletedEvent {
  readonly apiVersion: string;
  readonly kind: 'WorkflowCompleted';
  readonly metadata: EventMetadata;
  readonly outputs?: Readonly<Record<string, string>>;
}

/** The end of a run that did not succeed; `details.status` is `cancelled` after a cancellation. */
export interface WorkflowCanceledEvent {
  readonly apiVersion: string;
  readonly kind: 'WorkflowCanceled';
  readonly metadata: EventMetadata;
  readonly details: {
    readonly reason?: string;
    readonly source?: string;
    readonly status?: 'cancelled';
  };
  readonly outputs?: Readonly<Record<string, string>>;
}

/** Every event of a run whose kind the run itself knows. */
export type RunEvent =
  | WorkflowEvent
  | ExecutionCommandEvent
  | ExecutionResultEvent
  | ProviderCommandEvent
  | ProviderResultEvent
  | GeneratorCommandEvent
  | GeneratorResultEvent
  | TestsCommandEvent
  | TestsResultEvent
  | ExecutionErrorEvent
  | NotificationEvent
  | WorkflowResultEvent
  | WorkflowCancellationEvent
  | WorkflowCompletedEvent
  | WorkflowCanceledEvent;

export type RunEventKind = RunEvent['kind'];
export type RunEventOf<Kind extends RunEventKind> = Extract<RunEvent, { kind: Kind }>;

/** An event of a kind that only plugins know, about a run. It is kept and shown, and has no effect. */
export interface OtherEvent {
  readonly apiVersion?: string;
  /** Any kind other than those of a RunEvent. */
  readonly kind: string;
  readonly metadata: EventMetadata;
  readonly [key: string]: unknown;
}

/** Any event in the log of a run. */
export type LoggedEvent = RunEvent | OtherEvent;

/** The version in `{api_group}/{version}`, per kind (specification part 6 and part 9). */
export const EVENT_VERSIONS = {
  Workflow: 'v1beta1',
  ExecutionCommand: 'v1beta1',
  ProviderCommand: 'v1beta1',
  ProviderResult: 'v1beta1',
  GeneratorCommand: 'v1alpha1',
  GeneratorResult: 'v1beta1',
  TestsCommand: 'v1alpha1',
  TestsResult: 'v1alpha1',
  ExecutionResult: 'v1alpha1',
  ExecutionError: 'v1alpha1',
  Notification: 'v1alpha1',
  WorkflowResult: 'v1alpha1',
  WorkflowCancellation: 'v1',
  WorkflowCompleted: 'v1alpha1',
  WorkflowCanceled: 'v1alpha1',
} as const satisfies Record<RunEventKind, string>;

export function isRunEvent(event: LoggedEvent): event is RunEvent {
  return isRunEventKind(event.kind);
}

/** True for a kind that a run knows. */
export function isRunEventKind(kind: unknown): kind is RunEventKind {
  return typeof kind === 'string' && Object.hasOwn(EVENT_VERSIONS, kind);
}

/** The longest kind, in characters; those of known plugins have 20. */
const OTHER_KIND_LENGTH_MAX = 256;

/** True for an unknown kind that a run keeps. */
export function isOtherEventKind(kind: unknown): kind is string {
  const isName = typeof kind === 'string' && kind !== '' && kind.length <= OTHER_KIND_LENGTH_MAX;
  return isName && !Object.hasOwn(EVENT_VERSIONS, kind);
}

/** Kinds that the specification (2.9 and part 6) writes without a group, and plugins with one (wire facts 2.2). */
export const UNGROUPED: ReadonlySet<string> = new Set<RunEventKind>([
  'ExecutionResult',
  'Notification',
]);
export const UNGROUPED_VERSION = 'v1';

export function apiVersionOf(apiGroup: string, kind: RunEventKind): string {
  return UNGROUPED.has(kind) ? UNGROUPED_VERSION : `${apiGroup}/${EVENT_VERSIONS[kind]}`;
}

/** The version that a plugin gave. Kinds with a single version always have that one. */
export function apiVersionAsNamed(given: unknown, kind: RunEventKind): unknown {
  return UNGROUPED.has(kind) ? UNGROUPED_VERSION : given;
}

/**
 * Events of the bus (specification part 6; shapes from the wire facts of existing plugins). A workflow is its log of these
 * events: they are stored as they are, and everything else is folded from them.
 *
 * Names are the wire's. Entries of `metadata` and `spec` whose name has a dot are Tutti's own extensions; other readers
 * ignore them.
 */
import type { AttachmentId, ChannelId, JobId, StepId, WorkflowId } from './ids.ts';
import type { Timestamp } from './timestamps.ts';
import type {
  Hook,
  Variables,
  WorkflowJobs,
  WorkflowManifest,
  WorkflowStep,
} from './workflow-manifest.ts';

/** Where a command runs in its job: steps count from 0, the negative numbers drive the channel. */
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
 * A command for a channel. `step_sequence_id` -1 asks who can run the job, -2 ends it, -4 and -9 stop the command that
 * runs, 0 and above are the steps in their order. All but -1 name the channel that was chosen.
 */
export interface ExecutionCommandEvent {
  readonly apiVersion: string;
  readonly kind: 'ExecutionCommand';
  readonly metadata: StepMetadata & {
    readonly step_sequence_id: number;
    readonly channel_id?: ChannelId;
    readonly channel_os?: ChannelOs;
    readonly channel_temp?: string;
    /** Paths of the files that steps of the run uploaded before; absent when there are none. */
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
    /** Keyed by the path given in `attachments`. */
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
  /** The provider's own hooks; those whose events fit the function that was called hold. */
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

/** The jobs that take the place of a bundle; for a matrix and for jobs in jobs the run itself makes it. */
export interface GeneratorResultEvent {
  readonly apiVersion: string;
  readonly kind: 'GeneratorResult';
  readonly metadata: JobMetadata;
  readonly jobs: WorkflowJobs;
  readonly outputs?: Readonly<Record<string, unknown>>;
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

/** An error that is about no single test case. */
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

/** Environments that match and take no job any more: somebody is about to take them out of service. */
export interface DrainingEnvironments {
  readonly environments: readonly { readonly name: string; readonly channel_id: ChannelId }[];
  /** All of them, of which `environments` names at most the first ten. */
  readonly matching: number;
}

/** Why a job waits, as data. `job` is the job's name, `tags` what it asks for. */
export type WaitingReason =
  | {
      readonly reason: 'no-environment';
      readonly tags: readonly string[];
      readonly namespace: string;
      /** The tags that no environment of the namespace has; empty when each exists but no one environment has all. */
      readonly missingTags: readonly string[];
    }
  | {
      readonly reason: 'busy';
      readonly tags: readonly string[];
      readonly namespace: string;
      readonly environments: readonly {
        readonly name: string;
        readonly channel_id: ChannelId;
        /** The job that keeps it; null where that is of another namespace than the one that waits, or not known. */
        readonly workflow_id: WorkflowId | null;
        readonly job_id: JobId | null;
        /** Its name, where it is a job of the same run. */
        readonly job_name?: string;
      }[];
      /** All that match, of which `environments` names at most the first ten. */
      readonly matching: number;
      /** Those of them that are not busy but unreachable; absent when there are none. */
      readonly unreachable?: {
        readonly environments: readonly UnreachableEnvironment[];
        readonly matching: number;
      };
      /** Those of them that take no job any more, whatever they do; absent when there are none. */
      readonly draining?: DrainingEnvironments;
    }
  | {
      readonly reason: 'unreachable';
      readonly tags: readonly string[];
      readonly namespace: string;
      readonly environments: readonly UnreachableEnvironment[];
      readonly matching: number;
      /** Those beside them that take no job any more; absent when there are none. */
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
      /** Name of the job that holds it, where that is one of the same run. */
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

/** The end of a run that did not succeed; `details.status` is `cancelled` when somebody asked for it. */
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
  | ExecutionErrorEvent
  | NotificationEvent
  | WorkflowResultEvent
  | WorkflowCancellationEvent
  | WorkflowCompletedEvent
  | WorkflowCanceledEvent;

export type RunEventKind = RunEvent['kind'];
export type RunEventOf<Kind extends RunEventKind> = Extract<RunEvent, { kind: Kind }>;

/** An event that a plugin published about a run under a kind of its own: it is kept and shown, and nothing follows from it. */
export interface OtherEvent {
  readonly apiVersion?: string;
  /** None of the kinds of a RunEvent. */
  readonly kind: string;
  readonly metadata: EventMetadata;
  readonly [key: string]: unknown;
}

/** Every event that the log of a run has. */
export type LoggedEvent = RunEvent | OtherEvent;

/** What follows the slash in `{api_group}/...`, per kind (specification part 6 and part 9). */
export const EVENT_VERSIONS = {
  Workflow: 'v1beta1',
  ExecutionCommand: 'v1beta1',
  ProviderCommand: 'v1beta1',
  ProviderResult: 'v1beta1',
  GeneratorCommand: 'v1alpha1',
  GeneratorResult: 'v1beta1',
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

/** True for a kind that a run keeps without knowing it. */
export function isOtherEventKind(kind: unknown): kind is string {
  const isName = typeof kind === 'string' && kind !== '' && kind.length <= OTHER_KIND_LENGTH_MAX;
  return isName && !Object.hasOwn(EVENT_VERSIONS, kind);
}

/** Kinds that the specification (2.9 and part 6) names without a group, and plugins with one (wire facts 2.2). */
export const UNGROUPED: ReadonlySet<string> = new Set<RunEventKind>([
  'ExecutionResult',
  'Notification',
]);
export const UNGROUPED_VERSION = 'v1';

export function apiVersionOf(apiGroup: string, kind: RunEventKind): string {
  return UNGROUPED.has(kind) ? UNGROUPED_VERSION : `${apiGroup}/${EVENT_VERSIONS[kind]}`;
}

/** What a plugin gave, or the one version of kinds that have no other. */
export function apiVersionAsNamed(given: unknown, kind: RunEventKind): unknown {
  return UNGROUPED.has(kind) ? UNGROUPED_VERSION : given;
}

/** Makes the events of a run: what each kind carries, in one place. */
import type { EvaluationBudget } from '@tutti/expressions';
import {
  type Actor,
  actorEntry,
  apiVersionOf,
  type ExecutionCommandEvent,
  type GeneratorCommandEvent,
  type GeneratorResultEvent,
  type JobId,
  type JobMetadata,
  type NotificationEvent,
  type ProviderCommandEvent,
  printable,
  type RunEvent,
  STEP_SEQUENCE,
  type StepId,
  type Timestamp,
  type WaitingReason,
  type WorkflowCanceledEvent,
  type WorkflowCancellationEvent,
  type WorkflowCompletedEvent,
  type WorkflowId,
  type WorkflowJobs,
} from '@tutti/manifests';
import { hookAnnotation } from '../environment/hook-annotation.ts';
import { type RepositoryReference, referenceText } from './call-reference.ts';
import type { CalledFile } from './calls.ts';
import { fetchedEntries } from './download.ts';
import { flagText } from './extensions.ts';
import { type HaltingFailure, haltSentence } from './fail-fast.ts';
import { functionLabels } from './function-name.ts';
import type { MatrixJobs } from './matrix-jobs.ts';
import {
  type FetchedReference,
  type Job,
  type JobResult,
  type Run,
  type RunningCommand,
  type StepState,
  type SupersededBy,
  stepOriginOf,
} from './run.ts';
import { annotationOfRelease } from './workspace.ts';

/** What `decide` may not make up by itself. */
export interface DecisionContext {
  readonly at: Timestamp;
  /** A fresh UUID at each call. */
  newId(): string;
  /** What the environments of download jobs must have besides the tags of the jobs that call; none if not set. */
  readonly downloadTags?: readonly string[];
}

/** Within a decision: what all that it evaluates may cost together. */
export interface BudgetedContext extends DecisionContext {
  readonly budget: EvaluationBudget;
}

/** What a step of a hook says of the workspace. */
export interface WorkspaceChoice {
  readonly 'tutti.use-workspace'?: string;
  readonly 'tutti.keep-workspace'?: ReturnType<typeof flagText>;
}

type Outputs = Readonly<Record<string, string>>;

/** What is set of a bundle when it is expanded. */
export interface BundleSettings {
  /** From here to the end of its last job; null for no limit. */
  readonly timeoutMs: number | null;
  readonly maxParallel: number | null;
  readonly failFast: boolean;
}

const settingEntries = ({ timeoutMs, maxParallel, failFast }: BundleSettings) => ({
  ...(timeoutMs === null ? {} : { 'tutti.timeout-ms': timeoutMs }),
  ...(maxParallel === null ? {} : { 'tutti.max-parallel': maxParallel }),
  ...(failFast ? { 'tutti.fail-fast': true } : {}),
});

const callEntries = ({ file, blob, fetched }: CalledFile & { fetched?: FetchedReference }) => ({
  file,
  blob,
  ...(fetched === undefined ? {} : fetchedEntries(fetched)),
});

/** What a job that ends gives to others; `isForgiven` as for a release. */
interface JobEnd {
  readonly outputs?: Readonly<Record<string, string>>;
  readonly isForgiven?: boolean;
  readonly superseded?: SupersededBy;
  /** Whose request caused it. */
  readonly actor?: Actor | undefined;
  /** The run and the id under which it ended. */
  readonly taken?: { readonly from: WorkflowId; readonly jobId: JobId | null };
}

const takenEntries = ({ from, jobId }: NonNullable<JobEnd['taken']>) => ({
  workflow_id: from,
  ...(jobId === null ? {} : { job_id: jobId }),
});

const LOG = 'log notification';

export function createEvents(run: Run, context: BudgetedContext) {
  const { at } = context;
  const api = (kind: RunEvent['kind']) => apiVersionOf(run.apiGroup, kind);
  const base = { workflow_id: run.workflowId, namespace: run.namespace, creationTimestamp: at };

  const ofJob = (job: Job, jobId: JobId, name: string): JobMetadata => ({
    name,
    ...base,
    job_id: jobId,
    job_origin: job.origin,
  });
  /** A name alone does not say which job of the run it is. */
  const keyOf = (job: Job) => (job.parent === null ? {} : { 'tutti.job': job.key });

  const command = (
    job: Job,
    sequence: number,
    more: {
      readonly stepId?: StepId;
      readonly stepOrigin?: readonly StepId[];
      readonly metadata?: Readonly<Record<string, unknown>>;
      readonly scripts?: readonly string[];
      readonly body?: Pick<ExecutionCommandEvent, 'variables' | 'shell' | 'working-directory'>;
      readonly tags?: readonly string[];
      readonly jobId?: JobId;
    },
  ): ExecutionCommandEvent => ({
    apiVersion: api('ExecutionCommand'),
    kind: 'ExecutionCommand',
    metadata: {
      ...ofJob(job, more.jobId ?? idOf(job), job.name),
      step_id: more.stepId ?? (context.newId() as StepId),
      step_origin: more.stepOrigin ?? [],
      step_sequence_id: sequence,
      ...(job.channel === null
        ? {}
        : {
            channel_id: job.channel.id,
            channel_os: job.channel.os,
            ...(job.channel.handlerId === null ? {} : { channelhandler_id: job.channel.handlerId }),
            ...(job.channel.temp === null ? {} : { channel_temp: job.channel.temp }),
          }),
      ...more.metadata,
    },
    'runs-on': more.tags ?? job.tags,
    scripts: more.scripts ?? [],
    ...more.body,
  });

  const notification = (
    metadata: Partial<NotificationEvent['metadata']>,
    spec: NotificationEvent['spec'],
  ): NotificationEvent => ({
    apiVersion: api('Notification'),
    kind: 'Notification',
    metadata: { name: LOG, ...base, ...metadata },
    spec: { logs: [], ...spec },
  });

  return {
    at,
    downloadTags: context.downloadTags ?? [],
    budget: context.budget,

    environmentRequest: (job: Job, tags: readonly string[], timeoutMs: number) =>
      command(job, STEP_SEQUENCE.request, {
        jobId: context.newId() as JobId,
        tags,
        metadata: { 'tutti.timeout-ms': timeoutMs, ...keyOf(job) },
      }),

    step: (job: Job, sequence: number, more: Parameters<typeof command>[2]) =>
      command(job, sequence, more),

    terminate: (job: Job, stepId: StepId, cause: 'canceled' | 'timeout') =>
      command(job, STEP_SEQUENCE.terminate, {
        stepId,
        stepOrigin: stepOriginOf(job),
        metadata: { 'tutti.cause': cause },
      }),

    /** `isForgiven`: the job failed, and its `continue-on-error` makes that a success. */
    release: (
      job: Job,
      conclusion: JobResult,
      outputs: Readonly<Record<string, string>>,
      isForgiven: boolean,
    ) => {
      const hooks = annotationOfRelease(job);
      return command(job, STEP_SEQUENCE.release, {
        metadata: {
          'tutti.conclusion': conclusion,
          ...(isForgiven ? { 'tutti.continue-on-error': true } : {}),
          ...(Object.keys(outputs).length === 0 ? {} : { 'tutti.outputs': outputs }),
          ...(hooks === null ? {} : { annotations: hookAnnotation(run.apiGroup, hooks) }),
        },
      });
    },

    providerCommand: (
      job: Job,
      step: ProviderCommandEvent['step'],
      more: {
        readonly stepOrigin: readonly StepId[];
        readonly labels: Readonly<Record<string, string>>;
        readonly contexts: Readonly<Record<string, unknown>>;
        readonly deadlineMs: number | null;
        readonly isHooked: boolean;
      },
    ): ProviderCommandEvent => ({
      apiVersion: api('ProviderCommand'),
      kind: 'ProviderCommand',
      metadata: {
        ...ofJob(job, idOf(job), step.uses),
        step_id: step.id as StepId,
        step_origin: more.stepOrigin,
        labels: more.labels,
        ...(more.deadlineMs === null ? {} : { 'tutti.deadline-ms': more.deadlineMs }),
        ...(more.isHooked ? { 'tutti.hooks': true } : {}),
      },
      'runs-on': job.tags,
      contexts: more.contexts,
      step,
    }),

    /** Asks for the jobs of a bundle; without settings, for one that has begun. */
    generatorCommand: (
      job: Job,
      generator: string,
      inputs: Readonly<Record<string, unknown>> | null,
      settings: BundleSettings | null,
      called: (CalledFile & { readonly fetched?: FetchedReference }) | null,
    ): GeneratorCommandEvent => ({
      apiVersion: api('GeneratorCommand'),
      kind: 'GeneratorCommand',
      metadata: {
        ...ofJob(job, job.jobId ?? (context.newId() as JobId), job.name),
        labels: functionLabels(generator, run.apiGroup),
        'tutti.job': job.key,
        ...(settings === null ? {} : settingEntries(settings)),
        ...(called === null ? {} : { 'tutti.uses': callEntries(called) }),
      },
      generator,
      ...(inputs === null ? {} : { with: inputs }),
    }),

    /** A job is to fetch the workflow that a bundle calls. */
    download: (
      job: Job,
      { repository, path, ref }: RepositoryReference,
      settings: BundleSettings,
    ) =>
      notification(
        {
          job_id: context.newId() as JobId,
          job_origin: job.origin,
          'tutti.job': job.key,
          ...settingEntries(settings),
        },
        {
          'tutti.download': {
            bundle: job.key,
            repository,
            path,
            ...(ref === null ? {} : { ref }),
            step: context.newId(),
          },
          logs: [
            `Fetching workflow "${referenceText({ repository, path, ref })}" for job "${job.name}"`,
          ],
        },
      ),

    /** The jobs that take the place of a bundle whose jobs are known. */
    expanded: (
      job: Job,
      jobs: WorkflowJobs,
      settings: BundleSettings,
      cells: MatrixJobs['cells'] | null,
    ): GeneratorResultEvent => ({
      apiVersion: api('GeneratorResult'),
      kind: 'GeneratorResult',
      metadata: {
        ...ofJob(job, context.newId() as JobId, job.name),
        labels: { [`${run.apiGroup}/category`]: `.${job.bundle?.category}` },
        'tutti.job': job.key,
        ...settingEntries(settings),
        ...(cells === null ? {} : { 'tutti.matrix': cells }),
      },
      jobs,
    }),

    /** The jobs beside a job that failed are told to stop; `bundle` is null for those of the workflow. */
    halted: (bundle: Job | null, failure: HaltingFailure) =>
      notification(bundle === null ? {} : { job_id: idOf(bundle), job_origin: bundle.origin }, {
        'tutti.halted': bundle?.key ?? '',
        'tutti.failed': failure.failed.key,
        ...(failure.spared === null ? {} : { 'tutti.spared': failure.spared.key }),
        logs: [haltSentence(bundle, failure)],
      }),

    stepEnded: (
      job: Job,
      stepId: StepId,
      stepOrigin: readonly StepId[],
      state: StepState,
      logs: readonly string[],
      more: WorkspaceChoice & { readonly 'tutti.step-name'?: string } = {},
    ) =>
      notification(
        { job_id: idOf(job), job_origin: job.origin, step_id: stepId, step_origin: stepOrigin },
        {
          'tutti.step-ended': flagText(true),
          ...more,
          outcome: state.outcome,
          conclusion: state.conclusion,
          ...(logs.length === 0 ? {} : { logs }),
          ...(Object.keys(state.outputs).length === 0 ? {} : { 'tutti.outputs': state.outputs }),
        },
      ),

    /** The end of a job that never had an environment, or of a bundle. */
    jobEnded: (
      job: Job,
      conclusion: JobResult,
      log: string,
      { outputs = {}, isForgiven = false, superseded, taken, actor }: JobEnd = {},
    ) =>
      notification(
        {
          job_id: job.jobId ?? (context.newId() as JobId),
          job_origin: job.origin,
          ...entryOf(actor),
        },
        {
          conclusion,
          'tutti.job': job.key,
          ...(isForgiven ? { 'tutti.continue-on-error': flagText(true) } : {}),
          ...(Object.keys(outputs).length === 0 ? {} : { 'tutti.outputs': outputs }),
          ...(superseded === undefined ? {} : { 'tutti.superseded': superseded }),
          ...(taken === undefined ? {} : { 'tutti.taken-over': takenEntries(taken) }),
          logs: [log],
        },
      ),

    jobSuperseded: (job: Job, by: SupersededBy, log: string, actor?: Actor) =>
      notification(
        { job_id: idOf(job), job_origin: job.origin, ...entryOf(actor) },
        { 'tutti.superseded': by, logs: [log] },
      ),

    jobTimedOut: (job: Job, log: string) =>
      notification(
        { job_id: idOf(job), job_origin: job.origin },
        { 'tutti.timeout': 'job', logs: [log] },
      ),

    stepTimedOut: (job: Job, { stepId }: RunningCommand, log: string) =>
      notification(
        {
          job_id: idOf(job),
          job_origin: job.origin,
          step_id: stepId,
          step_origin: stepOriginOf(job),
        },
        { 'tutti.timeout': 'step', logs: [log] },
      ),

    waiting: (job: Job | null, reason: WaitingReason, log: string) =>
      notification(
        {
          ...(job === null ? {} : { 'tutti.job': job.key, job_origin: job.origin }),
          ...(job === null || job.jobId === null ? {} : { job_id: job.jobId }),
        },
        { 'tutti.waiting': reason, logs: [log] },
      ),

    /** Shown whatever the reader of the log asked for. Null for the workflow itself. */
    warning: (job: Job | null, ...texts: readonly string[]) =>
      notification(
        {
          name: 'group notification',
          ...(job === null ? {} : { job_id: idOf(job), job_origin: job.origin }),
        },
        { logs: texts.map((text) => `WARNING,${printable(text)}`) },
      ),

    granted: (jobKey: string) => notification({}, { 'tutti.granted': jobKey }),

    error: (job: Job | null, message: string): RunEvent => ({
      apiVersion: api('ExecutionError'),
      kind: 'ExecutionError',
      metadata: {
        name: job?.name ?? run.name,
        ...base,
        ...(job === null || job.jobId === null
          ? {}
          : { job_id: job.jobId, job_origin: job.origin }),
      },
      details: { error: message },
    }),

    timedOut: (reason: string): WorkflowCancellationEvent => ({
      apiVersion: api('WorkflowCancellation'),
      kind: 'WorkflowCancellation',
      metadata: { name: run.name, ...base, 'tutti.cause': 'timeout' },
      details: { reason, source: 'arranger' },
    }),

    superseded: (reason: string, actor?: Actor): WorkflowCancellationEvent => ({
      apiVersion: api('WorkflowCancellation'),
      kind: 'WorkflowCancellation',
      metadata: { name: run.name, ...base, 'tutti.cause': 'superseded', ...entryOf(actor) },
      details: { reason, source: 'arranger' },
    }),

    completed: (outputs: Outputs): WorkflowCompletedEvent => ({
      apiVersion: api('WorkflowCompleted'),
      kind: 'WorkflowCompleted',
      metadata: { name: run.name, ...base },
      ...(Object.keys(outputs).length === 0 ? {} : { outputs }),
    }),

    canceled: (
      details: WorkflowCanceledEvent['details'],
      outputs: Outputs,
      actor?: Actor,
    ): WorkflowCanceledEvent => ({
      apiVersion: api('WorkflowCanceled'),
      kind: 'WorkflowCanceled',
      metadata: { name: run.name, ...base, ...entryOf(actor) },
      details,
      ...(Object.keys(outputs).length === 0 ? {} : { outputs }),
    }),
  };
}

const entryOf = (actor: Actor | undefined) => (actor === undefined ? {} : actorEntry(actor));

export type RunEvents = ReturnType<typeof createEvents>;

/** Jobs have an id from their request for an environment on; before, no event of theirs needs one. */
function idOf(job: Job): JobId {
  if (job.jobId === null) throw new Error(`Job ${job.key} has no id in phase ${job.phase}.`);
  return job.jobId;
}

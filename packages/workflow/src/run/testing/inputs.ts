/** Inputs of a run in tests. The run that gets them finds the ids of jobs by key. */
import {
  type AttachmentId,
  type ChannelId,
  type ChannelOs,
  type ExecutionResultEvent,
  formatTimestamp,
  type Hook,
  type JobId,
  type JobMetadata,
  type LoggedEvent,
  type NotificationEvent,
  type RunEvent,
  STEP_SEQUENCE,
  type StepId,
  type WorkflowId,
  type WorkflowJob,
  type WorkflowManifest,
  type WorkflowStep,
} from '@tutti/manifests';
import { maskEntries, metadataEntries } from '../../facts/encode.ts';
import type { RunInput } from '../decide.ts';
import { type Job, type Run, stepOriginOf } from '../run.ts';

/** When every run of these tests begins. */
export const NOON_MS = Date.UTC(2026, 0, 1, 12);

/** An input, made for the run that gets it. `minute` moves the clock, in minutes since the run began. */
export interface Happening {
  readonly minute?: number;
  input(run: Run, nowMs: number): RunInput;
}
export const WORKFLOW_ID = 'workflow-1' as WorkflowId;

/** A job of scripts, or of whole steps; steps without an id are `s0`, `s1` and so on. */
export function job(
  steps: readonly (string | WorkflowStep)[],
  more: Partial<WorkflowJob> = {},
): WorkflowJob {
  const identified = steps.map((step, index) => {
    const whole: WorkflowStep = typeof step === 'string' ? { run: step } : step;
    return { id: `s${index}`, ...whole };
  });
  return { 'runs-on': 'linux', ...more, steps: identified };
}

/** A job that stands for these. */
export const bundle = (
  jobs: WorkflowManifest['jobs'],
  more: Partial<WorkflowJob> = {},
): WorkflowJob => ({ ...more, jobs });

export function workflow(
  jobs: WorkflowManifest['jobs'],
  more: Omit<Partial<WorkflowManifest>, 'jobs' | 'metadata'> & {
    readonly metadata?: Readonly<Record<string, unknown>>;
  } = {},
): Happening {
  const { metadata, ...rest } = more;
  return eventOf((_run, nowMs) => ({
    kind: 'Workflow',
    apiVersion: 'example.org/v1beta1',
    ...rest,
    metadata: {
      name: 'demo',
      workflow_id: WORKFLOW_ID,
      namespace: 'default',
      creationTimestamp: formatTimestamp(nowMs),
      ...metadata,
    },
    jobs,
  }));
}

function eventOf(event: (run: Run, nowMs: number) => LoggedEvent): Happening {
  return { input: (run, nowMs): RunInput => ({ type: 'event', event: event(run, nowMs) }) };
}

function jobNamed(run: Run, name: string): Job {
  const found = run.jobs.get(name);
  if (found === undefined) throw new Error(`There is no job ${name}.`);
  return found;
}

function metadataOf(run: Run, key: string, nowMs: number): JobMetadata {
  const { name, jobId, origin } = jobNamed(run, key);
  return {
    name,
    workflow_id: WORKFLOW_ID,
    namespace: 'default',
    creationTimestamp: formatTimestamp(nowMs),
    job_id: jobId ?? ('unknown' as JobId),
    job_origin: origin,
  };
}

interface ResultMore extends Partial<Omit<ExecutionResultEvent, 'metadata'>> {
  readonly sequence?: number;
  readonly channel?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

function resultOf(name: string, status: number, more: ResultMore): Happening {
  const { sequence, channel, metadata, ...body } = more;
  return eventOf((run, nowMs) => {
    const { command, channel: held } = jobNamed(run, name);
    const channelId = channel === undefined ? held?.id : (channel as ChannelId | null);
    return {
      kind: 'ExecutionResult',
      apiVersion: 'example.org/v1alpha1',
      metadata: {
        ...metadataOf(run, name, nowMs),
        step_id: command?.stepId ?? ('none' as StepId),
        step_origin: stepOriginOf(jobNamed(run, name)),
        step_sequence_id: sequence ?? command?.sequence ?? 0,
        ...(channelId === undefined || channelId === null ? {} : { channel_id: channelId }),
        ...metadata,
      },
      status,
      ...body,
    };
  });
}

/** A channel for a job; `hooks` are those of the channel. */
export function offer(
  name: string,
  channel = 'channel-1',
  os: ChannelOs = 'linux',
  hooks: readonly Hook[] = [],
): Happening {
  return resultOf(name, 0, {
    sequence: STEP_SEQUENCE.request,
    channel,
    metadata: {
      channel_os: os,
      channel_temp: '/tmp',
      channelhandler_id: 'handler-1',
      ...metadataEntries({ type: 'EnvironmentOffered', hooks }),
    },
  });
}

/** The end of the command that a job has at work. */
export const result = (name: string, status = 0, more: ResultMore = {}): Happening =>
  resultOf(name, status, more);

export const released = (name: string, more: ResultMore = {}): Happening =>
  resultOf(name, 0, { sequence: STEP_SEQUENCE.release, ...more });

/** The steps of a provider, by default for the step that it was asked for last. */
export function answer(
  name: string,
  steps: readonly WorkflowStep[],
  more: {
    readonly outputs?: Readonly<Record<string, unknown>>;
    readonly stepId?: string;
    readonly origin?: readonly string[];
    readonly hooks?: readonly Hook[];
  } = {},
): Happening {
  return eventOf((run, nowMs) => {
    const asked = jobNamed(run, name);
    return {
      kind: 'ProviderResult',
      apiVersion: 'example.org/v1beta1',
      metadata: {
        ...metadataOf(run, name, nowMs),
        step_id:
          (more.stepId as StepId | undefined) ?? asked.providerCall?.stepId ?? ('none' as StepId),
        step_origin: (more.origin as readonly StepId[] | undefined) ?? stepOriginOf(asked),
      },
      steps,
      ...(more.hooks === undefined ? {} : { hooks: more.hooks }),
      ...(more.outputs === undefined ? {} : { outputs: more.outputs }),
    };
  });
}

/** The jobs of a generator. */
export const generate = (
  key: string,
  jobs: WorkflowManifest['jobs'],
  more: {
    readonly outputs?: Readonly<Record<string, unknown>>;
    readonly metadata?: Readonly<Record<string, unknown>>;
  } = {},
): Happening =>
  eventOf((run, nowMs) => ({
    kind: 'GeneratorResult',
    apiVersion: 'example.org/v1beta1',
    metadata: { ...metadataOf(run, key, nowMs), ...more.metadata },
    jobs,
    ...(more.outputs === undefined ? {} : { outputs: more.outputs }),
  }));

export const aboutRun = (nowMs: number) => ({
  name: 'demo',
  workflow_id: WORKFLOW_ID,
  namespace: 'default',
  creationTimestamp: formatTimestamp(nowMs),
});

export const cancel = (reason?: string, source?: string): Happening =>
  eventOf((_run, nowMs) => ({
    kind: 'WorkflowCancellation',
    apiVersion: 'example.org/v1alpha1',
    metadata: aboutRun(nowMs),
    details: {
      ...(reason === undefined ? {} : { reason }),
      ...(source === undefined ? {} : { source }),
    },
  }));

/** An error that a plugin publishes: of the run, or of the step that a job asked a provider for. */
export const executionError = (error: string, jobName?: string): Happening =>
  eventOf((run, nowMs) => ({
    kind: 'ExecutionError',
    apiVersion: 'example.org/v1alpha1',
    metadata: {
      ...aboutRun(nowMs),
      ...(jobName === undefined
        ? {}
        : {
            job_id: jobNamed(run, jobName).jobId,
            step_id: jobNamed(run, jobName).providerCall?.stepId,
          }),
    },
    details: { error },
  }));

export const notification = (
  metadata: Partial<NotificationEvent['metadata']>,
  spec: object,
): Happening =>
  eventOf((_run, nowMs) => ({
    kind: 'Notification',
    apiVersion: 'example.org/v1alpha1',
    metadata: { ...aboutRun(nowMs), ...metadata },
    spec,
  }));

/** A notification about a job, by name. */
export const jobNotification = (
  name: string,
  metadata: Partial<NotificationEvent['metadata']>,
  spec: object,
): Happening =>
  eventOf((run, nowMs) => ({
    kind: 'Notification',
    apiVersion: 'example.org/v1alpha1',
    metadata: { ...metadataOf(run, name, nowMs), ...metadata },
    spec,
  }));

export const report: Happening = eventOf((_run, nowMs) => ({
  kind: 'WorkflowResult',
  apiVersion: 'example.org/v1alpha1',
  metadata: { ...aboutRun(nowMs), attachments: {} },
  attachments: [],
}));

/** A step of a job uploaded a file of this path. */
export const uploaded = (name: string, path: string): Happening =>
  eventOf((run, nowMs) => {
    const { job_id } = metadataOf(run, name, nowMs);
    const attachments = {
      [path]: { uuid: path.slice(-40, -4) as AttachmentId, type: 'text/plain' },
    };
    const metadata = { ...aboutRun(nowMs), name: 'step', job_id, attachments };
    const apiVersion = 'example.org/v1alpha1';
    return { kind: 'WorkflowResult', apiVersion, metadata, attachments: [path] };
  });

/** In a plugin's own words, with entries that mean something in events of other kinds. */
export const otherEvent: Happening = eventOf((_run, nowMs) => ({
  apiVersion: 'example.org/v1alpha1',
  kind: 'Custom',
  metadata: {
    name: 'custom',
    workflow_id: WORKFLOW_ID,
    namespace: 'default',
    creationTimestamp: formatTimestamp(nowMs),
    step_sequence_id: 0,
    attachments: { '/tmp/a_b_c': { uuid: 'file-1' } },
    ...maskEntries(['demo']),
  },
  status: 1,
  attachments: ['/tmp/a_b_c'],
  spec: { worker: { worker_id: 'w', status: 'setup' }, conclusion: 'failure' },
}));

/** Any event as it is. */
export const publish = (event: RunEvent): Happening => eventOf(() => event);

/** The clock reaches a minute after the begin of the run, and deadlines are looked at. */
export const minute = (at: number): Happening => ({
  minute: at,
  input: (_run, nowMs) => ({ type: 'deadline', nowMs }),
});

export const grant = (name: string | null): Happening => ({
  input: () => ({ type: 'granted', job: name }),
});

export const hold = (name: string | null, heldBy = 'workflow-0'): Happening => ({
  input: () => ({
    type: 'held',
    job: name,
    group: 'lab',
    heldBy: heldBy as WorkflowId,
    heldByJob: null,
  }),
});

/** By another job of the same run. */
export const holdBeside = (name: string, heldByJob: string): Happening => ({
  input: ({ workflowId: heldBy }) => ({ type: 'held', job: name, group: 'lab', heldBy, heldByJob }),
});

/** Another run takes over the group of a job, or of the workflow (null). */
export const supersede = (name: string | null, by = 'workflow-9'): Happening => ({
  input: () => ({ type: 'superseded', job: name, group: 'lab', by: by as WorkflowId }),
});

/** How each event changes a run. Total and deterministic: no event throws, whatever the state. */
import {
  actorIn,
  type ExecutionCommandEvent,
  type ExecutionErrorEvent,
  type ExecutionResultEvent,
  isRunEvent,
  type LoggedEvent,
  type NotificationEvent,
  type ProviderCommandEvent,
  type ProviderResultEvent,
  type RunEvent,
  reportTypeOf,
  STEP_SEQUENCE,
  type Timestamp,
  type WaitingReason,
  type WorkflowCancellationEvent,
  type WorkflowEvent,
  type WorkflowManifest,
  type WorkflowResultEvent,
} from '@tutti/manifests';
import { testResultsWorkerId } from '../projection/test-cases.ts';
import { artifactsPublished } from './artifacts.ts';
import {
  bundleExpanded,
  bundleOverdue,
  downloadBegun,
  haltedByFailure,
  jobsAsked,
  jobsOf,
  jobsRefused,
  setHalted,
  setOf,
  toldToStop,
} from './bundle-progress.ts';
import { CLEANUP_MS, epochMs } from './deadlines.ts';
import { extension } from './extensions.ts';
import { testsNoted } from './general-errors.ts';
import { hooksAround } from './hooks-around.ts';
import {
  commandEnded,
  commandStarted,
  commandStopped,
  jobStarted,
  overdueJob,
  providerAnswered,
  providerCalled,
  stepEndedByRun,
  withoutProviderCall,
} from './job-progress.ts';
import { isHalted, withJob } from './job-tree.ts';
import { LOCAL_ENTRY } from './local-entry.ts';
import { masksOfWorkflow, withMasksOf } from './masks-of-run.ts';
import { chosenIn, takenIn } from './rerun.ts';
import {
  type Cancellation,
  emptyRun,
  isEnded,
  type Job,
  type JobSet,
  jobById,
  type Run,
} from './run.ts';
import { withEntry } from './with-entry.ts';

/** An event of a kind that the run does not know changes nothing, whoever stored it. */
export function evolve(run: Run, event: LoggedEvent): Run {
  if (!isRunEvent(event)) return run;
  return withMasksOf(applied(run, event), event);
}

function applied(run: Run, event: RunEvent): Run {
  switch (event.kind) {
    case 'Workflow':
      return workflowReceived(event);
    case 'ExecutionCommand':
      return commandSent(run, event);
    case 'ExecutionResult':
      return resultReceived(run, event);
    case 'ProviderCommand':
      return onJob(run, event, (job) => providerCalled(job, event));
    case 'ProviderResult':
      return onJob(run, event, (job) => providerAnswered(job, event, hooksAround(run, job)));
    case 'GeneratorCommand':
      return jobsAsked(run, event);
    case 'GeneratorResult':
      return bundleExpanded(run, event);
    case 'ExecutionError':
      return failed(run, event);
    case 'Notification':
      return notified(testsNoted(run, event), event);
    case 'WorkflowResult':
      return workflowResultReceived(run, event);
    case 'WorkflowCancellation':
      return cancellationAsked(run, event);
    case 'WorkflowCompleted':
      return { ...run, phase: 'DONE', completedAt: event.metadata.creationTimestamp };
    case 'WorkflowCanceled':
      return { ...run, phase: 'FAILED', completedAt: event.metadata.creationTimestamp };
  }
}

function workflowResultReceived(run: Run, event: WorkflowResultEvent): Run {
  const published = artifactsPublished(run, event);
  // What comes from no job, such as the report of a run that is over, has no readers.
  return event.metadata.job_id === undefined ? published : withReportReaders(published, event);
}

function onJob(
  run: Run,
  { metadata }: ProviderCommandEvent | ProviderResultEvent,
  change: (job: Job) => Job,
): Run {
  const job = jobById(run, metadata.job_id);
  return job === null ? run : withJob(run, change(job));
}

function workflowReceived(event: WorkflowEvent): Run {
  const { metadata } = event;
  const manifest = event as unknown as WorkflowManifest;
  const run: Run = {
    ...emptyRun,
    phase: 'PENDING',
    workflowId: metadata.workflow_id,
    name: metadata.name,
    namespace: metadata.namespace,
    apiGroup: event.apiVersion.slice(0, event.apiVersion.lastIndexOf('/')),
    createdAt: metadata.creationTimestamp,
    deadlineMs: extension.number(metadata, 'tutti.deadline-ms'),
    labels: metadata.labels ?? {},
    inputs: extension.record(metadata.annotations, 'tutti.inputs'),
    files: extension.texts(metadata.annotations, 'tutti.files'),
    isLocal: extension.isTrue(metadata.annotations, LOCAL_ENTRY),
    manifest,
    jobs: new Map(jobsOf(null, event.jobs, new Map())),
    chosen: chosenIn(event),
    taken: takenIn(event),
    set: setOfWorkflow(event, manifest),
    granted: manifest.concurrency === undefined,
  };
  return { ...run, masks: masksOfWorkflow(run) };
}

/** What is no expression stands in the manifest alone. */
function setOfWorkflow({ metadata }: WorkflowEvent, { strategy = {} }: WorkflowManifest): JobSet {
  const set = setOf(metadata);
  return {
    ...set,
    maxParallel: set.maxParallel ?? extension.number(strategy, 'max-parallel'),
    failFast: set.failFast || extension.isTrue(strategy, 'fail-fast'),
  };
}

function commandSent(run: Run, event: ExecutionCommandEvent): Run {
  const { step_sequence_id: sequence } = event.metadata;
  if (sequence === STEP_SEQUENCE.request) return environmentRequested(run, event);
  const job = jobById(run, event.metadata.job_id);
  if (job === null) return run;
  if (sequence === STEP_SEQUENCE.terminate || sequence === STEP_SEQUENCE.kill) {
    return withJob(run, commandStopped(job, event));
  }
  if (sequence === STEP_SEQUENCE.release) return releaseSent(run, job, event);
  return withJob(run, commandStarted(job, event));
}

function environmentRequested(run: Run, event: ExecutionCommandEvent): Run {
  const { metadata } = event;
  const job = run.jobs.get(extension.text(metadata, 'tutti.job') ?? metadata.name);
  if (job === undefined) return run;
  const timeoutMs = extension.number(metadata, 'tutti.timeout-ms') ?? 0;
  const waitMs = isHalted(run, job) ? Math.min(timeoutMs, CLEANUP_MS) : timeoutMs;
  const requested = withJob(run, {
    ...job,
    phase: 'REQUESTED',
    jobId: metadata.job_id,
    tags: event['runs-on'],
    requestedAt: metadata.creationTimestamp,
    timeoutMs,
    deadlineMs: timeoutMs === 0 ? null : epochMs(metadata.creationTimestamp) + waitMs,
    waiting: null,
  });
  return { ...requested, jobKeys: withEntry(run.jobKeys, metadata.job_id, job.key) };
}

function releaseSent(run: Run, job: Job, event: ExecutionCommandEvent): Run {
  const { metadata } = event;
  return withJob(run, {
    ...job,
    phase: 'RELEASING',
    command: null,
    providerCall: null,
    deadlineMs: null,
    frames: [],
    result: extension.result(metadata, 'tutti.conclusion'),
    outputs: extension.texts(metadata, 'tutti.outputs'),
  });
}

function resultReceived(run: Run, event: ExecutionResultEvent): Run {
  const { metadata } = event;
  const job = jobById(run, metadata.job_id);
  if (job === null) return run;
  const sequence = metadata.step_sequence_id;
  if (sequence === STEP_SEQUENCE.request) return offerAccepted(run, job, event);
  if (sequence === STEP_SEQUENCE.release) {
    const endedAt = metadata.creationTimestamp;
    return withJob(run, { ...job, phase: 'COMPLETED', channel: null, endedAt });
  }
  const ended = commandEnded(job, event);
  return ended === job ? run : withReportReaders(withJob(run, ended), event);
}

/** Who reads test results sets itself up a moment after the report came; in between nobody must take the run for done with. */
function withReportReaders(
  run: Run,
  { metadata }: ExecutionResultEvent | WorkflowResultEvent,
): Run {
  const readers = Object.values(metadata.attachments ?? {}).flatMap(({ uuid, type }) => {
    const report = type === undefined ? null : reportTypeOf(type);
    return report === null ? [] : [testResultsWorkerId(uuid, report.format)];
  });
  if (readers.length === 0) return run;
  return { ...run, workers: new Set([...run.workers, ...readers]) };
}

function offerAccepted(run: Run, job: Job, event: ExecutionResultEvent): Run {
  const { channel_id: channelId } = event.metadata;
  if (job.phase !== 'REQUESTED' || channelId === undefined) return run;
  const started = jobStarted(job, channelId, event, hooksAround(run, job));
  return { ...withJob(run, started), phase: 'RUNNING' };
}

function failed(run: Run, event: ExecutionErrorEvent): Run {
  if (isEnded(run)) return run;
  if (run.cancellation !== null) return answererFailed(run, event);
  const cancellation = {
    reason: event.details.error,
    source: null,
    cause: 'error',
    ...actorOf(event),
  } as const;
  return stopping(run, cancellation, event.metadata.creationTimestamp);
}

/** An error does not end again a run that is ending, but the provider or generator that gave it is not waited for. */
function answererFailed(run: Run, { metadata, details }: ExecutionErrorEvent): Run {
  const jobId = extension.text(metadata, 'job_id');
  const job = [...run.jobs.values()].find((each) => each.jobId !== null && each.jobId === jobId);
  if (job?.phase === 'GENERATING') return jobsRefused(run, job, String(details.error));
  const call = job?.providerCall ?? null;
  if (job === undefined || call?.stepId !== extension.text(metadata, 'step_id')) return run;
  return withJob(run, withoutProviderCall(job, 'failure'));
}

/** A user may end what a time limit began to end; otherwise the first cause stays. */
function cancellationAsked(run: Run, event: WorkflowCancellationEvent): Run {
  if (isEnded(run)) return run;
  const cancellation = {
    reason: event.details?.reason ?? null,
    source: event.details?.source ?? null,
    cause: causeOf(event),
    ...actorOf(event),
  };
  const before = run.cancellation?.cause ?? null;
  const counts = before === null || (before === 'timeout' && cancellation.cause === 'user');
  return counts ? stopping(run, cancellation, event.metadata.creationTimestamp) : run;
}

function actorOf({ metadata }: RunEvent): Pick<Cancellation, 'actor'> {
  const actor = actorIn(metadata);
  return actor === null ? {} : { actor };
}

function causeOf({ metadata }: WorkflowCancellationEvent): Cancellation['cause'] {
  const cause = metadata['tutti.cause'];
  return cause === 'timeout' || cause === 'superseded' ? cause : 'user';
}

function stopping(run: Run, cancellation: Cancellation, at: Timestamp): Run {
  const jobs = new Map(run.jobs);
  for (const job of run.jobs.values()) jobs.set(job.key, toldToStop(job, at));
  return { ...run, cancellation, jobs };
}

function notified(run: Run, event: NotificationEvent): Run {
  const { spec, metadata } = event;
  if (spec.worker !== undefined) return workerChanged(run, spec.worker);
  const ended = extension.text(spec, 'tutti.job');
  if (ended !== null) return jobEndedUnplaced(run, ended, event);
  const halted = extension.text(spec, 'tutti.halted');
  if (halted !== null) return haltedByFailure(run, halted, event);
  const granted = extension.text(spec, 'tutti.granted');
  if (granted !== null) return groupGranted(run, granted, metadata.creationTimestamp);
  if (spec['tutti.download'] !== undefined) return downloadBegun(run, event);
  const job = metadata.job_id === undefined ? null : jobById(run, metadata.job_id);
  if (spec['tutti.waiting'] !== undefined) {
    return waits(run, job, event, spec['tutti.waiting']);
  }
  if (job === null) return run;
  if (spec['tutti.timeout'] === 'job') return overdue(run, job, metadata.creationTimestamp);
  const supersededBy = extension.supersededBy(spec);
  if (supersededBy !== null) {
    return superseded(run, { ...job, supersededBy }, metadata.creationTimestamp);
  }
  if (metadata.step_id !== undefined && extension.isTrue(spec, 'tutti.step-ended')) {
    return withJob(run, stepEndedByRun(job, metadata.step_id, event));
  }
  return run;
}

function overdue(run: Run, job: Job, at: Timestamp): Run {
  if (job.bundle !== null) return bundleOverdue(run, job, at);
  return withJob(run, overdueJob(withoutProviderCall(job, 'cancelled'), at));
}

/** A job whose concurrency group another one takes over; a bundle takes its jobs with it. */
function superseded(run: Run, job: Job, at: Timestamp): Run {
  if (job.phase === 'RUNNING') return withJob(run, toldToStop(job, at));
  if (job.phase !== 'EXPANDED') return run;
  return setHalted(withJob(run, { ...job, canceled: true }), job.key, at);
}

/** Told late, a reason must not stick to what waits no more. */
function waits(run: Run, known: Job | null, event: NotificationEvent, waiting: WaitingReason): Run {
  const { metadata } = event;
  const name = extension.text(metadata, 'tutti.job');
  if (name === null && metadata.job_id === undefined) {
    return run.granted || isEnded(run) ? run : { ...run, waiting };
  }
  const job = name === null ? known : run.jobs.get(name);
  const isWaiting = job?.phase === 'WAITING' || job?.phase === 'REQUESTED';
  return job && isWaiting ? withJob(run, { ...job, waiting }) : run;
}

/** A job that ends without ever having had an environment: it was skipped or given up, or it is a bundle. */
function jobEndedUnplaced(run: Run, key: string, event: NotificationEvent): Run {
  const job = run.jobs.get(key);
  if (job === undefined || job.phase === 'COMPLETED') return run;
  return withJob(run, {
    ...job,
    phase: 'COMPLETED',
    deadlineMs: null,
    waiting: null,
    endedAt: event.metadata.creationTimestamp,
    result: extension.result(event.spec, 'conclusion'),
    outputs: extension.texts(event.spec, 'tutti.outputs'),
    supersededBy: extension.supersededBy(event.spec) ?? job.supersededBy,
  });
}

/** The key is that of a job, or empty for the workflow's own group. */
function groupGranted(run: Run, key: string, at: Timestamp): Run {
  if (key === '') return { ...run, granted: true, grantedAt: at, waiting: null };
  const job = run.jobs.get(key);
  return job === undefined ? run : withJob(run, { ...job, granted: true, waiting: null });
}

function workerChanged(
  run: Run,
  worker: { readonly worker_id: string; readonly status: 'setup' | 'teardown' },
): Run {
  const workers = new Set(run.workers);
  if (worker.status === 'setup') workers.add(worker.worker_id);
  else workers.delete(worker.worker_id);
  return { ...run, workers };
}

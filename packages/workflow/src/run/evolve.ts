/** Applies events to a run. Total and deterministic: no event throws, whatever the state. */
import {
  actorIn,
  type ExecutionResultEvent,
  isRunEvent,
  type JobId,
  type LoggedEvent,
  type RunEvent,
  reportTypeOf,
  type Timestamp,
  type WorkflowManifest,
  type WorkflowResultEvent,
} from '@tutti/manifests';
import { factOf } from '../facts/decode.ts';
import { extension } from '../facts/extensions.ts';
import type { Fact, FactOf, SupersededBy } from '../facts/fact.ts';
import { addTested, testedIn } from '../facts/tested.ts';
import { artifactsPublished } from './artifacts.ts';
import {
  bundleExpanded,
  bundleOverdue,
  downloadBegun,
  jobsAsked,
  jobsOf,
  jobsRefused,
  setHalted,
  stopped,
} from './bundle-progress.ts';
import { CLEANUP_MS, epochMs } from './deadlines.ts';
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
import { judgingAfter } from './judging.ts';
import { masksOfWorkflow, withMasksOf } from './masks-of-run.ts';
import { testResultsWorkerId } from './report-readers.ts';
import { withNeeds } from './rerun.ts';
import {
  type Cancellation,
  emptyRun,
  emptySet,
  isEnded,
  type Job,
  jobById,
  type Run,
} from './run.ts';
import { withEntry } from './with-entry.ts';

/** An event of a kind that the run does not know changes nothing, whoever stored it. */
export function evolve(run: Run, event: LoggedEvent): Run {
  if (!isRunEvent(event)) return run;
  return withMasksOf(applied(run, factOf(event)), event);
}

function applied(run: Run, fact: Fact): Run {
  const { creationTimestamp: at } = fact.event.metadata;
  switch (fact.type) {
    case 'RunReceived':
      return workflowReceived(fact);
    case 'EnvironmentRequested':
      return environmentRequested(run, fact);
    case 'EnvironmentOffered':
      return offerAccepted(run, fact);
    case 'StepStarted':
      return onJob(run, fact, (job) => commandStarted(job, fact));
    case 'StepStopped':
      return onJob(run, fact, (job) => commandStopped(job, fact.cause));
    case 'StepAnswered':
      return stepAnswered(run, fact);
    case 'JobReleased':
      return onJob(run, fact, (job) => releaseSent(job, fact));
    case 'EnvironmentFreed':
      return onJob(run, fact, (job) => freed(job, at));
    case 'FunctionCalled':
      return onJob(run, fact, (job) => providerCalled(job, fact));
    case 'FunctionAnswered':
      return onJob(run, fact, (job) => providerAnswered(job, fact.event, hooksAround(run, job)));
    case 'TestsAsked':
    case 'TestsJudged':
      return onJob(run, fact, (job) => judgingAfter(job, fact));
    case 'JobsAsked':
      return jobsAsked(run, fact);
    case 'JobsGiven':
      return bundleExpanded(run, fact);
    case 'DownloadBegun':
      return downloadBegun(run, fact);
    case 'Held':
      return waits(run, fact);
    case 'Granted':
      return groupGranted(run, fact.job, at);
    case 'Halted':
      return setHalted(run, fact.bundle, at, fact);
    case 'Superseded':
      return ofJob(run, fact, (job) => superseded(run, job, fact.by, at));
    case 'JobOverdue':
      return ofJob(run, fact, (job) => overdue(run, job, at));
    case 'StepEnded':
      return onJob(run, fact, (job) => stepEndedByRun(job, fact));
    case 'JobEnded':
      return jobEndedUnplaced(run, fact);
    case 'WorkerChanged':
      return workerChanged(testsNoted(run, fact.event), fact);
    case 'ReportRead':
      return testsNoted(run, fact.event);
    case 'FilesPublished':
      return filesPublished(run, fact.event);
    case 'RunFailed':
      return failed(run, fact);
    case 'CancellationAsked':
      return cancellationAsked(run, fact);
    case 'RunSucceeded':
    case 'RunEnded':
      return { ...run, phase: fact.type === 'RunEnded' ? 'FAILED' : 'DONE', completedAt: at };
    case 'StepOverdue':
    case 'StepPrinted':
    case 'Noted':
      return run;
  }
}

const freed = (job: Job, at: Timestamp): Job => ({
  ...job,
  phase: 'COMPLETED',
  channel: null,
  endedAt: at,
});

interface AboutJob {
  readonly event: { readonly metadata: { readonly job_id?: JobId } };
}

function ofJob(run: Run, { event }: AboutJob, change: (job: Job) => Run): Run {
  const { job_id: jobId } = event.metadata;
  const job = jobId === undefined ? null : jobById(run, jobId);
  return job === null ? run : change(job);
}

const onJob = (run: Run, fact: AboutJob, change: (job: Job) => Job): Run =>
  ofJob(run, fact, (job) => withJob(run, change(job)));

function filesPublished(run: Run, event: WorkflowResultEvent): Run {
  const published = artifactsPublished(run, event);
  // Files without a job, such as the report of a finished run, have no readers.
  return event.metadata.job_id === undefined ? published : withReportReaders(published, event);
}

function workflowReceived(fact: FactOf<'RunReceived'>): Run {
  const { event, deadlineMs, inputs, files, isLocal, chosen, taken } = fact;
  const { metadata } = event;
  const manifest = event as unknown as WorkflowManifest;
  const { strategy = {} } = manifest;
  const run: Run = {
    ...emptyRun,
    phase: 'PENDING',
    workflowId: metadata.workflow_id,
    name: metadata.name,
    namespace: metadata.namespace,
    apiGroup: event.apiVersion.slice(0, event.apiVersion.lastIndexOf('/')),
    createdAt: metadata.creationTimestamp,
    deadlineMs,
    labels: metadata.labels ?? {},
    inputs,
    files,
    isLocal,
    manifest,
    jobs: new Map(jobsOf(null, event.jobs, new Map())),
    chosen: chosen.length === 0 ? null : withNeeds(event.jobs, chosen),
    taken,
    set: {
      ...emptySet,
      // A plain value stands in the manifest alone.
      maxParallel: fact.maxParallel ?? extension.number(strategy, 'max-parallel'),
      failFast: fact.failFast || extension.isTrue(strategy, 'fail-fast'),
    },
    granted: manifest.concurrency === undefined,
  };
  return { ...run, masks: masksOfWorkflow(run) };
}

function environmentRequested(run: Run, fact: FactOf<'EnvironmentRequested'>): Run {
  const { event, timeoutMs } = fact;
  const { metadata } = event;
  const job = run.jobs.get(fact.job ?? metadata.name);
  if (job === undefined) return run;
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

const releaseSent = (job: Job, { result, outputs }: FactOf<'JobReleased'>): Job => ({
  ...job,
  phase: 'RELEASING',
  command: null,
  providerCall: null,
  deadlineMs: null,
  frames: [],
  result: result ?? 'failure',
  outputs,
});

function stepAnswered(run: Run, { event }: FactOf<'StepAnswered'>): Run {
  const job = jobById(run, event.metadata.job_id);
  const ended = job === null ? null : commandEnded(job, event);
  if (ended === null || ended === job) return run;
  return withTested(withReportReaders(withJob(run, ended), event), event);
}

function withTested(run: Run, event: ExecutionResultEvent): Run {
  const tested = testedIn(event);
  return tested === null ? run : { ...run, tested: addTested(run.tested, tested) };
}

/** Counts the readers of a report as workers at once. They set themselves up a moment later, and until then nobody must take the run for done. */
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

function offerAccepted(run: Run, fact: FactOf<'EnvironmentOffered'>): Run {
  const { job_id: jobId, channel_id: channelId } = fact.event.metadata;
  const job = jobById(run, jobId);
  if (job?.phase !== 'REQUESTED' || channelId === undefined) return run;
  const started = jobStarted(job, channelId, fact, hooksAround(run, job));
  return { ...withJob(run, started), phase: 'RUNNING' };
}

function failed(run: Run, { event }: FactOf<'RunFailed'>): Run {
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

/** An error does not end a run again. The run no longer waits for the provider or generator that gave it. */
function answererFailed(run: Run, { metadata, details }: FactOf<'RunFailed'>['event']): Run {
  const jobId = extension.text(metadata, 'job_id');
  const job = [...run.jobs.values()].find((each) => each.jobId !== null && each.jobId === jobId);
  if (job?.phase === 'GENERATING') return jobsRefused(run, job, String(details.error));
  const call = job?.providerCall ?? null;
  if (job === undefined || call?.stepId !== extension.text(metadata, 'step_id')) return run;
  return withJob(run, withoutProviderCall(job, 'failure'));
}

/** A user may cancel a run that its time limit began to end; otherwise the first cause stays. */
function cancellationAsked(run: Run, { event, cause }: FactOf<'CancellationAsked'>): Run {
  if (isEnded(run)) return run;
  const cancellation = {
    reason: event.details?.reason ?? null,
    source: event.details?.source ?? null,
    cause,
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

function stopping(run: Run, cancellation: Cancellation, at: Timestamp): Run {
  const jobs = new Map(run.jobs);
  for (const job of run.jobs.values()) jobs.set(job.key, stopped(job, at));
  return { ...run, cancellation, jobs };
}

function overdue(run: Run, job: Job, at: Timestamp): Run {
  if (job.bundle !== null) return bundleOverdue(run, job, at);
  return withJob(run, overdueJob(withoutProviderCall(job, 'cancelled'), at));
}

/** A job whose concurrency group another one takes over; a bundle takes its jobs with it. */
function superseded(run: Run, before: Job, supersededBy: SupersededBy, at: Timestamp): Run {
  const job = { ...before, supersededBy };
  if (job.phase === 'RUNNING') return withJob(run, stopped(job, at));
  if (job.phase !== 'EXPANDED') return run;
  return setHalted(withJob(run, { ...job, canceled: true }), job.key, at);
}

/** A late event must not give a reason to a job that waits no more. */
function waits(run: Run, { event, job: key, reason: waiting }: FactOf<'Held'>): Run {
  const { job_id: jobId } = event.metadata;
  if (key === null && jobId === undefined) {
    return run.granted || isEnded(run) ? run : { ...run, waiting };
  }
  const known = jobId === undefined ? null : jobById(run, jobId);
  const job = key === null ? known : run.jobs.get(key);
  const isWaiting = job?.phase === 'WAITING' || job?.phase === 'REQUESTED';
  return job && isWaiting ? withJob(run, { ...job, waiting }) : run;
}

/** A job that ends without ever having had an environment. It was skipped or given up, or it is a bundle. */
function jobEndedUnplaced(run: Run, fact: FactOf<'JobEnded'>): Run {
  const job = run.jobs.get(fact.job);
  if (job === undefined || job.phase === 'COMPLETED') return run;
  return withJob(run, {
    ...job,
    phase: 'COMPLETED',
    deadlineMs: null,
    waiting: null,
    endedAt: fact.event.metadata.creationTimestamp,
    result: fact.result,
    outputs: fact.outputs,
    supersededBy: fact.supersededBy ?? job.supersededBy,
  });
}

/** The key is that of a job, or empty for the workflow's own group. */
function groupGranted(run: Run, key: string, at: Timestamp): Run {
  if (key === '') return { ...run, granted: true, grantedAt: at, waiting: null };
  const job = run.jobs.get(key);
  return job === undefined ? run : withJob(run, { ...job, granted: true, waiting: null });
}

function workerChanged(run: Run, { event }: FactOf<'WorkerChanged'>): Run {
  const { worker } = event.spec;
  if (worker === undefined) return run;
  const workers = new Set(run.workers);
  if (worker.status === 'setup') workers.add(worker.worker_id);
  else workers.delete(worker.worker_id);
  return { ...run, workers };
}

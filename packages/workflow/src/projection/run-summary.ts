/** The summary of a run for lists, folded from its events. */
import {
  actorIn,
  type JobId,
  type RunEvent,
  type RunEventOf,
  type StepId,
  type Timestamp,
} from '@tutti/manifests';
import { cutText } from '../environment/cut-text.ts';
import { factOf, rerunIn } from '../facts/decode.ts';
import { extension } from '../facts/extensions.ts';
import type { FactOf } from '../facts/fact.ts';
import { isDownload } from '../run/download.ts';
import { type Job, jobById, type Run } from '../run/run.ts';
import { listsOf, rememberedByList, valuesSince } from '../run/with-entry.ts';
import { labelOfStep } from './step-label.ts';
import { describeWaiting } from './waiting-sentence.ts';

/** `canceled`: stopped by a person, by a time limit, or for another run. */
const NO_JOBS = {
  total: 0,
  waiting: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  skipped: 0,
  canceled: 0,
};
const COUNTED = Object.keys(NO_JOBS) as readonly (keyof typeof NO_JOBS)[];
type JobState = Exclude<keyof typeof NO_JOBS, 'total'>;

export interface RunSummary {
  /** True once somebody asked for its end. */
  readonly canceled: boolean;
  readonly started_by: string | null;
  /** When its first job got an environment. */
  readonly started: Timestamp | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly rerun_of: string | null;
  /** Jobs with steps. */
  readonly jobs: Readonly<typeof NO_JOBS>;
  /** Why it waits, or the first of its jobs that waits. */
  readonly waiting: string | null;
}

export interface FirstFailure {
  /** Name of the job; null for the run as a whole. */
  readonly job: string | null;
  readonly job_id: JobId | null;
  readonly step: string | null;
  readonly step_id: StepId | null;
  readonly message: string;
}

/** Characters of texts in a list; the run itself shows all of them. */
const TEXT_LENGTH_MAX = 1_000;

/** Labels in a list, and characters of each; others are left out. */
const LABELS_MAX = 50;
const LABEL_LENGTH_MAX = 256;

/** True if the summary of the run has to be made anew. */
export function isSummaryChanged(before: Run, after: Run): boolean {
  return (
    before.phase !== after.phase ||
    before.waiting !== after.waiting ||
    before.cancellation !== after.cancellation ||
    before.masks !== after.masks ||
    haveJobsChanged(before, after)
  );
}

function haveJobsChanged(before: Run, after: Run): boolean {
  if (before.jobs === after.jobs) return false;
  return valuesSince(after.jobs, before.jobs).some((job) => {
    const known = before.jobs.get(job.key);
    if (known === job) return false;
    return known === undefined || stateOf(known) !== stateOf(job) || known.waiting !== job.waiting;
  });
}

export function runSummaryOf(run: Run): RunSummary {
  const { manifest, cancellation } = run;
  const { subject } = actorIn(manifest.metadata) ?? {};
  const parts = listsOf(run.jobs).map(partOf);
  const started = parts.flatMap((part) => part.started ?? []).sort();
  const waiting = parts.find((part) => part.waiting !== null)?.waiting ?? null;
  return {
    canceled: cancellation !== null && cancellation.cause !== 'error',
    started_by: subject === undefined ? null : cutText(subject, TEXT_LENGTH_MAX),
    started: started[0] ?? null,
    labels: shortLabels(run.labels),
    rerun_of: rerunIn(extension.record(manifest.metadata, 'annotations')),
    jobs: sumOf(parts.map(({ counts }) => counts)),
    waiting: waitingOf(run, waiting),
  };
}

/** The part of some jobs in the summary of their run. */
const partOf = rememberedByList((listed: readonly Job[]) => {
  const jobs = listed.filter((job) => job.bundle === null && !isDownload(job));
  return {
    counts: countsOf(jobs),
    started: jobs.flatMap(({ startedAt }) => startedAt ?? []).sort()[0] ?? null,
    waiting: jobs.find((job) => job.waiting !== null) ?? null,
  };
});

function sumOf(all: readonly RunSummary['jobs'][]): RunSummary['jobs'] {
  const sum = { ...NO_JOBS };
  for (const counts of all) for (const state of COUNTED) sum[state] += counts[state];
  return sum;
}

function shortLabels(labels: Run['labels']): RunSummary['labels'] {
  const isShort = (entry: readonly [string, string]) =>
    entry.every(({ length }) => length <= LABEL_LENGTH_MAX);
  return Object.fromEntries(Object.entries(labels).filter(isShort).slice(0, LABELS_MAX));
}

function countsOf(jobs: readonly Job[]): RunSummary['jobs'] {
  const counts = { ...NO_JOBS, total: jobs.length };
  for (const job of jobs) counts[stateOf(job)] += 1;
  return counts;
}

const ENDED = {
  success: 'succeeded',
  failure: 'failed',
  skipped: 'skipped',
  cancelled: 'canceled',
} as const satisfies Record<NonNullable<Job['result']>, JobState>;

function stateOf({ phase, result }: Job): JobState {
  if (phase === 'COMPLETED') return ENDED[result ?? 'success'];
  return phase === 'WAITING' || phase === 'REQUESTED' ? 'waiting' : 'running';
}

function waitingOf(run: Run, job: Job | null): string | null {
  const reason = run.waiting ?? job?.waiting ?? null;
  if (reason === null || run.completedAt !== null) return null;
  const name = run.waiting === null ? (job?.name ?? null) : null;
  return cutText(describeWaiting(reason, name), TEXT_LENGTH_MAX);
}

/** A failure, and the event that has it. */
export interface FoundFailure {
  readonly failure: FirstFailure;
  readonly event: RunEvent;
}

/** The first failure that these events tell of, which moved the run from `before` to `after`. Texts are those of the events. */
export function firstFailureIn(
  before: Run,
  after: Run,
  events: readonly RunEvent[],
): FoundFailure | null {
  if (before === after) return null;
  for (const event of events) {
    const failure = failureOf(before, after, event);
    if (failure === null) continue;
    const message = cutText(failure.message, TEXT_LENGTH_MAX);
    return { failure: { ...failure, message }, event };
  }
  return null;
}

function failureOf(before: Run, after: Run, event: RunEvent): FirstFailure | null {
  switch (event.kind) {
    case 'ExecutionResult':
      return event.status === 0 ? null : failedStep(before, event);
    case 'ExecutionError':
      return ofJob(
        jobById(after, event.metadata.job_id as JobId),
        event.details?.error ?? 'Unknown error.',
      );
    case 'Notification':
      return event.spec.logs === undefined ? null : notified(before, after, event);
    case 'WorkflowCanceled': {
      const { status, reason } = event.details;
      return status === 'cancelled' ? null : ofJob(null, reason ?? 'Unknown reason.');
    }
    default:
      return null;
  }
}

function ofJob(job: Job | null, message: string): FirstFailure {
  const { name = null, jobId = null } = job ?? {};
  return { job: name, job_id: jobId, step: null, step_id: null, message };
}

/** A job that ended by itself without an environment, or that took too long. */
function notified(before: Run, after: Run, event: RunEventOf<'Notification'>): FirstFailure | null {
  const fact = factOf(event);
  const message = event.spec.logs?.[0];
  if (message === undefined) return null;
  if (fact.type === 'JobEnded') {
    const job = after.jobs.get(fact.job) ?? null;
    return isOwnFailure(job, fact, message) ? ofJob(job, message) : null;
  }
  const job = jobById(before, event.metadata.job_id as JobId);
  if (fact.type === 'JobOverdue') return ofJob(job, message);
  if (fact.type !== 'StepOverdue' || job === null) return null;
  const { step_id: id, step_origin: origin } = event.metadata;
  return isForgiven(job) ? null : ofStep(job, origin?.[0] ?? id ?? null, message);
}

/** A bundle fails because of a job in it, which is the failure. Jobs that are stopped because of others give no other reason. */
function isOwnFailure(
  job: Job | null,
  { result, supersededBy, isForgiven: forgiven }: FactOf<'JobEnded'>,
  message: string,
): boolean {
  const hasFailed = result === 'failure' || (result === 'cancelled' && supersededBy === null);
  const isOfJobs = job?.bundle != null && job.bundle.error === null;
  return hasFailed && !forgiven && !isOfJobs && !message.endsWith(' canceled.');
}

function failedStep(before: Run, event: RunEventOf<'ExecutionResult'>): FirstFailure | null {
  const {
    job_id: jobId,
    step_id: id,
    step_origin: origin,
    step_sequence_id: sequence,
  } = event.metadata;
  const job = jobById(before, jobId);
  // A step that was told to stop is no failure of its own.
  const isStopped = job?.command?.terminated != null;
  if (job === null || sequence < 0 || isStopped || isForgiven(job)) return null;
  const fact = factOf(event);
  const isNotRun = fact.type === 'StepAnswered' && fact.isNotRun;
  const said = isNotRun ? event.logs?.at(-1) : undefined;
  return ofStep(job, origin?.[0] ?? id, said ?? `exit code ${event.status}`);
}

function ofStep(job: Job, stepId: StepId | null, message: string): FirstFailure {
  const step = job.definition.steps?.find(({ id }) => id === stepId);
  const name = job.command?.name ?? (step === undefined ? null : labelOfStep(step)?.text) ?? null;
  const label = name === null ? null : cutText(name, TEXT_LENGTH_MAX);
  return { ...ofJob(job, message), step: label, step_id: stepId };
}

/** The step that runs, or a function around it, may fail. */
const isForgiven = ({ command, frames }: Job): boolean =>
  command?.continueOnError === true ||
  frames.some(({ provider }) => provider?.continueOnError === true);

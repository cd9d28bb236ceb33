/** The failures of a run, earliest first. */

import { cleanLine, cleanOutput } from './clean-text.ts';
import { formatDuration } from './durations.ts';
import type { FailedStep, JobView, ShownError } from './job-view.ts';
import { leveledText } from './leveled-text.ts';
import type { RunView } from './run-view.ts';

export interface Failure {
  /** Null for the run as a whole. */
  readonly job: JobView | null;
  /** The step that failed, if it was one. */
  readonly step: FailedStep | null;
  /** Place of the failure, as `job ▸ step`; empty for the run. */
  readonly place: string;
  readonly message: string;
  /** Stopped with its run, and no failure of its own. */
  readonly isStopped: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Failures of a run in the order of their times. */
export function failuresOf(view: RunView): readonly Failure[] {
  const jobs = [...view.jobs.values()];
  const all: readonly Failure[] = [
    ...view.errors.map((error) => errorFailure(null, error)),
    ...jobs.flatMap((job) => job.errors.map((error) => errorFailure(job, error))),
    ...reasonsOf(jobs),
    ...failedSteps(jobs),
  ];
  return all.toSorted((left, right) => left.at - right.at);
}

function errorFailure(job: JobView | null, { at, text }: ShownError): Failure {
  const message = cleanOutput(text, false);
  return { at, job, step: null, place: job?.name ?? '', message, isStopped: false };
}

/** Stopped steps are shown only if no step failed by itself: that failure stopped them. */
function failedSteps(jobs: readonly JobView[]): readonly Failure[] {
  const failures = jobs
    .filter(hasNotSucceeded)
    .flatMap((job) => job.failed.map((step) => stepFailure(job, step)));
  const causes = failures.filter(({ step }) => step?.terminated !== 'canceled');
  return causes.length === 0 ? failures : causes;
}

/** A job may succeed with a failed step, if a provider forgives steps that it added. */
const hasNotSucceeded = ({ result }: JobView): boolean => result !== 'success';

function stepFailure(job: JobView, step: FailedStep): Failure {
  const place = `${job.name} ▸ ${cleanLine(step.label)}`;
  const lastLine = step.lastLines.at(-1);
  if (step.isNotRun && lastLine !== undefined) {
    const message = cleanLine(leveledText(lastLine).text);
    return { at: step.endedAt, job, step: null, place, message, isStopped: false };
  }
  const why =
    step.terminated === null
      ? `exit code ${step.exitCode}`
      : step.terminated === 'timeout'
        ? 'it took too long'
        : 'it was stopped';
  const time = formatDuration(step.endedAt - step.startedAt);
  return {
    at: step.endedAt,
    job,
    step,
    place,
    message: `${why} after ${time}`,
    isStopped: step.terminated === 'canceled',
  };
}

/** A failed bundle is shown only if no job in it has a reason. */
function reasonsOf(jobs: readonly JobView[]): readonly Failure[] {
  const ended = jobs.filter(({ result }) => result === 'failure' || result === 'cancelled');
  const statesReason = ({ why, failed, errors }: JobView) =>
    why !== null || failed.length + errors.length > 0;
  return ended.flatMap((job) => {
    const isShown =
      job.result === 'failure' &&
      ended.some((inner) => inner.key.startsWith(`${job.key}/`) && statesReason(inner));
    if (job.why === null || isShown) return [];
    // The sentence names the job by its name within the bundle.
    const place = job.key.includes('/') ? job.name : '';
    // The job's reason explains why its steps were stopped.
    const at = Math.min(job.endedAt ?? 0, ...job.failed.map(({ endedAt }) => endedAt));
    const isStopped = job.result === 'cancelled';
    return [{ at, job, step: null, place, message: cleanLine(job.why), isStopped }];
  });
}

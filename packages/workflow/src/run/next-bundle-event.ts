/** What follows for a bundle: it is expanded into its jobs, and ends when all of them have ended. */
import type { RunEvent } from '@tutti/manifests';
import { bundleScope, jobScope } from './contexts.ts';
import { attempt, type Evaluated, flag, minutesToMs, outputTexts } from './evaluation.ts';
import type { RunEvents } from './events.ts';
import { jobsOfBundle } from './job-tree.ts';
import { isCanceled, type Job, type JobResult, type Run } from './run.ts';

/** The event that gives a bundle its jobs; an error where something of it cannot be evaluated. */
export function expansionOf(run: Run, job: Job, events: RunEvents): Evaluated<RunEvent> {
  return attempt(`jobs.${job.key}`, () => {
    const minutes = job.definition['timeout-minutes'];
    const timeoutMs = minutes === undefined ? null : minutesToMs(minutes, jobScope(run, job));
    return events.expanded(job, job.definition.jobs ?? {}, { timeoutMs });
  });
}

/** Null while jobs of the bundle are not over. */
export function nextBundleEvent(run: Run, job: Job, events: RunEvents): RunEvent | null {
  const jobs = jobsOfBundle(run, job);
  return jobs.every(({ phase }) => phase === 'COMPLETED')
    ? endBundle(run, job, jobs, events)
    : null;
}

function endBundle(run: Run, job: Job, jobs: readonly Job[], events: RunEvents): RunEvent {
  const result = resultOf(job, jobs);
  const ended = attempt(`jobs.${job.key}`, () => {
    const scope = bundleScope(run, job);
    return {
      outputs: outputTexts(job.definition.outputs ?? {}, scope),
      forgiven: flag(job.definition['continue-on-error'], scope),
    };
  });
  if (!ended.ok) {
    return run.cancellation === null
      ? events.error(job, ended.error)
      : events.jobEnded(job, result, sentence(job, result, jobs));
  }
  const isForgiven = result === 'failure' && ended.value.forgiven;
  const { outputs } = ended.value;
  const log = sentence(job, isForgiven ? 'forgiven' : result, jobs);
  return events.jobEnded(job, isForgiven ? 'success' : result, log, { outputs, isForgiven });
}

function resultOf(job: Job, jobs: readonly Job[]): JobResult {
  if (isCanceled(job)) return 'cancelled';
  if (jobs.some(({ result }) => result === 'failure')) return 'failure';
  return jobs.some(({ result }) => result === 'cancelled') ? 'cancelled' : 'success';
}

/** Names in a sentence; more of them would not be read. */
const NAMES_MAX = 5;

function sentence(job: Job, result: JobResult | 'forgiven', jobs: readonly Job[]): string {
  const subject = `Job "${job.name}"`;
  switch (result) {
    case 'failure':
      return `${subject} failed: ${failureList(jobs)}.`;
    case 'forgiven':
      return `${subject} failed, and counts as succeeded: it continues on error.`;
    case 'cancelled':
      return `${subject} was canceled.`;
    case 'success':
    case 'skipped':
      return `${subject} succeeded.`;
  }
}

/** `job "a" failed`, `jobs "a", "b" and 3 more failed`; those that were stopped for it are not named. */
function failureList(jobs: readonly Job[]): string {
  const failed = jobs.filter(({ result }) => result === 'failure');
  const names = failed.slice(0, NAMES_MAX).map(({ name }) => `"${name}"`);
  const more = failed.length > names.length ? ` and ${failed.length - names.length} more` : '';
  return `${failed.length === 1 ? 'job' : 'jobs'} ${names.join(', ')}${more} failed`;
}

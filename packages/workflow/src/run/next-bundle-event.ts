/** The next event of a bundle that has its jobs: it ends when all of them have ended. */
import type { RunEvent } from '@tutti/manifests';
import { referenceText } from './call-reference.ts';
import { bundleScope, jobScope } from './contexts.ts';
import { endOfDownload } from './download.ts';
import { attempt, flag, outputTexts } from './evaluation.ts';
import type { RunEvents } from './events.ts';
import { inputsOf } from './expansion.ts';
import { failureThatHalts, hasFailed } from './fail-fast.ts';
import { jobsOfBundle } from './job-tree.ts';
import { type Download, isCanceled, isOverdue, type Job, type JobResult, type Run } from './run.ts';

/** Null while jobs of the bundle are not over, unless one that failed halts the others. */
export function nextBundleEvent(run: Run, job: Job, events: RunEvents): RunEvent | null {
  const jobs = jobsOfBundle(run, job);
  const failure = job.bundle === null ? null : failureThatHalts(run, job.bundle.set, () => jobs);
  if (failure !== null) return events.halted(job, failure);
  if (jobs.some(({ phase }) => phase !== 'COMPLETED')) return null;
  const download = job.bundle?.download ?? null;
  const isStopped = isCanceled(job) || jobs.some(({ result }) => result === 'cancelled');
  return download === null || isStopped
    ? endBundle(run, job, jobs, events)
    : callFetched(run, job, download, events);
}

/** The workflow that a bundle calls has come, or will never come. */
function callFetched(run: Run, job: Job, download: Download, events: RunEvents): RunEvent {
  const end = endOfDownload(run, download);
  if (!end.ok) return endWithoutJobs(run, job, end.why, events);
  const inputs = attempt(`jobs.${job.key}`, () => inputsOf(run, job, events.budget));
  if (!inputs.ok) {
    return run.cancellation === null
      ? events.error(job, inputs.error)
      : endWithoutJobs(run, job, inputs.error, events);
  }
  const { blob, fetched } = end;
  const called = { file: referenceText(fetched), blob, fetched };
  return events.generatorCommand(job, { generator: '.uses', inputs: inputs.value, called });
}

function endBundle(run: Run, job: Job, jobs: readonly Job[], events: RunEvents): RunEvent {
  const result = resultOf(job, jobs);
  const ended = attempt(`jobs.${job.key}`, () => {
    if (job.bundle?.category === 'matrix') return { outputs: lastOutputs(jobs), forgiven: false };
    const scope = bundleScope(run, job, events.budget);
    return {
      outputs: outputTexts({ ...job.definition.outputs, ...job.bundle?.outputs }, scope),
      forgiven: flag(job.definition['continue-on-error'], scope),
    };
  });
  if (!ended.ok) {
    return run.cancellation === null
      ? events.error(job, ended.error)
      : events.jobEnded(job, result, sentence(job, result, jobs, false));
  }
  const isForgiven = ended.value.forgiven && isForgivable(job, result, jobs);
  const { outputs } = ended.value;
  const log = sentence(job, result, jobs, isForgiven);
  return events.jobEnded(job, isForgiven ? 'success' : result, log, { outputs, isForgiven });
}

/** `continue-on-error` forgives failures and timeouts of the bundle, or of a job in it. It does not forgive a cancellation. */
function isForgivable(job: Job, result: JobResult, jobs: readonly Job[]): boolean {
  if (result !== 'cancelled') return result === 'failure';
  return isOverdue(job) || (!job.canceled && jobs.some(hasFailed));
}

/** The end of a bundle that gets no jobs: that is a failure of it, which it may continue on. */
export function endWithoutJobs(run: Run, job: Job, why: string, events: RunEvents): RunEvent {
  return endForgivably(run, job, ['failure', 'failed', why], events);
}

/** The end of a job that nobody had a place for in time, which it may continue on as well. */
export function endUnplaced(run: Run, job: Job, why: string, events: RunEvents): RunEvent {
  return endForgivably(run, job, ['cancelled', 'canceled', why], events);
}

function endForgivably(
  run: Run,
  job: Job,
  [result, verb, why]: readonly [JobResult, verb: string, why: string],
  events: RunEvents,
): RunEvent {
  const setting = job.definition['continue-on-error'];
  const forgiven = attempt('continue-on-error', () =>
    flag(setting, jobScope(run, job, events.budget)),
  );
  const isForgiven = forgiven.ok && forgiven.value;
  const log = `Job "${job.name}" ${verb}${isForgiven ? ', and counts as succeeded' : ''}: ${why}`;
  return events.jobEnded(job, isForgiven ? 'success' : result, log, { isForgiven });
}

function resultOf(job: Job, jobs: readonly Job[]): JobResult {
  if (isCanceled(job)) return 'cancelled';
  if (jobs.some(({ result }) => result === 'failure')) return 'failure';
  return jobs.some(({ result }) => result === 'cancelled') ? 'cancelled' : 'success';
}

/** Outputs of a matrix: for each name the last text that is not empty. */
function lastOutputs(jobs: readonly Job[]): Readonly<Record<string, string>> {
  const outputs = new Map<string, string>();
  for (const [name, text] of jobs.flatMap((job) => Object.entries(job.outputs))) {
    if (text !== '' || !outputs.has(name)) outputs.set(name, text);
  }
  return Object.fromEntries(outputs);
}

/** Names in a sentence; more of them would not be read. */
const NAMES_MAX = 5;

function sentence(job: Job, result: JobResult, jobs: readonly Job[], isForgiven: boolean): string {
  const subject = `Job "${job.name}"`;
  const counts = ', and counts as succeeded: it continues on error.';
  switch (result) {
    case 'failure':
      return `${subject} failed${isForgiven ? counts : `: ${failureList(jobs)}.`}`;
    case 'cancelled':
      return `${subject} was canceled${isForgiven ? counts : '.'}`;
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

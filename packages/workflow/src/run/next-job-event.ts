/** The next event of one job, if its state calls for one. Applied until no job has any more. */
import type { EvaluationBudget } from '@tutti/expressions';
import type { RunEvent } from '@tutti/manifests';
import { groupOfJob } from './concurrency.ts';
import { conditionScope, jobScope, needsOf, outerScope } from './contexts.ts';
import { isDownload } from './download.ts';
import { endCall } from './end-call.ts';
import {
  attempt,
  condition,
  type Evaluated,
  flag,
  minutesToMs,
  outputTexts,
} from './evaluation.ts';
import type { RunEvents } from './events.ts';
import { expansionOf } from './expansion.ts';
import { tagsOf } from './inherited.ts';
import { isHalted, jobBeside, setsAround } from './job-tree.ts';
import { judgedStep } from './judged-step.ts';
import { endWithoutJobs, nextBundleEvent } from './next-bundle-event.ts';
import { nextJudgedEvent } from './next-judged-event.ts';
import { isStepWanted, nextStepEvent } from './next-step-event.ts';
import { endUnrun } from './rerun.ts';
import {
  currentStep,
  isCanceled,
  isOverdue,
  type Job,
  type JobResult,
  type Run,
  topFrame,
} from './run.ts';

const JOB_TIMEOUT_MS = 360 * 60_000;

export function nextJobEvent(run: Run, job: Job, events: RunEvents): RunEvent | null {
  switch (job.phase) {
    case 'WAITING':
      return startOrEnd(run, job, events);
    case 'REQUESTED':
      return isHalted(run, job) && !survivesHalt(run, job, events.budget)
        ? events.jobEnded(job, 'cancelled', `Job "${job.name}" canceled.`)
        : null;
    case 'GENERATING':
      return endIfUnanswered(run, job, events);
    case 'RUNNING':
      return nextOfRunning(run, job, events);
    case 'EXPANDED':
      return nextBundleEvent(run, job, events);
    case 'RELEASING':
    case 'COMPLETED':
      return null;
  }
}

/** Ends a job that gets no answer, or that needs it no more. */
function endIfUnanswered(run: Run, job: Job, events: RunEvents): RunEvent | null {
  const error = job.bundle?.error ?? null;
  if (error !== null) return endWithoutJobs(run, job, error, events);
  return isCanceled(job) || (isHalted(run, job) && !survivesHalt(run, job, events.budget))
    ? events.jobEnded(job, 'cancelled', `Job "${job.name}" canceled.`)
    : null;
}

/** An error met after the run began to end must not end it again. Its part of the run does not run. */
function orError(
  run: Run,
  job: Job,
  events: RunEvents,
  failure: { readonly error: string },
): RunEvent | null {
  return run.cancellation === null ? events.error(job, failure.error) : null;
}

function conditionOf(run: Run, job: Job, within: EvaluationBudget): Evaluated<boolean> {
  const scope = conditionScope(run, job, within);
  return attempt(`jobs.${job.key}.if`, () => condition(job.definition.if, scope));
}

/**
 * After an error nothing new starts. After a cancellation of the run, or of the bundle around the job, only jobs start that always run. Not
 * even these start if the run never got its concurrency group.
 */
function survivesHalt(run: Run, job: Job, within: EvaluationBudget): boolean {
  if (run.cancellation?.cause === 'error' || !run.granted) return false;
  const wanted = conditionOf(run, job, within);
  return wanted.ok && wanted.value;
}

function startOrEnd(run: Run, job: Job, events: RunEvents): RunEvent | null {
  if (!run.granted && run.cancellation === null) return null;
  const unrun = endUnrun(run, job, events);
  if (unrun !== null) return unrun;
  if (needsOf(job).some((name) => jobBeside(run, job, name)?.phase !== 'COMPLETED')) return null;
  if (isHalted(run, job) && !survivesHalt(run, job, events.budget)) {
    return events.jobEnded(job, 'cancelled', `Job "${job.name}" canceled.`);
  }
  if (waitsStill(run, job)) return null;
  const wanted = conditionOf(run, job, events.budget);
  if (!wanted.ok) return errorOrEnd(run, job, events, wanted);
  if (!wanted.value) return events.jobEnded(job, 'skipped', `Job "${job.name}" skipped.`);
  if (!job.granted) return groupFailure(run, job, events);
  return job.bundle === null ? requestOrWait(run, job, events) : expand(run, job, events);
}

/** The job's condition held when it began to wait. So a thousand waiting jobs are not evaluated anew for each event of another. */
function waitsStill(run: Run, job: Job): boolean {
  return job.waiting?.reason === 'max-parallel' && fullSetAround(run, job) !== null;
}

function expand(run: Run, job: Job, events: RunEvents): RunEvent {
  const expansion = expansionOf(run, job, events);
  return expansion.ok ? expansion.value : errorOrEnd(run, job, events, expansion);
}

/** A job waits for its group, unless the group cannot be evaluated. */
function groupFailure(run: Run, job: Job, events: RunEvents): RunEvent | null {
  const group = groupOfJob(run, job, events.budget);
  return group?.ok === false ? errorOrEnd(run, job, events, group) : null;
}

function errorOrEnd(
  run: Run,
  job: Job,
  events: RunEvents,
  failure: { readonly error: string },
): RunEvent {
  const log = `Job "${job.name}" canceled: ${failure.error}`;
  return orError(run, job, events, failure) ?? events.jobEnded(job, 'cancelled', log);
}

function requestOrWait(run: Run, job: Job, events: RunEvents): RunEvent | null {
  const full = fullSetAround(run, job);
  if (full !== null) {
    if (job.waiting?.reason === 'max-parallel') return null;
    const { limit, running } = full;
    const log = `Job "${job.name}" waits: ${running} of at most ${limit} jobs run (max-parallel).`;
    return events.waiting(job, { reason: 'max-parallel', limit, running }, log);
  }
  const placed = attempt(`jobs.${job.key}`, () => ({
    tags: requestedTags(run, job, events),
    timeoutMs: timeoutMsOf(run, job, events.budget),
  }));
  if (!placed.ok) return errorOrEnd(run, job, events, placed);
  return events.environmentRequest(job, placed.value.tags, placed.value.timeoutMs);
}

/** Most jobs have no limit of their own, and need no scope. */
function timeoutMsOf(run: Run, job: Job, within: EvaluationBudget): number {
  const minutes = job.definition['timeout-minutes'];
  return minutes === undefined ? JOB_TIMEOUT_MS : minutesToMs(minutes, jobScope(run, job, within));
}

/** Operators know where git is, and from where repositories can be reached. */
function requestedTags(run: Run, job: Job, { downloadTags, budget }: RunEvents): readonly string[] {
  const tags = tagsOf(run, job, budget);
  return isDownload(job) ? [...new Set([...tags, ...downloadTags])] : tags;
}

/** The innermost set around a job that may have no more of its jobs at work. */
function fullSetAround(
  run: Run,
  job: Job,
): { readonly limit: number; readonly running: number } | null {
  for (const { maxParallel: limit, active: running } of setsAround(run, job)) {
    if (limit !== null && running >= limit) return { limit, running };
  }
  return null;
}

function nextOfRunning(run: Run, job: Job, events: RunEvents): RunEvent | null {
  if (job.command !== null) return terminateIfUnwanted(run, job, events);
  if (job.providerCall !== null) return null;
  const frame = topFrame(job);
  if (frame === null) return null;
  const step = frame.steps[frame.next];
  if (step !== undefined) {
    return nextStepEvent({ run, job, step, events }, frame, mayCleanUp(run, job));
  }
  if (frame.provider === null) return endJob(run, job, events);
  const judged = judgedStep(job);
  return judged === null
    ? endCall({ run, job, frame }, events)
    : nextJudgedEvent({ run, job, judged }, events);
}

/** A command goes on after a cancellation only if its step would also start after it (`always()`, `cancelled()`). */
function terminateIfUnwanted(run: Run, job: Job, events: RunEvents): RunEvent | null {
  const { command } = job;
  if (command === null || command.terminated !== null) return null;
  if (!isCanceled(job)) return null;
  const step = currentStep(job);
  const wanted = step === null ? null : isStepWanted({ run, job, step, events }, 'if');
  const goesOn = mayCleanUp(run, job) && wanted?.ok === true && wanted.value;
  return goesOn ? null : events.terminate(job, command.stepId, 'canceled');
}

function mayCleanUp(run: Run, job: Job): boolean {
  return run.cancellation?.cause !== 'error' && job.overtime !== 'over';
}

function endJob(run: Run, job: Job, events: RunEvents): RunEvent | null {
  const scope = outerScope(run, job, events.budget);
  const ended = attempt(`jobs.${job.key}`, () => ({
    outputs: outputTexts(job.definition.outputs ?? {}, scope),
    forgiven: flag(job.definition['continue-on-error'], scope),
  }));
  if (!ended.ok) {
    return orError(run, job, events, ended) ?? events.release(job, resultOf(job), {}, false);
  }
  const result = resultOf(job);
  const isForgiven = (result === 'failure' || isOverdue(job)) && ended.value.forgiven;
  return events.release(job, isForgiven ? 'success' : result, ended.value.outputs, isForgiven);
}

function resultOf(job: Job): JobResult {
  if (isCanceled(job)) return 'cancelled';
  return job.frames.some((frame) => frame.status === 'failure') ? 'failure' : 'success';
}

/** The ended steps of a job. */
import type { EndedStep, JobView, StepView } from './job-view.ts';

export const ENDED_STEPS_MAX = 3;

/** Adds one; steps of a function are no steps of the job. */
function withEnded(job: JobView, step: EndedStep): JobView {
  return { ...job, ended: [...job.ended, step].slice(-ENDED_STEPS_MAX) };
}

/** The next step of the manifest starts now, so the function before it has ended. */
export function callEnded(job: JobView, at: number): JobView {
  const { call } = job;
  if (call === null) return job;
  const hasFailed = job.failed.length > call.failedBefore;
  const state = hasFailed ? 'FAILED' : call.hasFailures ? 'OVER' : 'SUCCEEDED';
  const durationMs = at - call.startedAt;
  return withEnded({ ...job, call: null }, { label: call.label, state, durationMs });
}

export function callBegun(job: JobView, { label, startedAt }: StepView): JobView {
  const call = { label, startedAt, failedBefore: job.failed.length, hasFailures: false };
  return { ...job, call };
}

/** A command ended with this exit code. */
export function commandEnded(job: JobView, step: StepView, status: number, at: number): JobView {
  if (step.depth > 0) {
    const { call } = job;
    return call === null || status === 0 ? job : { ...job, call: { ...call, hasFailures: true } };
  }
  const state = status === 0 ? 'SUCCEEDED' : step.isForgiven ? 'FORGIVEN' : 'FAILED';
  return withEnded(job, { label: step.label, state, durationMs: at - step.startedAt });
}

export function stepSkipped(job: JobView, label: string, at: number): JobView {
  return withEnded(callEnded(job, at), { label, state: 'SKIPPED', durationMs: null });
}

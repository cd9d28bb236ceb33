/**
 * How long a job takes: from its first command until its environment is free again, as its data source tells (specification 2.7). So the wait
 * for an environment, or for a provider, does not count, and the release does: it is the last command of the job.
 */
import type { JobView } from './job-view.ts';

/** Epoch milliseconds. */
export type JobSpan = Pick<JobView, 'startedAt' | 'endedAt'>;

/** In milliseconds, of a job that runs so far; null for one that began nothing, which servers tell to have started when it ended. */
export function jobTimeMs({ startedAt, endedAt }: JobSpan, nowMs: number): number | null {
  if (startedAt === null) return null;
  if (endedAt === null) return Math.max(0, nowMs - startedAt);
  return endedAt > startedAt ? endedAt - startedAt : null;
}

/** The same of one that is over; null for others. */
export const wholeJobTimeMs = (job: JobSpan): number | null =>
  job.endedAt === null ? null : jobTimeMs(job, job.endedAt);

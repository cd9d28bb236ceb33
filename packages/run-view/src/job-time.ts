/**
 * Duration of a job: from its first command until its environment is free, as in its data source (specification 2.7). Waiting for
 * an environment or a provider does not count. The release counts, as it is the last command of the job.
 */
import type { JobView } from './job-view.ts';

/** Epoch milliseconds. */
export type JobSpan = Pick<JobView, 'startedAt' | 'endedAt'>;

/** Running time in milliseconds; null for a job that began nothing, whose start servers set to its end. */
export function jobTimeMs({ startedAt, endedAt }: JobSpan, nowMs: number): number | null {
  if (startedAt === null) return null;
  if (endedAt === null) return Math.max(0, nowMs - startedAt);
  return endedAt > startedAt ? endedAt - startedAt : null;
}

/** Running time of an ended job in milliseconds; null for a job that has not ended. */
export const wholeJobTimeMs = (job: JobSpan): number | null =>
  job.endedAt === null ? null : jobTimeMs(job, job.endedAt);

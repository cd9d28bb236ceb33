/** Deadlines of a run. They are a function of the run, so they outlive a restart without being stored. */
import { countOf, parseTimestamp, type Timestamp } from '@tutti/manifests';
import { judgedStep } from './judged-step.ts';
import { isEnded, type Job, type Run, spanOf } from './run.ts';
import { listsOf, rememberedByList } from './with-entry.ts';

export const epochMs = (timestamp: Timestamp): number => parseTimestamp(timestamp) ?? 0;

/** Time for cleanup steps after their job was cancelled or ran too long, and for jobs that still wait then. */
export const CLEANUP_MS = 5 * 60_000;

/**
 * Deadlines that a change of the system's clock moved, and when they are now. Other deadlines did not move. Both in milliseconds since
 * 1970.
 */
export type MovedDeadlines = ReadonlyMap<number, number>;

const NONE_MOVED: MovedDeadlines = new Map();

/** The current time of a deadline, after moves of the clock. */
export const movedDeadline = (deadlineMs: number | null, moved: MovedDeadlines): number | null =>
  deadlineMs === null ? null : (moved.get(deadlineMs) ?? deadlineMs);

/** The earliest time (epoch milliseconds) at which something of the run takes too long, or null. */
export function nextDeadline(run: Run, moved: MovedDeadlines = NONE_MOVED): number | null {
  if (run.phase === 'NONE' || isEnded(run)) return null;
  const ofRun = run.cancellation === null ? run.deadlineMs : null;
  const lists = listsOf(run.jobs);
  if (moved.size === 0) return earliest([ofRun, ...lists.map(earliestOfJobs)]);
  const deadlines = [ofRun, ...lists.flatMap(deadlinesOf)];
  return earliest(deadlines.map((each) => movedDeadline(each, moved)));
}

const deadlinesOf = (jobs: readonly Job[]): readonly (number | null)[] =>
  jobs.flatMap((job) => [
    jobDeadline(job),
    commandDeadline(job),
    job.providerCall?.deadlineMs ?? null,
    judgingDeadline(job),
  ]);

const earliestOfJobs = rememberedByList((jobs: readonly Job[]) => earliest(deadlinesOf(jobs)));

/** All deadlines of a run, also those that do not count now and may count later. */
export function allDeadlines(run: Run): readonly number[] {
  const deadlines: (number | null)[] = [run.deadlineMs];
  for (const job of run.jobs.values()) {
    deadlines.push(job.deadlineMs, job.command?.deadlineMs ?? null);
    deadlines.push(job.providerCall?.deadlineMs ?? null, judgingDeadline(job));
    for (const { provider } of job.frames) deadlines.push(provider?.deadlineMs ?? null);
  }
  return deadlines.filter((each) => each !== null);
}

/** While a job waits for its environment or its jobs, while it or its jobs run. A job that ends is not hurried. */
export function jobDeadline(job: Job): number | null {
  const isRunning = job.phase === 'RUNNING' || job.phase === 'EXPANDED';
  const isAsking = job.phase === 'REQUESTED' || job.phase === 'GENERATING';
  const active = isAsking || (isRunning && job.overtime !== 'over');
  return active ? job.deadlineMs : null;
}

/** A command that was told to stop has no deadline any more: its channel answers for it. */
export function commandDeadline(job: Job): number | null {
  return job.command?.terminated === null ? job.command.deadlineMs : null;
}

/** Time for the reports of a judged step to be read, and again for its judge. */
export const JUDGING_MS = 60_000;

/** While a judged step waits for its reports, for its judge, or for its next attempt. */
export function judgingDeadline(job: Job): number | null {
  const judged = judgedStep(job);
  if (judged === null) return null;
  const endedAt = spanOf(job, judged.step.id)?.endedAt ?? null;
  const reading = endedAt === null ? null : epochMs(endedAt) + JUDGING_MS;
  return earliest([judged.call.deadlineMs, job.judging?.ended?.deadlineMs ?? reading]);
}

export function earliest(deadlines: readonly (number | null)[]): number | null {
  return deadlines.reduce(
    (least, each) => (each !== null && (least === null || each < least) ? each : least),
    null,
  );
}

/** A length of time for readers, in a unit that fits: `90 milliseconds`, `1 second`, `2.5 minutes`. */
export function durationText(durationMs: number): string {
  const seconds = rounded(durationMs / 1000);
  if (seconds < 1) return countOf(Math.max(0, Math.round(durationMs)), 'millisecond');
  if (seconds < 60) return countOf(seconds, 'second');
  return countOf(rounded(durationMs / 60_000), 'minute');
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

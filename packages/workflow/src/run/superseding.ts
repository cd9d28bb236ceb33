/** The end of a run, or of one job, whose concurrency group another one takes over (`cancel-in-progress`). */
import type { Actor, RunEvent, WorkflowId } from '@tutti/manifests';
import type { RunEvents } from './events.ts';
import { isCanceled, isEnded, type Job, type Run, type SupersededBy } from './run.ts';

export interface Superseding {
  /** Null for the run itself. */
  readonly job: string | null;
  readonly group: string;
  /** The run that takes the group over; it may be the same one, with another of its jobs. */
  readonly by: WorkflowId;
  /** Actor of the request that started that run; absent where unknown. */
  readonly actor?: Actor;
}

export const supersedingReason = ({ group, by }: SupersededBy): string =>
  `Concurrency group "${group}" was taken over by workflow ${by}.`;

/** Empty when it is ending already: then the group becomes free by itself. */
export function supersede(run: Run, superseding: Superseding, events: RunEvents) {
  const { job: name } = superseding;
  if (run.phase === 'NONE' || isEnded(run) || run.cancellation !== null) return [];
  if (name === null) return [events.superseded(supersedingReason(superseding), superseding.actor)];
  const job = run.jobs.get(name);
  return job === undefined ? [] : supersedeJob(job, superseding, events);
}

function supersedeJob(
  job: Job,
  { group, by: workflowId, actor }: Superseding,
  events: RunEvents,
): readonly RunEvent[] {
  const by = { group, by: workflowId };
  const log = `Job "${job.name}" canceled: ${supersedingReason(by)}`;
  switch (job.phase) {
    case 'WAITING':
    case 'REQUESTED':
    case 'GENERATING':
      return [events.jobEnded(job, 'cancelled', log, { supersededBy: by, actor })];
    case 'RUNNING':
    case 'EXPANDED':
      return isCanceled(job) ? [] : [events.jobSuperseded(job, by, log, actor)];
    case 'RELEASING':
    case 'COMPLETED':
      return [];
  }
}

export interface Deadlock {
  /** Key of the job that waits. */
  readonly job: string;
  readonly group: string;
  readonly heldBy: WorkflowId;
}

/**
 * Ends a job to break a cycle of waiting. In the cycle, the holder of its concurrency group waits for a group that is held around the job.
 * Empty for a job that does not wait any more.
 */
export function endDeadlocked(
  run: Run,
  { job: key, group, heldBy }: Deadlock,
  events: RunEvents,
): readonly RunEvent[] {
  const job = run.jobs.get(key);
  if (job?.phase !== 'WAITING' || job.granted || isEnded(run)) return [];
  const holder = heldBy === run.workflowId ? 'another job of this workflow' : `workflow ${heldBy}`;
  const why = `concurrency group "${group}" is held by ${holder}, which itself waits for a group that is held around this job. Neither could go on.`;
  return [events.jobEnded(job, 'cancelled', `Job "${job.name}" canceled: ${why}`)];
}

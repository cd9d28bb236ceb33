/** The end of a run, or of one job, whose concurrency group another one takes over (`cancel-in-progress`). */
import type { RunEvent, WorkflowId } from '@tutti/manifests';
import type { RunEvents } from './events.ts';
import { isCanceled, isEnded, type Job, type Run } from './run.ts';

export interface Superseding {
  /** Null for the run itself. */
  readonly job: string | null;
  readonly group: string;
  /** The run that takes the group over; it may be the same one, with another of its jobs. */
  readonly by: WorkflowId;
}

export const supersedingReason = ({ group, by }: Omit<Superseding, 'job'>): string =>
  `Concurrency group "${group}" was taken over by workflow ${by}.`;

/** Empty when it is ending already: then the group becomes free by itself. */
export function supersede(run: Run, { job: name, ...by }: Superseding, events: RunEvents) {
  if (run.phase === 'NONE' || isEnded(run) || run.cancellation !== null) return [];
  if (name === null) return [events.superseded(supersedingReason(by))];
  const job = run.jobs.get(name);
  return job === undefined ? [] : supersedeJob(job, by, events);
}

function supersedeJob(
  job: Job,
  by: Omit<Superseding, 'job'>,
  events: RunEvents,
): readonly RunEvent[] {
  const log = `Job "${job.name}" canceled: ${supersedingReason(by)}`;
  switch (job.phase) {
    case 'WAITING':
    case 'REQUESTED':
    case 'GENERATING':
      return [events.jobEnded(job, 'cancelled', log, { superseded: by })];
    case 'RUNNING':
    case 'EXPANDED':
      return isCanceled(job) ? [] : [events.jobSuperseded(job, by, log)];
    case 'RELEASING':
    case 'COMPLETED':
      return [];
  }
}

/** A job whose concurrency group is held by who waits, at last, for a group that is held around the job: one of them must give way. */
import type { RunEvent, WorkflowId } from '@tutti/manifests';
import type { RunEvents } from './events.ts';
import { isEnded, type Run } from './run.ts';

export interface Deadlock {
  /** Key of the job that waits. */
  readonly job: string;
  readonly group: string;
  readonly heldBy: WorkflowId;
}

/** Empty for a job that does not wait any more. */
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

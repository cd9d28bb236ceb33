/** A job that waits for another job of its run shows that job's name, not its id. */
import type { WaitingReason } from '@tutti/manifests';
import { jobById, type Run } from './run.ts';

/** The reason with the names of the jobs of this run that keep environments. */
export function withOwnJobs(run: Run, reason: WaitingReason): WaitingReason {
  if (reason.reason !== 'busy') return reason;
  const environments = reason.environments.map((environment) => {
    const { workflow_id: workflowId, job_id: jobId } = environment;
    const job = workflowId === run.workflowId && jobId !== null ? jobById(run, jobId) : null;
    return job === null ? environment : { ...environment, job_name: job.name };
  });
  return { ...reason, environments };
}

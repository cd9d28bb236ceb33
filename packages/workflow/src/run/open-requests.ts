/** Repeats the open requests for an environment, for channel handlers that had no free channel before. */
import {
  apiVersionOf,
  type ExecutionCommandEvent,
  STEP_SEQUENCE,
  type StepId,
} from '@tutti/manifests';
import type { Job, Run } from './run.ts';

/** The requests of the run that nobody has answered. `newId` makes an id for a step, since a request has none. */
export function openRequests(run: Run, newId: () => string): readonly ExecutionCommandEvent[] {
  return [...run.jobs.values()].flatMap((job) => requestOf(run, job, newId));
}

function requestOf(run: Run, job: Job, newId: () => string): readonly ExecutionCommandEvent[] {
  if (job.phase !== 'REQUESTED' || job.jobId === null || job.requestedAt === null) return [];
  return [
    {
      apiVersion: apiVersionOf(run.apiGroup, 'ExecutionCommand'),
      kind: 'ExecutionCommand',
      metadata: {
        name: job.name,
        workflow_id: run.workflowId,
        namespace: run.namespace,
        creationTimestamp: job.requestedAt,
        job_id: job.jobId,
        job_origin: job.origin,
        step_id: newId() as StepId,
        step_origin: [],
        step_sequence_id: STEP_SEQUENCE.request,
      },
      'runs-on': job.tags,
      scripts: [],
    },
  ];
}

/** The answer to `ExecutionCommand` -1: a channel can run the job (wire facts 3.2). */
import {
  apiVersionOf,
  type ExecutionResultEvent,
  type JobId,
  STEP_SEQUENCE,
  type StepId,
  type WorkflowId,
} from '@tutti/manifests';
import type { AgentChannelContext } from './jobs/context.ts';
import { HANDLER_ID } from './jobs/handler-id.ts';

export interface AskingJob {
  readonly workflowId: WorkflowId;
  readonly namespace: string;
  readonly jobId: JobId;
  readonly jobName: string;
  /** The bundles that the job is in. */
  readonly origin: readonly JobId[];
}

/** `channel`: the entries about the channel. */
export const offerOf = (
  { apiGroup, clock, ids }: AgentChannelContext,
  { workflowId, namespace, jobId, jobName, origin }: AskingJob,
  channel: Partial<ExecutionResultEvent['metadata']>,
): ExecutionResultEvent => ({
  apiVersion: apiVersionOf(apiGroup, 'ExecutionResult'),
  kind: 'ExecutionResult',
  metadata: {
    name: jobName,
    workflow_id: workflowId,
    namespace,
    creationTimestamp: clock.timestamp(),
    job_id: jobId,
    job_origin: origin,
    step_id: ids.random<StepId>(),
    step_origin: [],
    step_sequence_id: STEP_SEQUENCE.request,
    channelhandler_id: HANDLER_ID,
    ...channel,
  },
  status: 0,
});

/** The answer to `ExecutionCommand` -1: a channel can run the job (wire facts 3.2). In a local run, also a missing environment. */
import {
  apiVersionOf,
  type ChannelId,
  type ExecutionCommandEvent,
  type ExecutionResultEvent,
  type JobId,
  STEP_SEQUENCE,
  type StepId,
  type WaitingReason,
  type WorkflowId,
} from '@tutti/manifests';
import { type Job, outputMessages, type Run } from '@tutti/workflow';
import type { AgentChannelContext } from '../jobs/context.ts';
import { HANDLER_ID } from '../jobs/handler-id.ts';

interface AskingJob {
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

type Absence = Extract<WaitingReason, { reason: 'no-environment' }>;

interface UnplacedJob {
  readonly run: Run;
  readonly job: Job;
  readonly jobId: JobId;
  readonly absence: Absence;
}

const NAME = 'none';

/**
 * In a local run no further agents come, so a job that fits none would wait for ever. It is offered an environment that
 * does not exist. Its first step reports the missing tags and fails, and jobs that need it go on as after any failure.
 */
export function offerNothing(
  context: AgentChannelContext,
  { run, job, jobId, absence }: UnplacedJob,
): ExecutionResultEvent {
  const { tags, missingTags } = absence;
  context.missingTags.set(jobId, missingTags.length > 0 ? missingTags : tags);
  const { workflowId, namespace } = run;
  const asked = { workflowId, namespace, jobId, jobName: job.name, origin: job.origin };
  const channel_id = context.ids.random<ChannelId>();
  return offerOf(context, asked, { channel_id, channel_name: NAME, channel_os: 'linux' });
}

/** The reason for each command of such a job; null for all other jobs. */
export function whyMissing(
  { missingTags }: AgentChannelContext,
  { metadata }: ExecutionCommandEvent,
): string | null {
  const tags = missingTags.get(metadata.job_id);
  if (metadata.step_sequence_id === STEP_SEQUENCE.release) missingTags.delete(metadata.job_id);
  return tags === undefined ? null : outputMessages.tagsMissing(tags);
}

/**
 * Where no agents come but those of this process, a job that none of them fits would wait for ever. It is offered an environment that
 * does not exist, so that its first step says what is missing and fails, and all that depends on it goes on as it does.
 */
import {
  apiVersionOf,
  type ChannelId,
  type ExecutionCommandEvent,
  type ExecutionResultEvent,
  type JobId,
  STEP_SEQUENCE,
  type StepId,
  type WaitingReason,
} from '@tutti/manifests';
import { type Job, outputMessages, type Run } from '@tutti/workflow';
import { type AgentChannelContext, HANDLER_ID } from './context.ts';

type Absence = Extract<WaitingReason, { reason: 'no-environment' }>;

export interface UnplacedJob {
  readonly run: Run;
  readonly job: Job;
  readonly jobId: JobId;
  readonly absence: Absence;
}

const NAME = 'none';

/** The offer; what is missing is remembered for `whyMissing`. */
export function offerNothing(
  context: AgentChannelContext,
  { run, job, jobId, absence }: UnplacedJob,
): ExecutionResultEvent {
  const { tags, missingTags } = absence;
  context.missingTags.set(jobId, missingTags.length > 0 ? missingTags : tags);
  return {
    apiVersion: apiVersionOf(context.apiGroup, 'ExecutionResult'),
    kind: 'ExecutionResult',
    metadata: {
      name: job.name,
      workflow_id: run.workflowId,
      namespace: run.namespace,
      creationTimestamp: context.clock.timestamp(),
      job_id: jobId,
      job_origin: job.origin,
      step_id: context.ids.random<StepId>(),
      step_origin: [],
      step_sequence_id: STEP_SEQUENCE.request,
      channelhandler_id: HANDLER_ID,
      channel_id: context.ids.random<ChannelId>(),
      channel_name: NAME,
      channel_os: 'linux',
    },
    status: 0,
  };
}

/** For each command of such a job; null for those of all others. */
export function whyMissing(
  { missingTags }: AgentChannelContext,
  { metadata }: ExecutionCommandEvent,
): string | null {
  const tags = missingTags.get(metadata.job_id);
  if (metadata.step_sequence_id === STEP_SEQUENCE.release) missingTags.delete(metadata.job_id);
  return tags === undefined ? null : outputMessages.tagsMissing(tags);
}

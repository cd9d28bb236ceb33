/**
 * In a local run no further agents come, so a job that fits none would wait for ever. It is offered an environment that
 * does not exist. Its first step reports the missing tags and fails, and jobs that need it go on as after any failure.
 */
import {
  type ChannelId,
  type ExecutionCommandEvent,
  type ExecutionResultEvent,
  type JobId,
  STEP_SEQUENCE,
  type WaitingReason,
} from '@tutti/manifests';
import { type Job, outputMessages, type Run } from '@tutti/workflow';
import type { AgentChannelContext } from './jobs/context.ts';
import { offerOf } from './offer.ts';

type Absence = Extract<WaitingReason, { reason: 'no-environment' }>;

export interface UnplacedJob {
  readonly run: Run;
  readonly job: Job;
  readonly jobId: JobId;
  readonly absence: Absence;
}

const NAME = 'none';

/** The offer. The missing tags are remembered for `whyMissing`. */
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

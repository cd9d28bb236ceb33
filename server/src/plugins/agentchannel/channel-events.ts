/** What the agent channel does about the events of runs. */
import {
  type ExecutionCommandEvent,
  type ExecutionResultEvent,
  type NotificationEvent,
  STEP_SEQUENCE,
} from '@tutti/manifests';
import { extension } from '@tutti/workflow';
import { type Agent, channelIdOf } from './agent.ts';
import { beginCommand, finishCommand, publishLost, STOPPED_STATUS } from './commands.ts';
import { type AgentChannelContext, detach, HANDLER_ID } from './context.ts';
import { createSession, type JobSession } from './job-session.ts';
import type { Placement } from './placement.ts';
import { wake } from './polls.ts';
import { inOrder } from './results.ts';

/** Jobs of the same priority go by age; the order in which they asked is their age. */
let requests = 0;

export function requestReceived(
  context: AgentChannelContext,
  placement: Placement,
  event: ExecutionCommandEvent,
): void {
  const { metadata } = event;
  context.pool.addRequest({
    jobId: metadata.job_id,
    workflowId: metadata.workflow_id,
    jobName: metadata.name,
    namespace: metadata.namespace,
    tags: event['runs-on'],
    priority: 0,
    order: requests++,
  });
  placement.changed();
}

/** A job that ended without an environment waits for none any more. */
export function jobEnded(context: AgentChannelContext, event: NotificationEvent): void {
  const { job_id: jobId } = event.metadata;
  if (jobId !== undefined && extension.text(event.spec, 'tutti.job') !== null) {
    context.pool.removeRequest(jobId);
  }
}

/** An offer was accepted: ours, or that of another channel handler. */
export function offerAccepted(context: AgentChannelContext, event: ExecutionResultEvent): void {
  const { metadata } = event;
  if (metadata.step_sequence_id !== STEP_SEQUENCE.request) return;
  context.pool.removeRequest(metadata.job_id);
  const agent = agentOf(context, event);
  if (agent === null) return;
  const { job_id: jobId, workflow_id: workflowId } = metadata;
  agent.session = createSession(agent.id, workflowId, jobId);
  context.pool.setPhase(channelIdOf(agent), 'BUSY', { job: { workflowId, jobId } });
}

function agentOf(
  context: AgentChannelContext,
  event: ExecutionCommandEvent | ExecutionResultEvent,
): Agent | null {
  const channelId = event.metadata.channel_id;
  return context.agents.get(channelId as string as Agent['id']) ?? null;
}

export function commandReceived(
  context: AgentChannelContext,
  placement: Placement,
  event: ExecutionCommandEvent,
): void {
  const { metadata } = event;
  const sequence = metadata.step_sequence_id;
  if (sequence === STEP_SEQUENCE.request) {
    requestReceived(context, placement, event);
    return;
  }
  if (metadata.channelhandler_id !== HANDLER_ID) return;
  const agent = agentOf(context, event);
  const session = agent?.session?.jobId === metadata.job_id ? agent.session : null;
  if (sequence === STEP_SEQUENCE.terminate || sequence === STEP_SEQUENCE.kill) {
    if (agent !== null && session !== null) stopCommand(context, agent, session);
    return;
  }
  if (agent === null || session === null) {
    const why = 'The environment of the job was lost.';
    const lost = publishLost(context, event, why, { lines: [], streamed: 0 });
    detach(context, 'A result for a lost environment', lost);
    return;
  }
  beginCommand(context, agent, session, event);
  wake(context, agent);
}

/** A command that the agent does not have yet is done at once; the others are told to stop. */
function stopCommand(context: AgentChannelContext, agent: Agent, session: JobSession): void {
  const { command } = session;
  if (command === null || command.cancelAskedAtMs !== null) return;
  command.cancelAskedAtMs = context.clock.now();
  if (command.phase !== 'waiting' || command.scriptTold) {
    wake(context, agent);
    return;
  }
  // From here on no poll may take it.
  command.phase = 'collecting';
  const finished = { exitStatus: STOPPED_STATUS, variables: {} };
  const stopped = inOrder(session, () =>
    finishCommand(context, agent, session, command, finished, []),
  );
  detach(context, 'The result of a stopped command', stopped);
}

/** Handles events of jobs that have an environment, or just got one. */
import {
  type ExecutionCommandEvent,
  type ExecutionResultEvent,
  STEP_SEQUENCE,
} from '@tutti/manifests';
import { type Agent, channelIdOf } from '../jobs/agent.ts';
import { createCommand } from '../jobs/command.ts';
import { beginCommand, endSilently, scriptFor } from '../jobs/commands.ts';
import { type AgentChannelContext, type AgentJob, insist } from '../jobs/context.ts';
import { HANDLER_ID } from '../jobs/handler-id.ts';
import { createSession, type JobSession } from '../jobs/job-session.ts';
import { wake } from '../jobs/polls.ts';
import { type Loss, publishLost } from '../jobs/publishing.ts';
import { whyMissing } from './offer.ts';

/** Exit code of a command that was stopped before it began: as if SIGTERM had ended it. */
export const STOPPED_STATUS = 143;

export function resultPublished(context: AgentChannelContext, event: ExecutionResultEvent): void {
  const sequence = event.metadata.step_sequence_id;
  if (sequence === STEP_SEQUENCE.request) offerAccepted(context, event);
  if (sequence === STEP_SEQUENCE.release) jobReleased(context, event);
}

/** An offer was accepted, either ours or that of another channel handler. */
function offerAccepted(context: AgentChannelContext, event: ExecutionResultEvent): void {
  const { job_id: jobId, workflow_id: workflowId, namespace } = event.metadata;
  context.requestAnswered(jobId);
  const agent = agentOf(context, event);
  if (agent === null) return;
  const phase = context.pool.phaseOf(channelIdOf(agent));
  // The agent was lost while its offer was on its way, or another sender offered one that is not free. Later commands are answered as lost.
  if (phase !== 'PENDING' && phase !== 'IDLE') return;
  const run = context.runs.current(workflowId);
  const session = createSession(agent, { workflowId, jobId, masks: run?.masks ?? [] });
  agent.begin(context, session, run?.namespace ?? namespace);
}

/** The release of a job has a result, from us or from another sender. */
function jobReleased(context: AgentChannelContext, event: ExecutionResultEvent): void {
  const { job_id: jobId, channel_id: channelId } = event.metadata;
  const agent = agentOf(context, event);
  // Other senders that answer for us may leave out the channel.
  const owner = channelId === undefined ? ownerOf(context, jobId) : agent;
  const session = owner?.session ?? null;
  if (owner !== null && session?.jobId === jobId) owner.free(context, session);
}

function ownerOf({ agents }: AgentChannelContext, jobId: JobSession['jobId']): Agent | null {
  for (const agent of agents.values()) if (agent.session?.jobId === jobId) return agent;
  return null;
}

function agentOf(
  context: AgentChannelContext,
  event: ExecutionCommandEvent | ExecutionResultEvent,
): Agent | null {
  const channelId = event.metadata.channel_id;
  return context.agents.get(channelId as string as Agent['id']) ?? null;
}

/** Whether the session of the job has this command already. */
export function isCurrent(context: AgentChannelContext, event: ExecutionCommandEvent): boolean {
  const { job_id: jobId, step_sequence_id: sequence } = event.metadata;
  const session = agentOf(context, event)?.session ?? null;
  return session?.jobId === jobId && session.command?.event.metadata.step_sequence_id === sequence;
}

export function commandReceived(context: AgentChannelContext, event: ExecutionCommandEvent): void {
  const { metadata } = event;
  const sequence = metadata.step_sequence_id;
  if (sequence === STEP_SEQUENCE.request) {
    context.requestReceived(event);
    return;
  }
  if (metadata.channelhandler_id !== HANDLER_ID) return;
  const agent = agentOf(context, event);
  const session = agent?.session?.jobId === metadata.job_id ? agent.session : null;
  const isStop = sequence === STEP_SEQUENCE.terminate || sequence === STEP_SEQUENCE.kill;
  if (agent === null || session === null) {
    if (agent !== null && sequence === STEP_SEQUENCE.release) oweRelease(context, agent, event);
    // A command that should stop here was answered as lost already.
    if (!isStop) loseUnbegun(context, agent, event);
  } else if (isStop) {
    stopCommand({ context, agent, session });
  } else {
    beginCommand({ context, agent, session }, event);
    if (!agent.takesInAnswer) wake(context, agent);
  }
}

/** Keeps the release of a job that has ended without its agent. The agent may come back with files of the job. */
function oweRelease(
  context: AgentChannelContext,
  agent: Agent,
  event: ExecutionCommandEvent,
): void {
  if (agent.lostJob?.jobId !== event.metadata.job_id) return;
  agent.retryDelivery(createCommand(event, scriptFor(agent, event), null));
  wake(context, agent);
}

/** Answers a command that has no environment (any more). */
export function loseCommand(
  context: AgentChannelContext,
  event: ExecutionCommandEvent,
  loss: Loss,
): void {
  const { workflow_id: workflowId, job_id: jobId } = event.metadata;
  void insist(context, 'A result for a lost environment', { workflowId, jobId }, () =>
    publishLost(context, event, loss),
  );
}

/** Answers a command that came after the environment was lost. The first such command of a job explains the loss. */
function loseUnbegun(
  context: AgentChannelContext,
  agent: Agent | null,
  event: ExecutionCommandEvent,
): void {
  const lost = agent?.reportLoss(event.metadata.job_id) ?? null;
  if (lost !== null) {
    loseCommand(context, event, { why: lost });
    return;
  }
  const missing = whyMissing(context, event);
  const why = missing ?? 'The step could not run: the environment of its job was lost before.';
  loseCommand(context, event, { why, isNotRun: true });
}

/** Stops a command: at once if the agent does not have it, otherwise by an order. */
function stopCommand({ context, agent, session }: AgentJob): void {
  const { command } = session;
  if (command === null || command.cancelAskedAtMs !== null) return;
  command.note({ cancelAskedAtMs: context.clock.monotonicMs() });
  const { waiter } = agent;
  const isUnread = waiter !== null && agent.isStoppedBefore(command, waiter);
  if (command.phase === 'waiting' || isUnread) {
    void endSilently({ context, agent, session, command }, { exitStatus: STOPPED_STATUS });
  } else {
    wake(context, agent);
  }
}

/**
 * The phase of an agent's channel (specification 3.1). `PENDING` and `BUSY` come with offers; here it becomes free or unreachable.
 * One of our own agents that is unreachable keeps its session for a while: its job goes on when it comes back in time.
 */
import { formatTimestamp } from '@tutti/manifests';
import { epochMs } from '@tutti/workflow';
import { type Agent, channelIdOf, isOperated, namespacesOf } from './agent.ts';
import { type AgentChannelContext, HANDLER_ID } from './context.ts';
import type { JobSession } from './job-session.ts';

/** Ends a session; its channel is free for others, unless its agent is away or still runs what was given up. Safe to repeat. */
export function freeChannel(context: AgentChannelContext, agent: Agent, session: JobSession): void {
  if (agent.session !== session) return;
  agent.session = null;
  const { abandoned, unreachableSince } = agent;
  if (abandoned !== null || unreachableSince !== null) {
    const sinceMs = unreachableSince === null ? context.clock.now() : epochMs(unreachableSince);
    becomeUnreachable(context, agent, sinceMs);
  } else if (isOperated(agent)) agent.leavingSinceMs = context.clock.monotonicMs();
  else becomeFree(context, agent);
}

/**
 * An operator asks once more after the end of a job, removes its environment when there is nothing, and drops a command that it gets
 * then. So its channel is free only when it has asked, or does not ask.
 */
export function endLeave(context: AgentChannelContext, agent: Agent): void {
  if (agent.leavingSinceMs !== null) becomeFree(context, agent);
}

/** `sinceMs`: since when nothing was heard of it, or it works on something that is not wanted. */
export function becomeUnreachable(
  context: AgentChannelContext,
  agent: Agent,
  sinceMs: number,
): void {
  agent.leavingSinceMs = null;
  agent.unreachableSince = formatTimestamp(sinceMs);
  joinPool(context, agent);
  const since = agent.unreachableSince;
  const keepsJob = agent.session !== null;
  context.pool.setPhase(channelIdOf(agent), 'UNREACHABLE', {
    since,
    ...(keepsJob ? {} : { job: null }),
  });
  context.poolChanged();
}

/**
 * The channel goes on with its job, or is free again, unless the agent still runs what was given up: only those who poll meanwhile can tell that. One of
 * ours is there when it asks for work, whatever else is heard of it.
 */
export function becomeReachable(context: AgentChannelContext, agent: Agent): void {
  if (agent.isOurs && agent.disconnectedAtMs !== null) return;
  if (agent.abandoned !== null && (agent.isOurs || agent.isAsync)) return;
  agent.unreachableSince = null;
  agent.abandoned = null;
  if (agent.session === null) becomeFree(context, agent);
  else context.pool.setPhase(channelIdOf(agent), 'BUSY');
}

/**
 * From now on jobs know of the channel. One of our own agents may be told to stop before it has its id: of such a one jobs hear nothing
 * until it asks for work, or is lost.
 */
export function joinPool({ pool }: AgentChannelContext, agent: Agent): void {
  const channelId = channelIdOf(agent);
  if (pool.phaseOf(channelId) !== null) return;
  const { metadata, spec } = agent.registration;
  const namespaces = namespacesOf(agent);
  const { tags } = spec;
  pool.upsertChannel({ channelId, handlerId: HANDLER_ID, name: metadata.name, namespaces, tags });
  pool.setDraining(channelId, agent.drainingSince !== null);
}

/** A channel that is offered to a job is not free for others until the run has answered. */
function becomeFree(context: AgentChannelContext, agent: Agent): void {
  agent.leavingSinceMs = null;
  context.pool.setPhase(channelIdOf(agent), agent.isOffered ? 'PENDING' : 'IDLE');
  context.poolChanged();
}

/**
 * The phase of an agent's channel (specification 3.1). `PENDING` and `BUSY` come with offers; here it becomes free or unreachable.
 * An agent that is unreachable has no session: what it worked on was given up.
 */
import { formatTimestamp } from '@tutti/manifests';
import { type Agent, channelIdOf } from './agent.ts';
import type { AgentChannelContext } from './context.ts';
import type { JobSession } from './job-session.ts';

/** Ends a session; its channel is free for others, unless its agent is away or still runs what was given up. Safe to repeat. */
export function freeChannel(context: AgentChannelContext, agent: Agent, session: JobSession): void {
  if (agent.session !== session) return;
  agent.session = null;
  if (agent.abandoned !== null) becomeUnreachable(context, agent, context.clock.now());
  else if (agent.unreachableSince === null) becomeFree(context, agent);
}

/** `sinceMs`: since when nothing was heard of it, or it works on something that is not wanted. */
export function becomeUnreachable(
  context: AgentChannelContext,
  agent: Agent,
  sinceMs: number,
): void {
  agent.unreachableSince = formatTimestamp(sinceMs);
  const since = agent.unreachableSince;
  context.pool.setPhase(channelIdOf(agent), 'UNREACHABLE', { since, job: null });
  context.poolChanged();
}

/**
 * The channel is free again, unless the agent still runs what was given up: only those who poll meanwhile can tell that. One of
 * ours is there when it asks for work, whatever else is heard of it.
 */
export function becomeReachable(context: AgentChannelContext, agent: Agent): void {
  if (agent.isOurs && agent.disconnectedAtMs !== null) return;
  if (agent.abandoned !== null && (agent.isOurs || agent.isAsync)) return;
  agent.unreachableSince = null;
  agent.abandoned = null;
  becomeFree(context, agent);
}

/** A channel that is offered to a job is not free for others until the run has answered. */
function becomeFree(context: AgentChannelContext, agent: Agent): void {
  context.pool.setPhase(channelIdOf(agent), agent.isOffered ? 'PENDING' : 'IDLE');
  context.poolChanged();
}

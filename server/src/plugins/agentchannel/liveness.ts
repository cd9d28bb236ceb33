/** Agents that fall silent: their commands are given up, their channels are unreachable, and at last they are forgotten. */
import { formatTimestamp } from '@tutti/manifests';
import { type Agent, channelIdOf } from './agent.ts';
import { endTransfer, finishCommand, publishLost } from './commands.ts';
import { type AgentChannelContext, detach } from './context.ts';
import type { Command, JobSession } from './job-session.ts';
import { LIMITS } from './limits.ts';
import type { Placement } from './placement.ts';
import { inOrder, publishWhenCollected } from './results.ts';

/** Seconds of silence that make an agent unreachable. */
function livenessSeconds(context: AgentChannelContext, agent: Agent): number {
  return agent.registration.spec.liveness_probe ?? context.livenessSeconds;
}

/** Notes a contact; an agent that was unreachable is back. */
export function touch(context: AgentChannelContext, placement: Placement, agent: Agent): void {
  agent.lastContactMs = context.clock.now();
  agent.contacts += 1;
  if (agent.unreachableSince !== null) becomeReachable(context, placement, agent);
}

/** The channel is free again unless the agent still runs what was given up. */
export function becomeReachable(
  context: AgentChannelContext,
  placement: Placement,
  agent: Agent,
): void {
  if (agent.abandoned !== null && (agent.isOurs || agent.isAsync)) return;
  agent.unreachableSince = null;
  agent.abandoned = null;
  context.pool.setPhase(channelIdOf(agent), 'IDLE');
  placement.changed();
}

/** Why an agent counts as lost now; null while it does not. */
function silence(context: AgentChannelContext, agent: Agent, nowMs: number): string | null {
  const limit = livenessSeconds(context, agent);
  if (nowMs - agent.lastContactMs > limit * 1000) return `no contact for ${limit} s`;
  const grace = Math.min(context.disconnectGraceSeconds, limit);
  return agent.disconnectedAtMs !== null && nowMs - agent.disconnectedAtMs > grace * 1000
    ? `its connection broke and it did not come back within ${grace} s`
    : null;
}

/** One look at all agents. */
export function sweep(
  context: AgentChannelContext,
  placement: Placement,
  forget: (agent: Agent) => void,
): void {
  const now = context.clock.now();
  for (const agent of context.agents.values()) {
    if (agent.waiter !== null) agent.lastContactMs = now;
    else if (agent.unreachableSince === null) {
      const why = silence(context, agent, now);
      if (why !== null) lose(context, placement, agent, why);
    } else if (now - agent.lastContactMs > LIMITS.forgetMs) forget(agent);
    const command = agent.session?.command ?? null;
    if (command !== null) watchCommand(context, agent, command, now);
  }
}

/** Gives up what runs on an agent; its job goes on by the run's rules, without the environment. */
export function lose(
  context: AgentChannelContext,
  placement: Placement,
  agent: Agent,
  why: string,
): void {
  const { session } = agent;
  agent.unreachableSince = formatTimestamp(agent.lastContactMs);
  context.pool.setPhase(channelIdOf(agent), 'UNREACHABLE', { since: agent.unreachableSince });
  giveUp(context, agent, session, why);
  placement.changed();
}

export function giveUp(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession | null,
  why: string,
): void {
  if (session === null) return;
  agent.session = null;
  const { name } = agent.registration.metadata;
  const sentence = `Agent "${name}" (${agent.id}) was lost: ${why}.`;
  detach(
    context,
    'The result of a lost command',
    inOrder(session, async () => {
      const { command } = session;
      if (command === null) return;
      session.command = null;
      agent.abandoned = command.phase === 'running' ? command.id : null;
      await publishLost(context, command.event, sentence, command.logs.result());
    }),
  );
}

function watchCommand(
  context: AgentChannelContext,
  agent: Agent,
  command: Command,
  nowMs: number,
): void {
  const { session } = agent;
  if (session === null) return;
  const late = command.transfers.find(
    ({ phase, toldAtMs }) => phase === 'told' && nowMs - toldAtMs > LIMITS.transferStartMs,
  );
  if (late !== undefined) {
    const failed = inOrder(session, async () => {
      if (late.phase !== 'told') return;
      endTransfer(context, command, late, 'the agent did not send it in time');
      await publishWhenCollected(context, agent, session);
    });
    detach(context, 'A late transfer', failed);
  }
  const asked = command.cancelAskedAtMs;
  if (asked === null || command.phase !== 'running') return;
  if (nowMs - asked > LIMITS.cancelGraceMs) abandonCommand(context, agent, session, command);
}

/** The agent cannot be interrupted, or does not answer: the run goes on without it, the channel stays busy until it does. */
function abandonCommand(
  context: AgentChannelContext,
  agent: Agent,
  session: JobSession,
  command: Command,
): void {
  command.cancelAskedAtMs = null;
  const lines = ['WARNING,The command did not stop in time; its environment may still run it.'];
  const finished = { exitStatus: 137, variables: {} };
  const ended = inOrder(session, async () => {
    if (session.command !== command || command.phase !== 'running') return;
    agent.abandoned = command.id;
    await finishCommand(context, agent, session, command, finished, lines);
  });
  detach(context, 'The end of a command that does not stop', ended);
}

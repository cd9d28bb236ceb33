/**
 * Existing agents that were restarted. A killed agent keeps its registration, and registers again under another id. In
 * synchronous mode it looks like an agent that works in silence, until its successor registers.
 */
import type { AgentId } from '@tutti/manifests';
import { epochMs } from '@tutti/workflow';
import type { Agent } from '../jobs/agent.ts';
import type { AgentChannelContext } from '../jobs/context.ts';
import { LIMITS } from '../jobs/limits.ts';

/** The agent that may have been started again under this identity. Null if there are several: they are copies of one machine. */
export function predecessorOf(
  { agents }: Pick<AgentChannelContext, 'agents'>,
  identity: string | null,
): AgentId | null {
  if (identity === null) return null;
  const isAlike = (agent: Agent) =>
    agent.identity === identity && (agent.session !== null || agent.unreachableSince === null);
  const [agent, ...others] = [...agents.values()].filter(isAlike);
  return agent === undefined || others.length > 0 ? null : agent.id;
}

/** The agent that `successor` replaces must now give a sign of life. A contact after the successor registered is one. */
export function expectSign(context: AgentChannelContext, successor: Agent): void {
  const agent = successor.replaces === null ? undefined : context.agents.get(successor.replaces);
  if (agent === undefined || agent.heardAtMs > epochMs(successor.createdAt)) return;
  const address = agent.registrant?.address ?? null;
  const isOfMachine = address !== null && address === successor.registrant?.address;
  const patienceSeconds = isOfMachine ? LIMITS.replacedSeconds : context.livenessSeconds;
  agent.note({ replacement: { atMs: context.clock.monotonicMs(), patienceSeconds } });
}

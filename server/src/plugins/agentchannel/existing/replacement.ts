/**
 * Existing agents that were restarted. A killed agent keeps its registration, and registers again under another id. In
 * synchronous mode it looks like an agent that works in silence, until its successor registers.
 */
import type { AgentId } from '@tutti/manifests';
import { epochMs } from '@tutti/workflow';
import type { Agent } from '../jobs/agent.ts';
import type { AgentChannelContext } from '../jobs/context.ts';
import { LIMITS } from '../jobs/limits.ts';

type Identified = Pick<Agent, 'id' | 'identity' | 'session' | 'unreachableSince'>;

/** Agents by their identity: a registration looks only at those that have the same one. */
export class Identities {
  readonly #agents = new Map<string, Set<Identified>>();

  add(agent: Identified): void {
    const { identity } = agent;
    if (identity === null) return;
    const alike = this.#agents.get(identity);
    if (alike === undefined) this.#agents.set(identity, new Set([agent]));
    else alike.add(agent);
  }

  remove(agent: Identified): void {
    const { identity } = agent;
    if (identity === null) return;
    const alike = this.#agents.get(identity);
    alike?.delete(agent);
    if (alike?.size === 0) this.#agents.delete(identity);
  }

  /** The agent that may have been started again under this identity. Null if there are several: they are copies of one machine. */
  predecessorOf(identity: string | null): AgentId | null {
    if (identity === null) return null;
    let found: AgentId | null = null;
    for (const { id, session, unreachableSince } of this.#agents.get(identity) ?? []) {
      if (session === null && unreachableSince !== null) continue;
      if (found !== null) return null;
      found = id;
    }
    return found;
  }
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

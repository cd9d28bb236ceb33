/**
 * Existing agents that were restarted. A killed agent keeps its registration, and registers again under another id. In
 * synchronous mode it looks like an agent that works in silence, until its successor registers.
 */
import type { AgentId } from '@tutti/manifests';
import type { DocumentWrite } from '../../../store/store.ts';
import type { Agent } from '../jobs/agent.ts';
import type { AgentChannelContext } from '../jobs/context.ts';
import { LIMITS } from '../jobs/limits.ts';
import { agentWrite } from '../jobs/stored-agents.ts';

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

/**
 * The agent that `successor` replaces must now give a sign of life. It has done so if it was heard of after `sinceMs` (monotonic). No time of
 * day is compared: another replica, with another clock, may have heard of it before.
 */
export function expectSign(context: AgentChannelContext, successor: Agent, sinceMs: number): void {
  const agent = successor.replaces === null ? undefined : context.agents.get(successor.replaces);
  if (agent === undefined || agent.lastContactMs > sinceMs) return;
  const address = agent.registrant?.address ?? null;
  const isOfMachine = address !== null && address === successor.registrant?.address;
  const patienceSeconds = isOfMachine ? LIMITS.replacedSeconds : context.livenessSeconds;
  agent.note({ replacement: { atMs: context.clock.monotonicMs(), patienceSeconds } });
}

/** Stores that an agent replaces nobody: the other one has given a sign of life. So the next server expects no further one. Never rejects. */
export async function keepSigns(context: AgentChannelContext): Promise<void> {
  const { agents, store, logger } = context;
  const alone = [...agents.values()].filter(({ replaces }) => {
    const other = replaces === null ? undefined : agents.get(replaces);
    return other !== undefined && other.replacement === null;
  });
  if (alone.length === 0) return;
  for (const agent of alone) agent.note({ replaces: null });
  try {
    await store.write({ documents: alone.map(aloneWrite) });
  } catch (error) {
    for (const agent of alone) logger.warn({ err: error, agentId: agent.id }, NOT_STORED);
  }
}

function aloneWrite({ id, registration, createdAt, registrant }: Agent): DocumentWrite {
  return agentWrite(id, {
    ...{ registration, createdAt },
    ...(registrant === null ? {} : { registrant }),
  });
}

const NOT_STORED =
  'It was not stored that the agent of the same name is alive. After a restart it has to ask for work.';

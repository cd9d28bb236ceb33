/**
 * Drains of agents: an agent that somebody wants to take out of service takes no further job. A drain belongs to the registration: it
 * outlives the server, and ends with the agent's de-registration. An agent that registers anew is another one, and takes jobs.
 */
import type { Timestamp } from '@tutti/manifests';
import { removalFrom, type Store } from '../../../store/store.ts';
import { type Agent, channelIdOf } from '../jobs/agent.ts';
import type { AgentChannelContext } from '../jobs/context.ts';

const DRAINS = 'agent-drains';

/** Start of the drain of each agent. */
export async function readDrains(
  store: Pick<Store, 'documents'>,
): Promise<ReadonlyMap<string, Timestamp>> {
  const drains = await store.documents(DRAINS);
  return new Map(drains.map(({ key, json }) => [key, JSON.parse(json) as Timestamp]));
}

/** Removes the drain of a de-registered agent. */
export const drainRemoval = removalFrom(DRAINS);

/** Begins or ends a drain; the agent finishes its current job. Resolves when it is durable. */
export async function setDraining(
  { store, clock, pool, agents, poolChanged }: AgentChannelContext,
  agent: Agent,
  isDraining: boolean,
): Promise<void> {
  const since = isDraining ? (agent.drainingSince ?? clock.timestamp()) : null;
  const json = since === null ? null : JSON.stringify(since);
  await store.write({ documents: [{ collection: DRAINS, key: agent.id, json }] });
  // The agent was de-registered meanwhile, so nobody else would remove the new record.
  if (!agents.has(agent.id)) await store.write({ documents: [drainRemoval(agent.id)] });
  agent.note({ drainingSince: since });
  pool.setDraining(channelIdOf(agent), isDraining);
  poolChanged();
}

/**
 * Agents that take no further job, because somebody wants to take them out of service. It belongs to the registration: it outlives the
 * server, and ends with the agent's de-registration. Who registers anew is another agent, and takes jobs.
 */
import type { Timestamp } from '@tutti/manifests';
import { removalFrom, type Store } from '../../store/store.ts';
import { type Agent, channelIdOf } from './jobs/agent.ts';
import type { AgentChannelContext } from './jobs/context.ts';

const DRAINS = 'agent-drains';

/** Since when each agent drains. */
export async function readDrains(
  store: Pick<Store, 'documents'>,
): Promise<ReadonlyMap<string, Timestamp>> {
  const drains = await store.documents(DRAINS);
  return new Map(drains.map(({ key, json }) => [key, JSON.parse(json) as Timestamp]));
}

/** For an agent that is gone. */
export const drainRemoval = removalFrom(DRAINS);

/** From now on, or no longer; what the agent does goes on to its end. Resolves when it is durable. */
export async function setDraining(
  { store, clock, pool, agents, poolChanged }: AgentChannelContext,
  agent: Agent,
  isDraining: boolean,
): Promise<void> {
  const since = isDraining ? (agent.drainingSince ?? clock.timestamp()) : null;
  const json = since === null ? null : JSON.stringify(since);
  await store.write({ documents: [{ collection: DRAINS, key: agent.id, json }] });
  // De-registered meanwhile: then nobody else would remove what was written.
  if (!agents.has(agent.id)) await store.write({ documents: [drainRemoval(agent.id)] });
  agent.note({ drainingSince: since });
  pool.setDraining(channelIdOf(agent), isDraining);
  poolChanged();
}

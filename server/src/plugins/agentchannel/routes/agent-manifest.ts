/** An agent as listings show it (specification 2.2). */
import { formatTimestamp } from '@tutti/manifests';
import type { ChannelPool } from '@tutti/workflow';
import { type Agent, channelIdOf, namespacesOf } from '../jobs/agent.ts';
import { communicationCount } from './answer-counts.ts';

export interface AgentManifestDeps {
  readonly apiGroup: string;
  readonly pool: ChannelPool;
  /** The reader may see the job of the agent. */
  readonly showsJob: boolean;
}

export function agentManifest(
  agent: Agent,
  { apiGroup, pool, showsJob }: AgentManifestDeps,
): object {
  const { metadata, spec } = agent.registration;
  const channel = pool.channelOf(channelIdOf(agent));
  return {
    apiVersion: `${apiGroup}/v1alpha1`,
    kind: 'AgentRegistration',
    metadata: {
      ...metadata,
      namespaces: namespacesOf(agent),
      agent_id: agent.id,
      creationTimestamp: agent.createdAt,
    },
    spec,
    status: {
      phase: channel?.phase ?? 'IDLE',
      currentJobID: showsJob ? (agent.session?.jobId ?? null) : null,
      communicationCount: communicationCount(agent),
      communicationStatusSummary: Object.fromEntries(agent.answers),
      lastCommunicationTimestamp: formatTimestamp(agent.heardAtMs),
      // An entry of its own: existing clients know all values of the phase.
      ...(agent.drainingSince !== null && {
        draining: true,
        drainingTimestamp: agent.drainingSince,
      }),
    },
  };
}

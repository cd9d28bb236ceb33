/** Environments: the agents of the server, and what each does. */
import { queryOptions } from '@tanstack/react-query';
import { ask, askItems } from './api.ts';
import { LIVE } from './live.ts';

export interface Agent {
  readonly metadata: {
    readonly name: string;
    readonly namespaces: string;
    readonly version?: string;
    readonly agent_id: string;
    readonly creationTimestamp: string;
  };
  readonly spec: { readonly tags: readonly string[] };
  readonly status: {
    readonly phase: string;
    readonly currentJobID: string | null;
    readonly lastCommunicationTimestamp: string;
    readonly draining?: boolean;
  };
}

interface QueuedJob {
  readonly metadata: {
    readonly name: string;
    readonly id: string;
    readonly namespace: string;
    readonly workflow_id: string;
  };
  readonly spec: { readonly 'runs-on': readonly string[] };
  readonly status: { readonly requestTime?: string; readonly missingTags?: readonly string[] };
}

export interface AgentWork {
  readonly agent: Agent;
  /** The job that it has; null if it has none. */
  readonly work: QueuedJob | null;
  readonly items: readonly QueuedJob[];
  readonly count: number;
}

export const agentsQuery = queryOptions({
  queryKey: ['environments'],
  queryFn: ({ signal }) => askItems<Agent>({ path: '/agents', signal }),
  ...LIVE,
});

/** The work of an agent, and jobs that wait for it. */
export const agentQuery = (agentId: string) =>
  queryOptions({
    queryKey: ['environments', agentId],
    queryFn: ({ signal }) =>
      ask<AgentWork>({ path: `/agents/${encodeURIComponent(agentId)}/queue`, signal }),
    ...LIVE,
  });

/** `idle`, `busy`, `draining` or `lost`. */
export type AgentState = 'idle' | 'busy' | 'draining' | 'lost';

/** The state of an agent, as people call it. */
export function stateOf({ status: { phase, draining } }: Agent): AgentState {
  if (phase === 'UNREACHABLE') return 'lost';
  if (draining === true) return 'draining';
  return phase === 'IDLE' ? 'idle' : 'busy';
}

/** Agents as they are stored, to outlive the server. */
import type { AgentId } from '@tutti/manifests';
import type { DocumentWrite } from '../../../store/store.ts';
import type { AgentRecord } from './agent.ts';

export const AGENTS = 'agents';

/** Stores an agent, or how it is now. */
export const agentWrite = (id: AgentId, record: AgentRecord): DocumentWrite => ({
  collection: AGENTS,
  key: id,
  json: JSON.stringify(record),
});

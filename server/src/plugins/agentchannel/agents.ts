import { type Agent, type AgentRecord, isOurs } from './agent.ts';
import { ExistingAgent } from './existing-agent.ts';
import { AgentOfOurs } from './own-agent.ts';

export const createAgent = (id: Agent['id'], record: AgentRecord, nowMs: number): Agent =>
  isOurs(record) ? new AgentOfOurs(id, record, nowMs) : new ExistingAgent(id, record, nowMs);

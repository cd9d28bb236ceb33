import { AGENT_PROTOCOL } from '@tutti/manifests';
import { ExistingAgent } from '../existing/existing-agent.ts';
import type { Agent, AgentRecord } from '../jobs/agent.ts';
import { AgentOfOurs } from '../own/own-agent.ts';

export function createAgent(id: Agent['id'], record: AgentRecord, nowMs: number): Agent {
  const isOurs = record.registration.spec.protocol === AGENT_PROTOCOL;
  return isOurs ? new AgentOfOurs(id, record, nowMs) : new ExistingAgent(id, record, nowMs);
}

/**
 * Counts requests of an agent for listings. Each request at the agent's own address counts once, by the code of its answer. So does each
 * PATCH that names the agent. Requests with a token that may not speak for the agent do not count: they say nothing about it.
 */
import { isUuid } from '@tutti/manifests';
import type { onSendHookHandler } from 'fastify';
import type { Agent } from '../jobs/agent.ts';
import type { AgentChannelContext } from '../jobs/context.ts';
import { mayReach } from './agent-access.ts';

/** `code` is the HTTP code of the answer. */
export function countAnswer({ answers }: Agent, code: number): void {
  answers.set(code, (answers.get(code) ?? 0) + 1);
}

export function communicationCount({ answers }: Agent): number {
  return [...answers.values()].reduce((sum, count) => sum + count, 0);
}

/** Counts answers on routes at the address of an agent. It counts before the answer goes out, so a client finds its own request counted. */
export function createAnswerCounter({
  agents,
}: Pick<AgentChannelContext, 'agents'>): onSendHookHandler {
  return (request, reply, payload, done) => {
    const agent = agents.get(agentIdIn(request.params));
    // A connection that is gone gets no answer.
    if (agent !== undefined && !reply.raw.destroyed && mayReach(request.access, 'create', agent)) {
      countAnswer(agent, reply.statusCode);
    }
    done(null, payload);
  };
}

/** The id in a path. A malformed id becomes one that no agent has. */
function agentIdIn(params: unknown): Agent['id'] {
  const id: unknown =
    typeof params === 'object' && params !== null && 'agent_id' in params ? params.agent_id : '';
  return (isUuid(id) ? id.toLowerCase() : '') as Agent['id'];
}

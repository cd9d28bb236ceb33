/** The routes of the agent channel for operators of agents: extensions of the specification. */
import { agentIdInPath, messages, status } from '@tutti/manifests';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { sendStatus } from '../../../http/reply.ts';
import type { AgentChannel } from '../agentchannel.ts';
import { setDraining } from '../agents/drains.ts';
import { namespacesOf } from '../jobs/agent.ts';
import { LIMITS } from '../jobs/limits.ts';
import { checkReach } from './agent-access.ts';
import { agentQueue } from './agent-queue.ts';
import { drainAgent, showAgentQueue, undrainAgent } from './operations.ts';

interface AgentPath {
  Params: { agent_id: string };
}

const TAGS = ['agentchannel'];

export function operatorRoutes(app: FastifyInstance, channel: AgentChannel): void {
  // A token that may remove an agent may also drain it first.
  const config = { access: { resource: 'agents', verb: 'delete' } } as const;
  app.post<AgentPath>(
    '/agents/:agent_id/drain',
    {
      // The path has all data: a body may be missing, and is ignored.
      config: { ...config, body: 'bytes' },
      bodyLimit: LIMITS.drainBytes,
      schema: { summary: 'Give an agent no further job', tags: TAGS, operation: drainAgent },
    },
    async (_request, reply) => await drain(channel, reply, true),
  );
  app.delete<AgentPath>(
    '/agents/:agent_id/drain',
    {
      config,
      schema: { summary: 'Give an agent jobs again', tags: TAGS, operation: undrainAgent },
    },
    async (_request, reply) => await drain(channel, reply, false),
  );
  app.get<AgentPath>(
    '/agents/:agent_id/queue',
    {
      config: { access: { resource: 'agents', verb: 'list' } },
      schema: {
        summary: 'What an agent does, and what waits for it',
        tags: TAGS,
        operation: showAgentQueue,
      },
    },
    async (request, reply) => {
      const agent = channel.agent(agentIdInPath(request.params.agent_id));
      checkReach(request.access, 'list', agent);
      const details = agentQueue(channel.context, agent, request.access);
      return sendStatus(reply, status('OK', messages.agentQueue(agent.id), details));
    },
  );
}

async function drain(
  channel: AgentChannel,
  reply: FastifyReply<AgentPath>,
  isDraining: boolean,
): Promise<FastifyReply> {
  const { request } = reply;
  const agent = channel.agent(agentIdInPath(request.params.agent_id));
  checkReach(request.access, 'delete', agent);
  request.audited = { namespace: namespacesOf(agent) };
  await setDraining(channel.context, agent, isDraining);
  const message = isDraining ? messages.agentDraining(agent.id) : messages.agentTakesJobs(agent.id);
  return sendStatus(reply, status('OK', message));
}

/** One request for the work of several agents: the slots of one process. */
import { agentPollsSchemas, messages, parseAgentId, REASON_CODES, status } from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendMadeInTurn } from '../../../http/answer-memory.ts';
import { sendStatus } from '../../../http/reply.ts';
import { createValidator } from '../../../http/validate.ts';
import type { AgentChannel } from '../agentchannel.ts';
import { countAnswer } from './answer-counts.ts';
import { admitRequest, heldPolls, isLong } from './held-polls.ts';

const pollsReader = createValidator(agentPollsSchemas.polls);

/** If the server does not know an agent, it says so at once: that agent has to register again. */
export async function askTogether(
  channel: AgentChannel,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { polls } = pollsReader.parse(request.body, messages.pollsInvalid());
  const asking = polls.flatMap(({ agent_id: id, last = null, running = null }) => {
    const agent = channel.context.agents.get(parseAgentId(id));
    if (agent === undefined) return [];
    admitRequest(channel, request, agent);
    return [{ agent, last, running }];
  });
  const known = new Set<string>(asking.map(({ agent }) => agent.id));
  const unknown = polls.map((poll) => poll.agent_id).filter((id) => !known.has(parseAgentId(id)));
  const handouts = unknown.length > 0 ? [] : await heldPolls(channel, asking, reply);
  const given = handouts.flatMap((handout, index) => {
    const id = asking[index]?.agent.id;
    return handout === null || id === undefined ? [] : [[id, handout.order] as const];
  });
  const isEmpty = given.length === 0 && unknown.length === 0;
  const code = isEmpty ? REASON_CODES.NoContent : REASON_CODES.OK;
  for (const { agent } of asking) countAnswer(agent, code);
  if (isEmpty) return reply.code(code).send();
  const make = () =>
    status('OK', 'Orders for the agents.', { orders: Object.fromEntries(given), unknown });
  return given.some(([, order]) => isLong(order))
    ? await sendMadeInTurn(request, reply, make)
    : sendStatus(reply, make());
}

/**
 * The tokens of agents. An agent whose token was revoked, has expired or reaches less gets no job. Its channel is unreachable until the
 * agent sends a valid token. Its running command ends as that of any silent agent.
 */
import type { FastifyRequest } from 'fastify';
import { bringsToken } from '../../../auth/login.ts';
import type { Agent } from '../jobs/agent.ts';
import type { AgentChannelContext } from '../jobs/context.ts';

/** Notes the token of an agent's request; does nothing if it is still the same. */
export function noteToken(
  context: AgentChannelContext,
  agent: Agent,
  { access, headers: { authorization } }: Pick<FastifyRequest, 'access' | 'headers'>,
): void {
  const { heldTokens } = context;
  if (heldTokens === undefined || agent.token?.access === access) return;
  releaseToken(context, agent);
  if (authorization === undefined || !bringsToken(authorization)) return;
  const token = { authorization, access, end: () => loseToken(context, agent) };
  agent.note({ token });
  heldTokens.hold(token);
}

/** Forgets the token of an agent that is de-registered, or that sent another token. */
export function releaseToken({ heldTokens }: AgentChannelContext, agent: Agent): void {
  if (agent.token !== null) heldTokens?.release(agent.token);
  agent.note({ token: null });
}

function loseToken(context: AgentChannelContext, agent: Agent): void {
  agent.note({ token: null });
  context.logger.info(
    { agentId: agent.id },
    'The token of an agent counts no more: it gets no job.',
  );
  const isIdle = agent.session === null && agent.unreachableSince === null;
  if (isIdle) agent.becomeUnreachable(context, context.clock.now());
}

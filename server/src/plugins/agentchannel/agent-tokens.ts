/**
 * The tokens that agents come with. An agent whose token was revoked, has expired or reaches less gets no job: its channel is unreachable until
 * the agent comes with a token that counts. What it runs ends as that of any agent that is not heard of.
 */
import type { Access } from '../../auth/access.ts';
import { bringsToken } from '../../auth/login.ts';
import type { Agent } from './jobs/agent.ts';
import type { AgentChannelContext } from './jobs/context.ts';

/** Notes with what an agent came; nothing changes while it comes with the same. */
export function noteToken(
  context: AgentChannelContext,
  agent: Agent,
  access: Access,
  authorization: string | undefined,
): void {
  const { heldTokens } = context;
  if (heldTokens === undefined || agent.token?.access === access) return;
  releaseToken(context, agent);
  if (authorization === undefined || !bringsToken(authorization)) return;
  const token = { authorization, access, end: () => loseToken(context, agent) };
  agent.note({ token });
  heldTokens.hold(token);
}

/** Of an agent that is de-registered, or comes with another token. */
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

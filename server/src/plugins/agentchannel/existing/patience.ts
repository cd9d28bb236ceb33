/**
 * Patience with existing agents while the server cannot store anything. They take any answer to a post for its receipt, so
 * the post would be lost; and after a refused poll they ask again at once, or register anew. So a post waits for its answer, and a poll
 * gets 204, as if there were nothing to do.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isOrchestratorError } from '@tutti/manifests';
import type { Agent, Handout } from '../jobs/agent.ts';
import type { ExistingPost } from '../jobs/agent-post.ts';
import type { AgentChannelContext } from '../jobs/context.ts';
import { LIMITS } from '../jobs/limits.ts';
import { receiveExistingPost } from './existing-posts.ts';

const passes = (error: unknown): boolean =>
  isOrchestratorError(error) &&
  (error.reason === 'ServiceUnavailable' || error.reason === 'TooManyRequests');

/** Tries again until the post is stored, or until its sender has disconnected: it then sends the post again. */
export async function receivePatiently(
  context: AgentChannelContext,
  agent: Agent,
  post: ExistingPost,
  signal: AbortSignal,
): Promise<void> {
  const told = (error: unknown) =>
    context.logger.warn({ err: error, agentId: agent.id }, 'The post of an agent has to wait.');
  await patiently(agent, signal, () => receiveExistingPost(context, agent, post), told);
}

/** Retries any work for an existing agent that the server must not refuse while it is full. */
export async function patiently<T>(
  agent: Agent,
  signal: AbortSignal,
  attempt: () => Promise<T>,
  told: (error: unknown) => void = () => undefined,
): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (agent.keepsWork || signal.aborted || !passes(error)) throw error;
      told(error);
    }
    await pause(LIMITS.storeRetryMs, undefined, { signal });
  }
}

/** The answer to a poll whose order could not be handed out, and was taken back. */
export function nothingNow(agent: Agent): (error: unknown) => Handout | null {
  return (error) => {
    if (agent.keepsWork || !passes(error)) throw error;
    return null;
  };
}

/**
 * Patience with existing agents while the server cannot store anything. They take any answer to a post for a receipt, so a refused post
 * would be lost. After a refused poll they ask again at once, or register again. So a post waits for its answer, and a poll gets 204, as if
 * there were nothing to do.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isOrchestratorError } from '@tutti/manifests';
import type { Agent, Handout } from '../jobs/agent.ts';
import { LIMITS } from '../jobs/limits.ts';

const passes = (error: unknown): boolean =>
  isOrchestratorError(error) &&
  (error.reason === 'ServiceUnavailable' || error.reason === 'TooManyRequests');

interface Patience {
  readonly agent: Agent;
  /** Aborts when the agent has disconnected: it then asks again. */
  readonly left: AbortSignal;
  /** Called before each pause. */
  readonly waits?: (error: unknown) => void;
}

/** Retries any work for an existing agent that the server must not refuse while it is full. */
export async function patiently<T>(
  { agent, left, waits }: Patience,
  attempt: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (agent.keepsWork || left.aborted || !passes(error)) throw error;
      waits?.(error);
    }
    await pause(LIMITS.storeRetryMs, undefined, { signal: left });
  }
}

/** The answer to a poll whose order could not be handed out, and was taken back. */
export function nothingNow(agent: Agent): (error: unknown) => Handout | null {
  return (error) => {
    if (agent.keepsWork || !passes(error)) throw error;
    return null;
  };
}

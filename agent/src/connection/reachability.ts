import { type AgentLogger, describeError } from '../agent-logger.ts';

/** Logs when the server goes away and when it is back: one line per change, not per attempt. */
export interface Reachability {
  reached(): void;
  missed(reason: unknown): void;
}

export function createReachability(server: URL, logger: AgentLogger): Reachability {
  let state: 'unknown' | 'reached' | 'missed' = 'unknown';
  return {
    reached: () => {
      if (state === 'missed') logger.info(`The server ${server.origin} can be reached again.`);
      state = 'reached';
    },
    missed: (reason) => {
      if (state === 'missed') return;
      state = 'missed';
      logger.warn(`The server ${server.origin} cannot be reached; trying again.`, {
        error: describeError(reason),
      });
    },
  };
}

/** What operating systems say when there is nobody to connect to, or no way. */
const NOBODY_THERE: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
]);

/** True when no connection came about, so that the other side has seen nothing of the request. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && NOBODY_THERE.has(error.code);

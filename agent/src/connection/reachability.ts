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

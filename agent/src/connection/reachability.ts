import { type AgentLogger, describeError } from '../agent-logger.ts';
import { TokenProblem } from './token-problem.ts';

/** Logs when the server, or the token for it, goes away and when it is back: one line per change, not per attempt. */
export interface Reachability {
  reached(): void;
  missed(reason: unknown): void;
}

export function createReachability(server: URL, logger: AgentLogger): Reachability {
  let missed: string | null = null;
  return {
    reached: () => {
      if (missed !== null) logger.info(`${missed} again.`);
      missed = null;
    },
    missed: (reason) => {
      const what = reason instanceof TokenProblem ? 'The token' : `The server ${server.origin}`;
      const can = reason instanceof TokenProblem ? 'be read' : 'be reached';
      if (missed === `${what} can ${can}`) return;
      missed = `${what} can ${can}`;
      logger.warn(`${what} cannot ${can}; trying again.`, { error: describeError(reason) });
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

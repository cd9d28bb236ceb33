import { type AgentLogger, describeError } from '../agent-logger.ts';
import { AnswerProblem } from './answers.ts';
import { TokenProblem } from './token-problem.ts';

/** Logs when the server, or its acceptance of the token, is lost and restored. Writes one line per change, not per attempt. */
export interface Reachability {
  reached(): void;
  missed(reason: unknown): void;
}

/** A problem, and the message at its end. */
interface Trouble {
  readonly what: string;
  readonly over: string;
  /** Nothing answers at the address. */
  readonly isAbsence?: true;
}

const ADVICE =
  'Start a server with "tutti server", or name another one with --server or TUTTI_SERVER; until then, the agent waits.';

export function createReachability(server: URL, logger: AgentLogger): Reachability {
  const address = addressOf(server);
  let missed: Trouble | null = null;
  // A server that was there needs no advice: it will be back.
  let advice = ` ${ADVICE}`;
  return {
    reached: () => {
      if (missed !== null) logger.info(missed.over);
      missed = null;
      advice = '';
    },
    missed: (reason) => {
      const trouble = troubleWith(address, reason);
      if (missed?.what === trouble.what) return;
      missed = trouble;
      logger.warn(`${trouble.what}; trying again.${trouble.isAbsence === true ? advice : ''}`, {
        error: describeError(reason),
      });
      if (trouble.isAbsence === true) advice = '';
    },
  };
}

function troubleWith(address: string, reason: unknown): Trouble {
  if (reason instanceof TokenProblem) {
    return { what: 'The token cannot be read', over: 'The token can be read again.' };
  }
  const server = `The server ${address}`;
  if (reason instanceof AnswerProblem && reason.isOfToken) {
    return { what: `${server} refuses the token`, over: `${server} takes the token.` };
  }
  return reason instanceof AnswerProblem
    ? {
        what: `${server} does not answer as it should`,
        over: `${server} answers again.`,
      }
    : {
        what: `${server} cannot be reached`,
        over: `${server} can be reached again.`,
        isAbsence: true,
      };
}

/** With the path, which may be wrong; without user and password. */
const addressOf = ({ origin, pathname }: URL): string => origin + pathname.replace(/\/+$/, '');

/** Error codes of operating systems for unreachable hosts. */
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

/** True if no connection was made, so the server has seen nothing of the request. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && NOBODY_THERE.has(error.code);

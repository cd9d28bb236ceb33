/** What an answer of the server means for the one who asked. The only place where codes are compared. */
import { REASON_CODES } from '@tutti/manifests';
import { entriesOf } from '@tutti/manifests/values';
import type { Answer } from './http-connection.ts';

/**
 * - `done`: the server has it, or gave what was asked for;
 * - `unknown-agent`: the registration is gone: register anew;
 * - `unwanted`: nobody waits for this any more;
 * - `refused`: the token is not accepted, or lacks a right;
 * - `rejected`: the server understood it and will not take it, however often it is repeated;
 * - `unavailable`: try again.
 */
export type Verdict =
  | 'done'
  | 'unknown-agent'
  | 'unwanted'
  | 'refused'
  | 'rejected'
  | 'unavailable';

export function judge({ code, body }: Answer): Verdict {
  if (code >= REASON_CODES.OK && code <= REASON_CODES.PartialContent) return 'done';
  switch (code) {
    case REASON_CODES.NotFound:
      // A proxy says 404 too while its server restarts; only the server's own word ends a registration.
      return isStatus(body) ? 'unknown-agent' : 'unavailable';
    case REASON_CODES.Conflict:
      return 'unwanted';
    case REASON_CODES.Unauthorized:
    case REASON_CODES.Forbidden:
      return 'refused';
    case REASON_CODES.TooManyRequests:
      return 'unavailable';
    default:
      return isClientError(code) && isStatus(body) ? 'rejected' : 'unavailable';
  }
}

const isClientError = (code: number): boolean =>
  code >= REASON_CODES.BadRequest && code < REASON_CODES.InternalError;

/**
 * True when it was not the server that answered (a proxy did in its place, while it restarts), or it only asks for patience:
 * this says nothing about the request, which is to be repeated for as long as it takes.
 */
export const saysNothing = ({ code, body }: Answer): boolean =>
  code === REASON_CODES.TooManyRequests ||
  code === REASON_CODES.ServiceUnavailable ||
  (judge({ code, body }) === 'unavailable' && !isStatus(body));

export const hasContent = ({ code, body }: Answer): boolean =>
  code !== REASON_CODES.NoContent && body !== undefined;

const isStatus = (body: unknown): boolean => entriesOf(body).kind === 'Status';

/** `message` and `details.error` of an answer, for people; the code when it has no message. */
export function describeAnswer({ code, body }: Answer): string {
  const { message, details } = entriesOf(body);
  const { error } = entriesOf(details);
  const text = typeof message === 'string' ? message : `The server answered with code ${code}.`;
  return [text, error].filter((part) => typeof part === 'string').join(' ');
}

/** Something was reached, and answered in a way that no server of ours does for good: a proxy, or another path of it. */
export class AnswerProblem extends Error {
  override readonly name = 'AnswerProblem';

  constructor(answer: Answer) {
    const isElsewhere = answer.code === REASON_CODES.NotFound;
    super(describeAnswer(answer) + (isElsewhere ? ' (Is the path of the address right?)' : ''));
  }
}

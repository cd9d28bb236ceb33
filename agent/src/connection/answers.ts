/** Turns answers of the server into verdicts. Only this file compares status codes. */
import { REASON_CODES } from '@tutti/manifests';
import { entriesOf } from '@tutti/manifests/values';
import type { Answer } from './http-connection.ts';

/**
 * The answer of the server to a request:
 *
 * - `done`: the server stored or gave the content;
 * - `unknown-agent`: the registration is lost: register again;
 * - `unwanted`: the server no longer waits for it;
 * - `refused`: the token is invalid, or lacks a right;
 * - `rejected`: the server refuses it for good, so a retry is useless;
 * - `unavailable`: retry.
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
      // A proxy also answers 404 while its server restarts; only the server's own answer ends a registration.
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
 * True if a proxy answered while the server restarts, or the server asks for a pause. This says nothing about the request, which
 * is retried without a limit.
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

/** A refused token, a wrong path, or an answer of a proxy. Our servers never answer like this for long. */
export class AnswerProblem extends Error {
  override readonly name = 'AnswerProblem';
  readonly isOfToken: boolean;

  constructor(answer: Answer) {
    const isElsewhere = answer.code === REASON_CODES.NotFound;
    super(describeAnswer(answer) + (isElsewhere ? ' (Is the path of the address right?)' : ''));
    this.isOfToken = judge(answer) === 'refused';
  }
}

/** Every failure of a request as a Status manifest (specification part 7). */
import {
  dictionary,
  type FailureReason,
  isOrchestratorError,
  OrchestratorError,
  printable,
  type Status,
  statusOfError,
} from '@tutti/manifests';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Access, NO_ACCESS } from '../auth/access.ts';
import { LIMITS } from '../runtime/limits.ts';
import { dropRest } from './bodies.ts';
import { sendStatus } from './reply.ts';
import { setRequestId } from './request-tracing.ts';
import { setSecurityHeaders } from './security-headers.ts';

/** What the framework and its multipart reader refuse, by their codes: reason and message. */
const FRAMEWORK_REFUSALS: Readonly<Record<string, readonly [FailureReason, string]>> = dictionary<
  readonly [FailureReason, string]
>({
  FST_ERR_BAD_URL: ['BadRequest', 'Not a valid path: it has a wrong percent encoding.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['PayloadTooLarge', 'The request body is too large.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'BadRequest',
    'The request body has another length than it says.',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UnsupportedMediaType', 'Not a valid content type.'],
  FST_FIELDS_LIMIT: ['PayloadTooLarge', 'The request has too many fields.'],
  FST_FILES_LIMIT: ['PayloadTooLarge', 'The request has too many files.'],
  FST_INVALID_JSON_FIELD_ERROR: ['BadRequest', 'A field is not the JSON document it says to be.'],
  FST_INVALID_MULTIPART_CONTENT_TYPE: ['UnsupportedMediaType', 'The request is not multipart.'],
  FST_MP_PREMATURE_CLOSE: ['BadRequest', 'The request body ended too early.'],
  FST_PARTS_LIMIT: ['PayloadTooLarge', 'The request has too many parts.'],
  FST_REQ_FILE_TOO_LARGE: ['PayloadTooLarge', 'A file of the request is too large.'],
});

/** The refusal that an error of the framework stands for; other errors come back as they are. */
export function refusalOf(error: unknown): unknown {
  if (isOrchestratorError(error) || !(error instanceof Error) || !('code' in error)) return error;
  const known = FRAMEWORK_REFUSALS[String(error.code)];
  return known === undefined ? error : new OrchestratorError(known[0], known[1], { cause: error });
}

/** Answers a failed request; failures of ours go to the log with their cause, of which the client is told little or nothing. */
export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> {
  const refusal = isBrokenOff(request, error) ? brokenOff() : refusalOf(error);
  const answer = statusOfError(refusal);
  if (isFailureOfOurs(answer, refusal)) {
    const { method, url: path } = request;
    const about = { method, path, ...bearerOf(request.access), ...idsInPath(request) };
    request.log.error({ err: error, ...about }, 'request failed');
  }
  const seconds = retryAfterSeconds(answer, refusal);
  if (seconds !== null) reply.header('Retry-After', String(seconds));
  if (answer.reason === 'Unauthorized') reply.header('WWW-Authenticate', 'Bearer');
  if (endsConnection(request, answer)) reply.header('Connection', 'close');
  return leavesRest(request, answer)
    ? sendAfterBody(request, reply, answer)
    : sendStatus(reply, answer);
}

/** A connection without a valid token is not kept, nor is one whose body takes too long. */
const endsConnection = (request: FastifyRequest, { reason }: Status): boolean =>
  reason === 'RequestTimeout' || isAnonymous(request);

/** Before the token was looked at there is no access at all. */
const isAnonymous = ({ access }: { readonly access?: Access }): boolean =>
  access === undefined || access === NO_ACCESS;

/** Whether the connection ends while its sender may still write. */
function leavesRest(request: FastifyRequest, { reason }: Status): boolean {
  if (reason === 'PayloadTooLarge') return true;
  if (reason === 'RequestTimeout' || request.raw.complete) return false;
  const isFull = reason === 'TooManyRequests' || reason === 'ServiceUnavailable';
  return isAnonymous(request) || (isFull && request.incoming?.hasBegun === true);
}

/** What passes has a cause where something is wrong with the machine; of too much work, which has none, there would be too much to log. */
const isFailureOfOurs = ({ reason }: Status, refusal: unknown): boolean =>
  reason === 'InternalError' ||
  (reason === 'ServiceUnavailable' && refusal instanceof Error && refusal.cause !== undefined);

/** Of a refusal that passes; clients that read no message know by it what to do (RFC 9110, 10.2.3). */
function retryAfterSeconds({ reason }: Status, refusal: unknown): number | null {
  if (reason !== 'TooManyRequests' && reason !== 'ServiceUnavailable') return null;
  const said = isOrchestratorError(refusal) ? refusal.retryAfterSeconds : null;
  return said ?? LIMITS.retryAfterSeconds;
}

const IDS_IN_PATHS: readonly (readonly [string, string])[] = [
  ['workflow_id', 'workflowId'],
  ['agent_id', 'agentId'],
  ['subscription_id', 'subscriptionId'],
  ['attachment_id', 'attachmentId'],
];

const NO_IDS = {};

/** Who sent a request, as the log names them; undefined where nobody has looked at the token. */
export const bearerOf = (access: Access | undefined): LoggedBearer | undefined =>
  access && { subject: printable(access.subject), key: printable(access.keyId) };

interface LoggedBearer {
  readonly subject: string;
  readonly key: string;
}

/** What the request is about, under the names that other lines of the log have for it. */
export function idsInPath({ params }: FastifyRequest): Readonly<Record<string, unknown>> {
  const entries = Object.entries(params ?? {});
  if (entries.length === 0) return NO_IDS;
  const given: ReadonlyMap<string, unknown> = new Map(entries);
  return Object.fromEntries(
    IDS_IN_PATHS.flatMap(([parameter, name]) =>
      given.has(parameter) ? [[name, given.get(parameter)]] : [],
    ),
  );
}

/** A client that leaves while it sends is no failure of ours, and nobody is there to read the answer. */
const isBrokenOff = (request: FastifyRequest, error: unknown): boolean =>
  error !== null && request.raw.errored === error;

const brokenOff = (): OrchestratorError =>
  new OrchestratorError('BadRequest', 'The request body ended too early.');

/** Of a body that never ends the rest is not read, so the connection cannot be used again. */
async function sendAfterBody(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Status,
): Promise<FastifyReply> {
  await dropRest(request.raw);
  return sendStatus(reply.header('Connection', 'close'), answer);
}

/** For failures before a route is found, when no hook has run yet. */
export function answerFrameworkError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  setSecurityHeaders(reply);
  setRequestId(request, reply);
  void answerError(error, request, reply);
}

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

/** Refusals of the framework and its multipart reader, by their codes: reason and message. */
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

/** Translates an error of the framework into a refusal; other errors come back unchanged. */
export function refusalOf(error: unknown): unknown {
  if (isOrchestratorError(error) || !(error instanceof Error) || !('code' in error)) return error;
  const known = FRAMEWORK_REFUSALS[String(error.code)];
  return known === undefined ? error : new OrchestratorError(known[0], known[1], { cause: error });
}

/** Answers a failed request. Failures of the server go to the log with their cause; the client gets few or no details. */
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

/** Connections without a valid token, or with a slow body, are not kept. */
const endsConnection = (request: FastifyRequest, { reason }: Status): boolean =>
  reason === 'RequestTimeout' || isAnonymous(request);

/** Before the check of the token there is no access. */
const isAnonymous = ({ access }: { readonly access?: Access }): boolean =>
  access === undefined || access === NO_ACCESS;

/** Whether the connection ends while its sender may still write. */
function leavesRest(request: FastifyRequest, { reason }: Status): boolean {
  if (reason === 'PayloadTooLarge') return true;
  if (reason === 'RequestTimeout' || request.raw.complete) return false;
  const isFull = reason === 'TooManyRequests' || reason === 'ServiceUnavailable';
  return isAnonymous(request) || (isFull && request.incoming?.hasBegun === true);
}

/** A temporary refusal has a cause when the machine has a problem. Overload has none, and would fill the log. */
const isFailureOfOurs = ({ reason }: Status, refusal: unknown): boolean =>
  reason === 'InternalError' ||
  (reason === 'ServiceUnavailable' && refusal instanceof Error && refusal.cause !== undefined);

/** Retry time of a temporary refusal, for clients that do not read messages (RFC 9110, 10.2.3). */
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

/** The sender of a request in the log; undefined if the token was not checked. */
export const bearerOf = (access: Access | undefined): LoggedBearer | undefined =>
  access && { subject: printable(access.subject), key: printable(access.keyId) };

interface LoggedBearer {
  readonly subject: string;
  readonly key: string;
}

/** Ids of the subject of the request, under their names in other log lines. */
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

/** A client that leaves while it sends causes no server failure, and reads no answer. */
const isBrokenOff = (request: FastifyRequest, error: unknown): boolean =>
  error !== null && request.raw.errored === error;

const brokenOff = (): OrchestratorError =>
  new OrchestratorError('BadRequest', 'The request body ended too early.');

/** The rest of an endless body is not read, so the connection cannot be reused. */
async function sendAfterBody(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Status,
): Promise<FastifyReply> {
  await dropRest(request.raw);
  return sendStatus(reply.header('Connection', 'close'), answer);
}

/** Answers failures before a route is found, when no hook has run yet. */
export function answerFrameworkError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  setSecurityHeaders(reply);
  setRequestId(request, reply);
  void answerError(error, request, reply);
}

/** Request ids, in the headers of requests and answers and in the log; and timing. */
import type { IncomingMessage } from 'node:http';
import type { Brand } from '@tutti/manifests';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Ids } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';

type RequestId = Brand<string, 'RequestId'>;

const HEADER = 'X-Request-ID';
/** Name of the id in lines of the log. */
export const REQUEST_ID_LABEL = 'requestId';
/** Ids that may go into the log and back into a header: short, and without line breaks. */
const GIVEN_ID = /^[\w.:@+/=-]{1,128}$/;

/** The id that a client or a proxy gave to its request. A new one if there is none, or one of another form. */
export function requestIdOf(request: IncomingMessage, ids: Pick<Ids, 'random'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && GIVEN_ID.test(given) ? given : ids.random<RequestId>();
}

export function setRequestId(request: FastifyRequest, reply: FastifyReply): void {
  reply.header(HEADER, request.id);
}

/** In debug mode, each answer has its times (`Server-Timing`, milliseconds) and a log line. */
export function registerRequestTimes(app: FastifyInstance, logger: Logger): void {
  if (!logger.isLevelEnabled('debug')) return;
  app.addHook('onSend', async (_request, reply) => {
    reply.header('Server-Timing', `total;dur=${reply.elapsedTime.toFixed(1)}`);
  });
  app.addHook('onResponse', async (request, reply) => {
    const [path] = request.originalUrl.split('?');
    const ms = Math.round(reply.elapsedTime);
    request.log.debug({ method: request.method, path, code: reply.statusCode, ms }, 'request');
  });
}

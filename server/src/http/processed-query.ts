/**
 * The header `X-Processed-Query` (wire facts 7.2). Existing clients take a listing without it for one that knows no selectors, so
 * every answer has it, by what the routes declare.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isQueryGiven } from './query.ts';

const HEADER = 'X-Processed-Query';
const FIRST_FAILURE = 400;

/**
 * Names in each answer that is no refusal the parameters of the request that its route declares. Where fewer of them counted, the
 * handler says so by `setProcessedQuery`.
 */
export function registerProcessedQuery(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const hasQuery = request.url.includes('?');
    if (hasQuery && reply.statusCode < FIRST_FAILURE && !reply.hasHeader(HEADER)) {
      setProcessedQuery(request, reply, declaredParameters(request));
    }
    done();
  });
}

/** Names those of the understood parameters that the request has, if there are any. */
export function setProcessedQuery(
  request: FastifyRequest,
  reply: FastifyReply,
  understood: readonly string[],
): void {
  const present = understood.filter((name) => isQueryGiven(request, name));
  if (present.length > 0) reply.header(HEADER, present.join(','));
}

function declaredParameters({ routeOptions }: FastifyRequest): readonly string[] {
  return Object.keys(routeOptions.schema?.parameters ?? {});
}

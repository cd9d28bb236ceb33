/**
 * The header `X-Processed-Query` (wire facts 7.2). Without it, existing clients think that a listing supports no selectors. So
 * every answer has it, from the declarations of routes.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isQueryGiven } from './query.ts';

const HEADER = 'X-Processed-Query';
const FIRST_FAILURE = 400;

/**
 * Lists the request's parameters that its route declares, in each answer except refusals. If fewer took effect, the handler calls
 * `setProcessedQuery`.
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

/** Lists the understood parameters of the request, if it has any. */
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

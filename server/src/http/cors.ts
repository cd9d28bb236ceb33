/** Pages of other origins that may use the interface from a browser; none unless the configuration names them. */
import type { FastifyInstance } from 'fastify';

/** Headers that scripts may read, besides those that browsers always allow. */
const EXPOSED = [
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'Link',
  'X-Processed-Query',
  'X-Request-ID',
];
const PREFLIGHT_SECONDS = 600;

/**
 * Calls `next` where the access checks belong. A browser sends preflight requests without a token, and must be able to read a
 * refusal. No cookies are used, so a page has no more rights than the token that its user entered.
 */
export function allowOrigins(
  app: FastifyInstance,
  origins: readonly string[],
  next: () => void,
): void {
  if (origins.length === 0) {
    next();
    return;
  }
  // A preflight request has no token, and anonymous connections are not kept.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'OPTIONS') reply.header('Connection', 'close');
    done();
  });
  app.register(import('@fastify/cors'), {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'],
    exposedHeaders: EXPOSED,
    maxAge: PREFLIGHT_SECONDS,
    hideOptionsRoute: true,
  });
  app.after(next);
}

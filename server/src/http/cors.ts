/** Pages of other origins that may use the interface from a browser; none unless the configuration names them. */
import type { FastifyInstance } from 'fastify';

/** What scripts may read of an answer, beside what browsers let them read anyway. */
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
 * Calls `next` when it is the turn of the checks of access: a browser asks for permission without a token, and must be able to
 * read a refusal. No cookies are used, so a page has no more rights than the token that its user gave it.
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
  // Whoever asks for permission brings no token, and a connection of nobody is not kept.
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

/** Announces requests that may change something, before they are read. */
import type { FastifyInstance } from 'fastify';

const READING_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Calls `announce` for each admitted writing request, before its body arrives. */
export function announceWrites(app: FastifyInstance, announce: () => void): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!READING_METHODS.has(request.method)) announce();
    done();
  });
}

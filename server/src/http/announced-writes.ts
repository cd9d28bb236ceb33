/** Announces requests that may change something, before they are read. */
import type { FastifyInstance } from 'fastify';

const READING_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

export const isReading = (method: string): boolean => READING_METHODS.has(method);

/** Calls `announce` for each admitted writing request, before its body arrives. */
export function announceWrites(app: FastifyInstance, announce: () => void): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!isReading(request.method)) announce();
    done();
  });
}

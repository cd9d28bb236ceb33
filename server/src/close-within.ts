/** Closes the listeners of a server. */
import type { FastifyInstance } from 'fastify';
import type { Listening } from './http/listen.ts';

/** The app of a server, with its listeners. */
export interface Reached {
  readonly app: FastifyInstance;
  readonly listening: Listening;
}

/** Waits for requests in flight for `ms`. Then it closes their connections: some clients send or read nothing any more. */
export async function closeWithin({ app, listening }: Reached, ms: number): Promise<void> {
  const breakOff = setTimeout(() => app.server.closeAllConnections(), ms);
  try {
    await Promise.all([listening.close(), app.close()]);
  } finally {
    clearTimeout(breakOff);
  }
}

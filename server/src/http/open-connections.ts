/**
 * How many connections may be open. Beyond four fifths of the bound only agents are served: others are refused, and their connections
 * closed. Beyond the bound a connection is closed without an answer: existing agents take any answer, also a refusal, for the receipt of
 * their result, and send it again only where there was none.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { OrchestratorError } from '@tutti/manifests';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../runtime/logger.ts';

/** Of the connections, for everybody. */
const SHARE_OF_ALL = 0.8;
const AGENTS = /^\/agents(?:\/|$)/;

export function boundConnections(
  app: FastifyInstance,
  connectionsMax: number,
  logger: Logger,
): void {
  const open = countConnections(app.server, connectionsMax, logger);
  const forAll = Math.max(1, Math.floor(SHARE_OF_ALL * connectionsMax));
  app.addHook('onRequest', (request, reply, done) => {
    const isRefused = open.count > forAll && !isOfAgents(request);
    done(isRefused ? tooMany(reply, forAll) : undefined);
  });
}

const isOfAgents = ({ routeOptions }: FastifyRequest): boolean =>
  AGENTS.test(routeOptions.url ?? '');

function tooMany(reply: FastifyReply, forAll: number): OrchestratorError {
  reply.header('Connection', 'close');
  return new OrchestratorError(
    'ServiceUnavailable',
    `The server has ${forAll} open connections, which is the limit (limits.connections). Try again later.`,
  );
}

/** Before the server itself hears of a connection. */
function countConnections(server: Server, connectionsMax: number, logger: Logger) {
  const open = { count: 0 };
  let isTold = false;
  server.prependListener('connection', (socket: Socket) => {
    open.count += 1;
    socket.once('close', () => {
      open.count -= 1;
      if (open.count < connectionsMax / 2) isTold = false;
    });
    if (open.count <= connectionsMax) return;
    socket.destroy();
    if (!isTold) logger.warn({ connectionsMax }, 'Too many connections: new ones are closed.');
    isTold = true;
  });
  return open;
}

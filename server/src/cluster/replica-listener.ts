/** The listener for other replicas: forwarded requests, which go to the app, and messages. */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:tls';
import { OrchestratorError } from '@tutti/manifests';
import type { FastifyInstance } from 'fastify';
import { LIMITS } from '../runtime/limits.ts';
import type { Logger } from '../runtime/logger.ts';
import { http } from '../runtime/node-http.ts';
import { type Gate, patienceEnd } from './gate.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import { acceptingTls } from './replica-tls.ts';

/** Says what a request between replicas is: forwarded, or a message. A forwarded request of a client never has its own. */
export const PURPOSE_HEADER = 'tutti-replica';
export const FORWARDED = 'forwarded';
/** The answer to a forwarded request of which nothing was handled (RFC 9110, 15.5.20). Clients never get it. */
export const MISDIRECTED = 421;

/**
 * `look`: the owner of the runs changed. `prepare`: the sender hands its runs over once this is answered. `release`: the sender leaves, and
 * its held polls have to end.
 */
export type Message = 'look' | 'prepare' | 'release';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly secret: Uint8Array;
  readonly gate: Gate;
  readonly app: FastifyInstance;
  readonly logger: Logger;
  readonly received: Readonly<Record<Message, () => Promise<void> | void>>;
}

const isMessage = (purpose: unknown): purpose is Message =>
  purpose === 'look' || purpose === 'prepare' || purpose === 'release';

const forwarded = new WeakSet<IncomingMessage>();

/** True for a request that another replica sent here, which goes no further. */
export const isForwarded = (request: IncomingMessage): boolean => forwarded.has(request);

export interface ReplicaListener {
  close(): Promise<void>;
}

/** Rejects with `Invalid` where the address cannot be listened on. */
export async function listenForReplicas(options: ListenerOptions): Promise<ReplicaListener> {
  const { host, port, secret, logger } = options;
  const requests = requestServer(options);
  const tls = createTlsServer({
    ...acceptingTls(secret),
    handshakeTimeout: LIMITS.handshakeSeconds * 1000,
  });
  tls.on('secureConnection', (socket) => requests.emit('connection', socket));
  tls.on('tlsClientError', (error, socket) => {
    logger.warn({ err: error, address: socket.remoteAddress }, 'A stranger was refused.');
    socket.destroy();
  });
  tls.listen({ host, port });
  await once(tls, 'listening').catch((error: unknown) => {
    throw new OrchestratorError('Invalid', listenProblem(error));
  });
  return {
    close: async () => {
      const closed = once(tls, 'close');
      tls.close();
      requests.closeAllConnections();
      await closed;
    },
  };
}

const listenProblem = (error: unknown): string =>
  `cluster.address cannot be used (${error instanceof Error ? error.message : error}). Name an address of this machine at which the other replicas reach it, with a port that is free.`;

function requestServer({ app, gate, received }: ListenerOptions): Server {
  const server = http.createServer({
    maxHeaderSize: CLUSTER_LIMITS.headBytes,
    requireHostHeader: false,
    requestTimeout: 0,
    keepAliveTimeout: LIMITS.idleConnectionSeconds * 1000,
  });
  server.setTimeout(LIMITS.idleConnectionSeconds * 1000);
  const take = async (request: IncomingMessage, answer: ServerResponse): Promise<boolean> => {
    const place = await gate.place(patienceEnd()).catch(() => null);
    if (place !== 'here') {
      answer.writeHead(MISDIRECTED).end();
      return false;
    }
    forwarded.add(request);
    gate.enter(request, answer);
    return true;
  };
  const handle = (request: IncomingMessage, answer: ServerResponse) =>
    void app.server.emit('request', request, answer);
  server.on('request', async (request, answer) => {
    const purpose = request.headers[PURPOSE_HEADER];
    if (purpose === FORWARDED) {
      if (await take(request, answer)) handle(request, answer);
      return;
    }
    if (isMessage(purpose)) await received[purpose]();
    answer.end();
  });
  // Nothing of a body is sent before it is taken, so that a refused request can go elsewhere.
  server.on('checkContinue', async (request, answer) => {
    if (!(await take(request, answer))) return;
    answer.writeContinue();
    handle(request, answer);
  });
  return server;
}

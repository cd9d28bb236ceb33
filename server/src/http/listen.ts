/** Where the app is reached: its own address, and the ports of services beside it. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ServicePort } from '../runtime/service-addresses.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Further ports, each with the whole interface. */
  readonly more: readonly ServicePort[];
}

export interface Listening {
  /** `http://HOST:PORT`, with the port that was taken. */
  readonly url: string;
  /** The further ports that were taken. */
  readonly more: readonly ServicePort[];
  /** Stops accepting; resolves when the last connection has ended. `app.close` goes on as it does without further ports. */
  close(): Promise<void>;
}

/** Rejects, with nothing left open, when an address cannot be had. */
export async function listen(app: FastifyInstance, options: ListenOptions): Promise<Listening> {
  const url = await app.listen({ host: options.host, port: options.port });
  const taken = addressesOf(app);
  const more = options.more.filter(({ port }) => taken.every((one) => one.port !== port));
  const servers: Server[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(closed));
  };
  try {
    for (const { port } of more) {
      for (const { address } of taken) servers.push(await listenBeside(app, address, port));
    }
  } catch (error) {
    await Promise.all([close(), app.close()]);
    throw error;
  }
  return { url, more, close };
}

/** Several, where a name such as localhost has several. */
function addressesOf(app: FastifyInstance) {
  return app.addresses().filter((one) => typeof one !== 'string');
}

/** Connections are those of the app's own server: its limits hold, and it ends them. */
async function listenBeside(app: FastifyInstance, host: string, port: number): Promise<Server> {
  const server = createServer({ noDelay: true }, (socket) => {
    app.server.emit('connection', socket);
  });
  server.listen({ host, port });
  await once(server, 'listening');
  return server;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Addresses of the app: its own, and the ports of services. */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer, isIPv6, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { ServicePort } from '../runtime/service-addresses.ts';
import type { TlsFront } from './tls-front.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Further ports, each with the whole interface. */
  readonly more: readonly ServicePort[];
  /** Accepts TLS connections; absent where the app speaks HTTP. */
  readonly front?: TlsFront | null;
}

export interface Listening {
  /** `http://HOST:PORT` or `https://HOST:PORT`, with the port that was taken. */
  readonly url: string;
  /** The further ports that were taken. */
  readonly more: readonly ServicePort[];
  /** Stops accepting; resolves when the last connection has ended. `app.close` works as without further ports. */
  close(): Promise<void>;
}

/** Listens on all addresses. Rejects if one is not available, and closes the others. */
export async function listen(app: FastifyInstance, options: ListenOptions): Promise<Listening> {
  const { front = null } = options;
  const servers: Server[] = [];
  const close = async (): Promise<void> => {
    front?.close();
    await Promise.all(servers.map(closed));
  };
  const listenBeside = async (address: string, port: number): Promise<Server> => {
    const server = front === null ? plainListener(app) : front.createListener();
    server.listen({ host: address, port });
    await once(server, 'listening');
    servers.push(server);
    return server;
  };
  try {
    const main = await listenMain(app, options, listenBeside);
    const more = options.more.filter(({ port }) => port !== main.port);
    for (const { port } of more) {
      for (const address of main.addresses) await listenBeside(address, port);
    }
    return { url: main.url, more, close };
  } catch (error) {
    await Promise.all([close(), app.close()]);
    throw error;
  }
}

interface MainAddress {
  readonly url: string;
  readonly port: number;
  /** Several, where a name such as localhost has several. */
  readonly addresses: readonly string[];
}

async function listenMain(
  app: FastifyInstance,
  { host, port, front = null }: ListenOptions,
  listenBeside: (address: string, port: number) => Promise<Server>,
): Promise<MainAddress> {
  if (front === null) {
    const url = await app.listen({ host, port });
    const taken = app.addresses().filter((one) => typeof one !== 'string');
    return { url, port: taken[0]?.port ?? port, addresses: taken.map(({ address }) => address) };
  }
  await app.ready();
  // The app's own server never listens. From this event on, Node keeps the list of its connections. It needs the list to close
  // slow ones, and all of them at the stop.
  app.server.emit('listening');
  const found = await lookup(host, { all: true });
  const [first = host, ...others] = new Set(found.map(({ address }) => address));
  // The server listens on an address, not on a pipe.
  const { port: taken } = (await listenBeside(first, port)).address() as AddressInfo;
  const addresses = [first];
  for (const address of others) {
    if (await isHad(listenBeside(address, taken))) addresses.push(address);
  }
  return { url: `https://${reachedAt(first)}:${taken}`, port: taken, addresses };
}

/** A name may have addresses that this machine lacks. */
async function isHad(listening: Promise<Server>): Promise<boolean> {
  try {
    await listening;
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL') return false;
    throw error;
  }
}

/** An address for all interfaces cannot be requested. */
function reachedAt(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return isIPv6(address) ? `[${address}]` : address;
}

/** Connections belong to the app's own server: its limits hold, and it ends them. */
function plainListener(app: FastifyInstance): Server {
  return createServer({ noDelay: true }, (socket) => {
    app.server.emit('connection', socket);
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

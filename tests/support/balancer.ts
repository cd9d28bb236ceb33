/** A load balancer over TCP. Each connection goes to a server that says it is ready, if there is one. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

const LOOK_MS = 100;

export class Balancer {
  readonly #ports: readonly number[];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #ready = new Set<number>();
  #timer: NodeJS.Timeout | null = null;
  #turn = 0;
  #isClosed = false;

  private constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.#server = createServer((socket) => this.#accept(socket));
  }

  static async start(ports: readonly number[], authorization: string): Promise<Balancer> {
    const balancer = new Balancer(ports);
    balancer.#server.listen({ host: '127.0.0.1', port: 0 });
    await once(balancer.#server, 'listening');
    await balancer.#look(authorization);
    return balancer;
  }

  get url(): string {
    // It listens on an address, not on a pipe.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #look(authorization: string): Promise<void> {
    const looks = this.#ports.map(async (port) => {
      if (await isReady(port, authorization)) this.#ready.add(port);
      else this.#ready.delete(port);
    });
    await Promise.all(looks);
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#look(authorization), LOOK_MS);
  }

  #accept(socket: Socket): void {
    this.#hold(socket);
    const ready = this.#ports.filter((port) => this.#ready.has(port));
    // On a busy machine all of them may answer late. They are tried then, as NGINX does.
    const some = ready.length === 0 ? this.#ports : ready;
    const from = this.#turn++ % Math.max(1, some.length);
    this.#pass(socket, [...some.slice(from), ...some.slice(0, from)]);
  }

  #pass(socket: Socket, [port, ...others]: readonly number[]): void {
    if (port === undefined) {
      socket.destroy();
      return;
    }
    const server = connect({ port, host: '127.0.0.1' });
    const tryNext = () => this.#pass(socket, others);
    server.once('error', tryNext);
    server.once('connect', () => {
      server.off('error', tryNext);
      this.#hold(server);
      server.pipe(socket).pipe(server);
      server.on('close', () => socket.destroy());
      socket.on('close', () => server.destroy());
    });
  }

  #hold(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }
}

async function isReady(port: number, authorization: string): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health?ready`, {
      headers: { authorization },
      signal: AbortSignal.timeout(1_000),
    });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

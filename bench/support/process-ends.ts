/**
 * Reports when foreign processes have ended: all of them hold one connection, which the system closes with the last. Polling
 * would disturb the measurement.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export interface HeldProcesses {
  /** Time at which the last of them ended. */
  readonly gone: Promise<number>;
}

const STARTED = 'started';

export class ProcessEnds {
  readonly #server: Server;
  #awaited: ((processes: HeldProcesses) => void) | null = null;

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => this.#accept(socket));
  }

  static async listen(): Promise<ProcessEnds> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ProcessEnds(server);
  }

  /** For bash: three programs that sleep, and the shell that waits for them. */
  get script(): string {
    // The server listens on an address, not on a pipe.
    const { port } = this.#server.address() as AddressInfo;
    return [
      `exec 9<>/dev/tcp/127.0.0.1/${port}`,
      'for each in 1 2 3; do sleep 600 & done',
      `echo ${STARTED} >&9`,
      'wait',
    ].join('\n');
  }

  /** Resolves when the next ones have started. */
  next(): Promise<HeldProcesses> {
    return new Promise((resolve) => {
      this.#awaited = resolve;
    });
  }

  close(): void {
    this.#server.close();
  }

  #accept(socket: Socket): void {
    const gone = new Promise<number>((resolve, reject) => {
      socket.once('end', () => resolve(performance.now()));
      socket.once('error', reject);
    });
    socket.once('data', () => this.#awaited?.({ gone }));
  }
}

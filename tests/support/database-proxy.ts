/** Stands between the server and its database, and does to their connections what networks do. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly database: Socket;
}

interface Delay {
  readonly text: string;
  readonly ms: number;
}

interface Cut {
  readonly text: string;
  /** The database gets the text, and its answer is lost. */
  readonly passes: boolean;
}

export class DatabaseProxy {
  readonly #listener: Server;
  readonly #port: number;
  readonly #pairs = new Set<Pair>();
  #cut: Cut | null = null;
  #delay: Delay | null = null;
  #isStalled = false;
  /** Connections that were cut at a text. */
  cuts = 0;
  /** Connections that were made. */
  connections = 0;

  private constructor(listener: Server, port: number) {
    this.#listener = listener;
    this.#port = port;
    listener.on('connection', (client) => this.#join(client));
  }

  static async open(port: number): Promise<DatabaseProxy> {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new DatabaseProxy(listener, port);
  }

  /** The address of the same database through this proxy. */
  urlOf(direct: string): string {
    const { port } = this.#listener.address() as AddressInfo;
    return direct.replace(/:\d+\//, `:${port}/`);
  }

  /** Cuts the next connection that brings the text: before the database gets it, or behind that. */
  cutAt(text: string, passes: boolean): void {
    this.#cut = { text, passes };
  }

  /** From now on, data with the text reaches the database that much later. */
  delayAt(text: string, ms: number): void {
    this.#delay = { text, ms };
  }

  /** From now on nothing arrives, and nobody is told. */
  stall(): void {
    this.#isStalled = true;
  }

  /** Ends the silence for new connections. */
  resume(): void {
    this.#isStalled = false;
  }

  close(): void {
    this.#listener.close();
    for (const pair of this.#pairs) end(pair);
  }

  #join(client: Socket): void {
    this.connections += 1;
    const pair = { client, database: connect(this.#port, '127.0.0.1') };
    const { database } = pair;
    let wasStalled = false;
    const isSilent = () => {
      wasStalled ||= this.#isStalled;
      return wasStalled;
    };
    this.#pairs.add(pair);
    for (const socket of [client, database]) {
      socket.on('error', () => end(pair));
      socket.on('close', () => {
        if (client.destroyed && database.destroyed) this.#pairs.delete(pair);
        // The other side learns nothing of it.
        if (!isSilent()) end(pair);
      });
    }
    client.on('data', (data) => {
      const delay = this.#delay;
      if (isSilent()) return;
      if (delay === null || !data.includes(delay.text)) this.#pass(pair, data);
      else setTimeout(() => this.#pass(pair, data), delay.ms);
    });
    database.on('data', (data) => {
      if (!isSilent()) client.write(data);
    });
  }

  #pass(pair: Pair, data: Buffer): void {
    const cut = this.#cut;
    if (cut === null || !data.includes(cut.text)) {
      pair.database.write(data);
      return;
    }
    this.#cut = null;
    this.cuts += 1;
    if (!cut.passes) {
      end(pair);
      return;
    }
    pair.database.removeAllListeners('data');
    pair.database.write(data);
    pair.database.once('data', () => end(pair));
  }
}

function end({ client, database }: Pair): void {
  client.destroy();
  database.destroy();
}

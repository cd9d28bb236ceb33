/** Inboxes of subscribers that note what they get, and that fail in several ways when they are told to. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Loose } from '../../support/api.ts';
import type { Happenings } from './happenings.ts';

/** `error` answers with 500, `unavailable` with 503, `hang` does not answer, `close` breaks the connection. */
export type InboxMode = 'well' | 'error' | 'unavailable' | 'hang' | 'close';

export interface Delivery {
  readonly publicationId: string;
  readonly event: Loose;
  readonly mode: InboxMode;
  /** When it came. */
  readonly atMs: number;
}

export class FaultyInbox {
  readonly url: string;
  mode: InboxMode = 'well';
  readonly #server: Server;
  readonly #happenings: Happenings;
  readonly #deliveries: Delivery[] = [];

  private constructor(server: Server, happenings: Happenings) {
    this.#server = server;
    this.#happenings = happenings;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/inbox`;
    server.on('request', (request, response) => void this.#receive(request, response));
  }

  static async open(happenings: Happenings): Promise<FaultyInbox> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultyInbox(server, happenings);
  }

  get deliveries(): readonly Delivery[] {
    return this.#deliveries;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => null);
    // The server was killed while it sent.
    if (body === null) return;
    const { mode } = this;
    const publicationId = String(request.headers['x-publication-id']);
    this.#deliveries.push({ publicationId, event: JSON.parse(body), mode, atMs: Date.now() });
    this.#happenings.count(mode === 'well' ? 'deliveries taken' : `deliveries met by "${mode}"`);
    if (mode === 'well') response.writeHead(200).end();
    else if (mode === 'error') response.writeHead(500).end();
    else if (mode === 'unavailable') response.writeHead(503).end();
    else if (mode === 'close') response.destroy();
  }
}

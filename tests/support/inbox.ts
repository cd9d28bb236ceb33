/** The inbox of a plugin: a real HTTP server that records deliveries. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Loose } from './api.ts';

export interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly event: Loose;
}

export interface Inbox {
  readonly endpoint: string;
  readonly deliveries: readonly Delivery[];
  /** From now on, answers with this code; an inbox begins with 200. */
  answerWith(code: number): void;
  close(): Promise<void>;
}

/** `receive` is called with each event that was answered successfully. */
export async function openInbox(receive: (event: Loose) => void = () => {}): Promise<Inbox> {
  const deliveries: Delivery[] = [];
  let code = 200;
  const server = createServer(async (request, response) => {
    const event: Loose = JSON.parse(await text(request));
    deliveries.push({ headers: request.headers, event });
    response.writeHead(code).end();
    if (code === 200) receive(event);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}/inbox`,
    deliveries,
    answerWith: (next) => {
      code = next;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

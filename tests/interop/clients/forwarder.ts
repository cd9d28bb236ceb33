/** A proxy between clients and a server, which records requests and answers. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Api } from '../../support/api.ts';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One request with its answer. */
export interface Exchange {
  readonly method: string;
  /** With the query, as it was sent. */
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
  readonly code: number;
  readonly answerHeaders: Headers;
  readonly answer: string;
}

export interface Forwarder {
  readonly url: string;
  /** Finished exchanges, in the order of their answers. */
  readonly exchanges: readonly Exchange[];
  close(): void;
}

/** Passes all requests on as they are, with these headers more. */
export async function openForwarder(
  { url }: Pick<Api, 'url'>,
  more: Readonly<Record<string, string>> = {},
): Promise<Forwarder> {
  const exchanges: Exchange[] = [];
  const forwarder = createServer((incoming, outgoing) => {
    forward(incoming, outgoing, { url, more })
      .then((exchange) => exchanges.push(exchange))
      .catch((error: unknown) => outgoing.destroy(new Error('Not forwarded.', { cause: error })));
  }).listen(0, '127.0.0.1');
  await once(forwarder, 'listening');
  const address = forwarder.address();
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    exchanges,
    close: () => {
      forwarder.close();
      forwarder.closeAllConnections();
    },
  };
}

interface Target {
  readonly url: string;
  readonly more: Readonly<Record<string, string>>;
}

async function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { url, more }: Target,
): Promise<Exchange> {
  const { method = '', url: path = '', headers } = incoming;
  const body = await bytesOf(incoming);
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path, method, headers: { ...headers, ...more } });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const bytes = await bytesOf(answer);
  const { statusCode: code = 0 } = answer;
  outgoing.writeHead(code, answer.headers).end(bytes);
  return {
    ...{ method, url: path, headers, body: body.toString('latin1') },
    ...{ code, answerHeaders: answer.headers, answer: bytes.toString() },
  };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

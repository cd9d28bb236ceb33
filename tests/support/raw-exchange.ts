/** Sends bytes to a server unchanged, without an HTTP client that would correct them. */
import { connect } from 'node:net';

export interface RawAnswer {
  /** Status code of the first answer; 0 if the connection was closed without one. */
  readonly code: number;
  readonly head: string;
  readonly body: string;
}

export interface RawLimits {
  /** Timeout after which the server counts as hanging, in milliseconds. */
  readonly withinMs: number;
  /** Whether this side ends first, as a client does that breaks off. */
  readonly isEnded?: boolean;
}

/** The whole answer until the server closes the connection. Rejects at the timeout. */
export function exchangeRaw(
  url: string,
  bytes: string | Uint8Array,
  { withinMs, isEnded = false }: RawLimits,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`No end within ${withinMs} ms.`));
    }, withinMs);
    socket
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      // The server may refuse the rest of the request; its answer still arrives.
      .on('error', () => undefined)
      .on('close', () => {
        clearTimeout(timer);
        resolve(parseAnswer(Buffer.concat(chunks).toString('latin1')));
      });
    if (isEnded) socket.end(bytes);
    else socket.write(bytes);
  });
}

function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const head = end < 0 ? text : text.slice(0, end);
  const code = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
  return { code, head, body: end < 0 ? '' : text.slice(end + 4) };
}

/**
 * A keep-alive connection for one small request after the other. It implements only the HTTP of our server's answers, because its
 * own costs reduce the measured capacity.
 */
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly code: number;
  readonly body: Buffer;
  /** The header `Retry-After`. */
  readonly retryAfter: string | null;
}

interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

const HEAD_END = '\r\n\r\n';

export class HttpSocket {
  readonly #socket: Socket;
  #pending: Pending | null = null;
  #received: Buffer = Buffer.alloc(0);

  constructor(url: URL) {
    this.#socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    this.#socket.on('data', (chunk) => this.#receive(chunk));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('The server closed the connection.')));
  }

  /** `request` is complete, with headers; the one before must have been answered. */
  send(request: string | Buffer): Promise<Answer> {
    if (this.#pending !== null) throw new Error('A request is under way on this connection.');
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      // An earlier closed connection is reported only here.
      this.#socket.write(request, (error) => {
        if (error) this.#fail(error);
      });
    });
  }

  close(): void {
    this.#pending = null;
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    this.#pending?.reject(error);
    this.#pending = null;
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const head = this.#received.toString('latin1', 0, headEnd);
    const start = headEnd + HEAD_END.length;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < start + length) return;
    const body = this.#received.subarray(start, start + length);
    this.#received = this.#received.subarray(start + length);
    const pending = this.#pending;
    this.#pending = null;
    const retryAfter = /\r\nretry-after: (\d+)/i.exec(head)?.[1] ?? null;
    pending?.resolve({ code: Number(head.slice(9, 12)), body, retryAfter });
  }
}

export interface RequestParts {
  readonly method: string;
  readonly path: string;
  readonly token: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** A body that is not JSON. */
  readonly body?: Body;
}

export interface Body {
  readonly contentType: string;
  readonly text: string;
}

/** The text of a request, for repeated sending. */
export function requestText(parts: RequestParts): string {
  const { method, path, token, headers = {} } = parts;
  const body = parts.body ?? jsonBody(parts.json);
  const all = {
    Host: 'localhost',
    Authorization: `Bearer ${token}`,
    ...headers,
    ...(body === null ? {} : headersOf(body)),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body?.text ?? ''}`;
}

const jsonBody = (json: unknown): Body | null =>
  json === undefined ? null : { contentType: 'application/json', text: JSON.stringify(json) };

const headersOf = ({ contentType, text }: Body) => ({
  'Content-Type': contentType,
  'Content-Length': Buffer.byteLength(text),
});

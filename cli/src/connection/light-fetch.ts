/**
 * A `fetch` on the HTTP client that Node has loaded anyway. Loading `fetch` takes a third of a short command (40 of 110 ms of
 * processor time). Redirects, files and proxies are left to `fetch`.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import type { Answer, AnswerBody, AnswerReader, Fetch, FetchRequest } from '@tutti/client';

interface TextRequest extends FetchRequest {
  readonly body?: string;
}

/** Certificates and keys in PEM form. */
export interface TlsContent {
  readonly rejectUnauthorized?: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Whether a certificate in `ca` itself is trusted, and not only its authority. */
  readonly allowPartialTrustChain?: boolean;
  readonly checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined;
}

interface SentRequest extends Omit<FetchRequest, 'body'> {
  readonly body?: string | ReadableStream<Uint8Array>;
}

export interface LightFetchOptions {
  /** Timeout for a connection in milliseconds; the default is that of `fetch`. */
  readonly connectMs?: number;
  /** Unusual TLS settings; they do not apply to requests that are left to `fetch`. */
  readonly tls?: TlsContent;
  /** Looks up the addresses of hosts; the system if absent. */
  readonly lookup?: RequestOptions['lookup'];
}

const CONNECT_MS_MAX = 10_000;

export function createLightFetch(options: LightFetchOptions = {}): Fetch {
  if (options.tls !== undefined) return createTlsFetch(options);
  return async (url, request) => {
    if (!isText(request) || !isPlain(url)) return await fetch(url, { ...request });
    const message = await send(new URL(url), request, options);
    if (!mayAskElsewhere(request.method, message)) return answerOf(url, message, request.signal);
    message.destroy();
    return await fetch(url, { ...request });
  };
}

const REDIRECTS_MAX = 5;

/** `fetch` takes no certificates, so this sends everything: files too, and redirects within the same origin. */
function createTlsFetch(options: LightFetchOptions): Fetch {
  return async (url, request) => {
    let address = new URL(url);
    for (let count = 0; ; count += 1) {
      const message = await send(address, isText(request) ? request : encoded(request), options);
      const next = URL.parse(message.headers.location ?? '', address.href);
      const isElsewhere = next === null || next.origin !== address.origin;
      if (!mayAskElsewhere(request.method, message) || isElsewhere || count === REDIRECTS_MAX) {
        return answerOf(address.href, message, request.signal);
      }
      message.destroy();
      address = next;
    }
  };
}

/** Encodes the form for each request: files are read while they are sent. */
function encoded(request: FetchRequest): SentRequest {
  const form = new Response(request.body ?? null);
  const type = form.headers.get('content-type') ?? 'application/octet-stream';
  const headers = { ...request.headers, 'content-type': type };
  return { method: request.method, headers, signal: request.signal, ...bodyStream(form) };
}

const bodyStream = ({ body }: Response) => (body === null ? {} : { body });

const isText = (request: FetchRequest): request is TextRequest => typeof request.body !== 'object';

/** Node's HTTP would send name and password of an address, which must not happen here; and some versions ignore proxies. */
function isPlain(url: string): boolean {
  const { protocol, username, password } = new URL(url);
  const usesProxy = (process.env.NODE_USE_ENV_PROXY ?? '') !== '';
  const isHttp = protocol === 'http:' || protocol === 'https:';
  return isHttp && username === '' && password === '' && !usesProxy;
}

/** A redirect before any effect, so that the request may be repeated. */
function mayAskElsewhere(method: string, { statusCode = 0, headers }: IncomingMessage): boolean {
  const codes = method === 'GET' ? [301, 302, 303, 307, 308] : [307, 308];
  return codes.includes(statusCode) && headers.location !== undefined;
}

/** Resolves with the head of the answer. */
function send(
  url: URL,
  { method, headers, signal, body }: SentRequest,
  { connectMs = CONNECT_MS_MAX, lookup, tls }: LightFetchOptions,
): Promise<IncomingMessage> {
  // An import would load all exports of the module, and some of them load `fetch`.
  const { request } = process.getBuiltinModule(
    url.protocol === 'https:' ? 'node:https' : 'node:http',
  );
  const length = typeof body === 'string' ? { 'content-length': Buffer.byteLength(body) } : {};
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method,
      headers: { 'user-agent': 'tutti', 'accept-encoding': 'identity', ...headers, ...length },
      ...(lookup === undefined ? {} : { lookup }),
      ...tls,
    });
    outgoing.once('socket', (socket) => limitConnecting(outgoing, socket, connectMs));
    outgoing.on('error', (error) => reject(reasonOf(error, signal)));
    endWith(outgoing, signal);
    outgoing.once('response', resolve);
    if (typeof body === 'object') sendStream(body, outgoing, reject);
    else outgoing.end(body);
  });
}

function sendStream(
  body: ReadableStream<Uint8Array>,
  outgoing: ClientRequest,
  reject: (error: unknown) => void,
): void {
  const { Readable, pipeline } = process.getBuiltinModule('node:stream');
  pipeline(Readable.fromWeb(body), outgoing, (error) => {
    if (error) reject(error);
  });
}

/** Hosts that drop packets would delay the command for minutes. */
function limitConnecting(outgoing: ClientRequest, socket: Socket, connectMs: number): void {
  if (!socket.connecting) return;
  const failure = Object.assign(new Error('No connection in time.'), { code: 'ETIMEDOUT' });
  const timer = setTimeout(() => outgoing.destroy(failure), connectMs);
  socket.once('connect', () => clearTimeout(timer));
  outgoing.once('close', () => clearTimeout(timer));
}

/** Node's own `signal` would also reach the connection, and end it while it serves later requests. */
function endWith(outgoing: ClientRequest, signal: AbortSignal | null): void {
  if (signal === null) return;
  const end = () => void outgoing.destroy();
  if (signal.aborted) end();
  signal.addEventListener('abort', end);
  outgoing.once('close', () => signal.removeEventListener('abort', end));
}

/** An aborted request rejects with the reason of its signal, as with `fetch`. */
const reasonOf = (error: unknown, signal: AbortSignal | null): unknown =>
  signal?.aborted ? signal.reason : error;

function answerOf(url: string, message: IncomingMessage, signal: AbortSignal | null): Answer {
  const { statusCode = 0, statusMessage = '' } = message;
  // An answer that is no longer read may fail.
  message.on('error', () => {});
  const get = (name: string) => headerOf(message, name);
  return {
    ok: statusCode >= 200 && statusCode < 300,
    status: statusCode,
    statusText: statusMessage,
    url,
    headers: { get, has: (name) => get(name) !== null },
    body: bodyOf(message, signal),
    text: () => textOf(message, signal),
  };
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return value === undefined ? null : String(value);
}

function bodyOf(message: IncomingMessage, signal: AbortSignal | null): AnswerBody {
  const cancel = async () => void message.destroy();
  return { cancel, getReader: () => readerOf(message, signal, cancel) };
}

function readerOf(
  message: IncomingMessage,
  signal: AbortSignal | null,
  cancel: () => Promise<void>,
): AnswerReader {
  const pieces: AsyncIterator<Uint8Array> = message[Symbol.asyncIterator]();
  const read = async () => {
    try {
      const { done, value } = await pieces.next();
      return done === true ? { done } : { done: false as const, value };
    } catch (error) {
      throw reasonOf(error, signal);
    }
  };
  return { read, cancel };
}

async function textOf(message: IncomingMessage, signal: AbortSignal | null): Promise<string> {
  const reader = readerOf(message, signal, async () => {});
  const pieces: Uint8Array[] = [];
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value);
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}

/**
 * Requests to one server over kept-alive connections. Polls and everything else use different sockets, so that a held poll
 * never delays a result.
 */
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { urlToHttpOptions } from 'node:url';
import { REASON_CODES } from '@tutti/manifests';
import {
  ANSWER_BYTES_MAX,
  BODY_MS_PER_MIB,
  RETRY_AFTER_MS_MAX,
  TRANSFER_IDLE_MS,
} from '../limits.ts';

export interface Answer {
  /** The HTTP status code. */
  readonly code: number;
  /** The parsed body; undefined when it is empty or no JSON. */
  readonly body: unknown;
  /** Pause that the server asks for. */
  readonly retryAfterMs?: number;
}

export interface SmallRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** A JSON document, already serialized (a repeated request repeats the very same bytes). */
  readonly json?: string;
  /** Instead of it: pieces of a body that is no document. */
  readonly bytes?: readonly Uint8Array[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest time until an answer, besides that for sending the body. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The socket pool; `post` if absent. */
  readonly pool?: 'poll' | 'post';
  /** True if the server handles a repeated request once. */
  readonly repeatable: boolean;
}

/** All methods reject on connection errors and time-outs, and on nothing else: any code is an answer. */
export interface Connection {
  send(request: SmallRequest): Promise<Answer>;
  /** POSTs `size` raw bytes. `open` is called once the connection stands. */
  upload(path: string, file: SizedFile, signal: AbortSignal): Promise<Answer>;
  /** GETs raw bytes; `save` gets the body of a 200 answer, and the answer that of every other. */
  download(
    path: string,
    save: (body: Readable) => Promise<void>,
    signal: AbortSignal,
  ): Promise<Answer>;
  /** Drops every socket. */
  close(): void;
}

export interface SizedFile {
  readonly size: number;
  readonly open: () => Readable;
}

export interface ConnectionOptions {
  readonly server: URL;
  /** The bearer token of the next request; null sends no Authorization header. */
  readonly token: () => string | null;
  /** Certificate authority (PEM) and whether to check certificates at all; only for https. */
  readonly tls?: TlsOptions;
}

export interface TlsOptions {
  readonly ca?: string;
  readonly rejectUnauthorized?: boolean;
  /** Client certificate and key (PEM), for servers that require one. */
  readonly cert?: string;
  readonly key?: string;
}

type Transport = (
  options: RequestOptions,
  onResponse: (response: IncomingMessage) => void,
) => ClientRequest;

interface Sockets {
  readonly transport: Transport;
  readonly poll: Agent;
  readonly post: Agent;
}

/** A socket that idled may have been closed by the server just when it was used again. The server may still be well. */
class StaleSocketError extends Error {
  override readonly name = 'StaleSocketError';
}

export function createConnection(options: ConnectionOptions): Connection {
  const sockets = openSockets(options);
  const context = { ...options, sockets, target: targetOf(options.server) };
  return {
    send: (request) => send(context, request),
    upload: (path, file, signal) => upload(context, { path, signal }, file),
    download: (path, save, signal) => download(context, { path, signal }, save),
    close: () => {
      sockets.poll.destroy();
      sockets.post.destroy();
    },
  };
}

interface Context extends ConnectionOptions {
  readonly sockets: Sockets;
  readonly target: RequestOptions;
}

function openSockets({ server, tls }: ConnectionOptions): Sockets {
  // TLS is loaded only for HTTPS: it costs an idle agent several MiB.
  if (server.protocol === 'https:') {
    const https = process.getBuiltinModule('node:https');
    const open = () => new https.Agent({ ...tls, keepAlive: true });
    return { transport: https.request, poll: open(), post: open() };
  }
  // Not imported: an import reads every export of the module, and some load a second HTTP client.
  const http = process.getBuiltinModule('node:http');
  const open = () => new http.Agent({ keepAlive: true });
  return { transport: http.request, poll: open(), post: open() };
}

function targetOf(server: URL): RequestOptions {
  const { hostname, port, protocol } = urlToHttpOptions(server);
  return { hostname, port, protocol };
}

async function send(context: Context, request: SmallRequest): Promise<Answer> {
  try {
    return await sendOnce(context, request);
  } catch (error) {
    if (!(error instanceof StaleSocketError && request.repeatable)) throw error;
    return sendOnce(context, request);
  }
}

async function sendOnce(context: Context, request: SmallRequest): Promise<Answer> {
  const { method, path, json, headers, timeoutMs, signal, pool } = request;
  const pieces = request.bytes ?? (json === undefined ? [] : [Buffer.from(json)]);
  const { exchange, abandon } = open(context, {
    method,
    path,
    headers: { ...headers, ...contentHeaders(request, pieces) },
    agent: context.sockets[pool ?? 'post'],
    ...(signal === undefined ? {} : { signal }),
    write: (outgoing) => {
      for (const piece of pieces) outgoing.write(piece);
      outgoing.end();
    },
  });
  const limitMs = timeoutMs + transferMs(pieces);
  const deadline = setTimeout(() => abandon(new Error(`No answer within ${limitMs} ms.`)), limitMs);
  try {
    return await readAnswer(await exchange);
  } finally {
    clearTimeout(deadline);
  }
}

function transferMs(pieces: readonly Uint8Array[]): number {
  return Math.ceil((sizeOf(pieces) / 2 ** 20) * BODY_MS_PER_MIB);
}

function sizeOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

function contentHeaders(
  { bytes }: SmallRequest,
  pieces: readonly Uint8Array[],
): Record<string, string> {
  if (pieces.length === 0) return {};
  const type = bytes === undefined ? 'application/json' : 'application/octet-stream';
  return { 'content-type': type, 'content-length': String(sizeOf(pieces)) };
}

interface Opening extends RequestOptions {
  readonly write: (request: ClientRequest) => void;
}

interface Exchange {
  readonly exchange: Promise<IncomingMessage>;
  readonly abandon: (error: Error) => void;
}

function open(context: Context, { write, ...options }: Opening): Exchange {
  const token = context.token();
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const headers = { accept: 'application/json', ...options.headers, ...authorization };
  let abandon: (error: Error) => void = () => undefined;
  const exchange = new Promise<IncomingMessage>((resolve, reject) => {
    const request = context.sockets.transport({ ...context.target, ...options, headers }, resolve);
    request.on('error', (error) => reject(explain(error, request)));
    abandon = (error) => request.destroy(error);
    write(request);
  });
  return { exchange, abandon: (error) => abandon(error) };
}

function explain(error: NodeJS.ErrnoException, request: ClientRequest): Error {
  const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
  return isStale ? new StaleSocketError(error.message, { cause: error }) : error;
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > ANSWER_BYTES_MAX) throw new Error('The answer is too large.');
  }
  const body = parseJson(Buffer.concat(chunks).toString());
  return { code: response.statusCode ?? 0, body, ...retryAfter(response) };
}

/** Proxies may send a date, which is ignored. */
function retryAfter({ headers }: IncomingMessage): Pick<Answer, 'retryAfterMs'> {
  const text = headers['retry-after'];
  if (text === undefined || !/^\d{1,9}$/.test(text)) return {};
  return { retryAfterMs: Math.min(Number(text) * 1000, RETRY_AFTER_MS_MAX) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface TransferTarget {
  readonly path: string;
  readonly signal: AbortSignal;
}

async function upload(
  context: Context,
  { path, signal }: TransferTarget,
  file: SizedFile,
): Promise<Answer> {
  const { exchange } = open(context, {
    method: 'POST',
    path,
    headers: {
      'content-length': String(file.size),
      'content-type': 'application/octet-stream',
    },
    agent: context.sockets.post,
    signal,
    write: (request) => {
      dropWhenIdle(request);
      pipeline(file.open(), request).catch((error: unknown) => request.destroy(asError(error)));
    },
  });
  return readAnswer(await exchange);
}

async function download(
  context: Context,
  { path, signal }: TransferTarget,
  save: (body: Readable) => Promise<void>,
): Promise<Answer> {
  const { exchange } = open(context, {
    method: 'GET',
    path,
    headers: { accept: '*/*' },
    agent: context.sockets.post,
    signal,
    write: (request) => {
      dropWhenIdle(request);
      request.end();
    },
  });
  const response = await exchange;
  if (response.statusCode !== REASON_CODES.OK) return readAnswer(response);
  await save(response);
  return { code: REASON_CODES.OK, body: undefined };
}

function dropWhenIdle(request: ClientRequest): void {
  request.setTimeout(TRANSFER_IDLE_MS, () => {
    request.destroy(new Error(`No byte within ${TRANSFER_IDLE_MS} ms.`));
  });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

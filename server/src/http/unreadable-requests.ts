/** Answers input that never becomes a request of the app. Only the connection exists, and it is closed afterwards. */
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { dictionary, OrchestratorError, type Status, status } from '@tutti/manifests';
import type { FastifyRequest } from 'fastify';
import { http } from '../runtime/node-http.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

const UNREADABLE: Readonly<Record<string, Status>> = dictionary<Status>({
  HPE_HEADER_OVERFLOW: status('BadRequest', 'The headers of the request are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: status('BadRequest', 'The request did not arrive in time.'),
});
/** Time for a client to read the answer. Closing the connection while the client still sends would lose the answer. */
const LINGER_MS = 1_000;
const NOT_HTTP = status('BadRequest', 'Not a valid HTTP request.');
const NOT_TLS = status(
  'BadRequest',
  'The server speaks HTTPS here: ask an address that begins with https.',
);
const NO_TUNNELS = status('MethodNotAllowed', 'CONNECT is not possible here.');

/** Answers bytes that are no HTTP request. */
export function answerUnreadableRequest(error: { readonly code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  answerOn(socket, UNREADABLE[error.code ?? ''] ?? NOT_HTTP);
}

/** Answers a plain HTTP request on a port with TLS. */
export function answerPlainRequest(socket: Duplex): void {
  // An unread body would reset the connection before its sender reads the answer.
  socket.resume();
  answerOn(socket, NOT_TLS);
}

/**
 * Answers `CONNECT` with a Status manifest, and ignores unknown `Expect` headers (RFC 9110, 10.1.1). Node would refuse both without a
 * manifest. It would do so with requests without `Host`, too: `checkHost` refuses those.
 */
export function answerWhatNodeRefuses(server: Server): void {
  server.on('connect', (_request, socket) => answerOn(socket, NO_TUNNELS, { Allow: '' }));
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/**
 * Throws `BadRequest` for a request of HTTP/1.1 without a host, and for one with two. A proxy may take the first, and the server the second
 * (RFC 9112, 3.2).
 */
export function checkHost({ raw }: Pick<FastifyRequest, 'raw'>): void {
  if (raw.headers.host === undefined && raw.httpVersion === '1.1') {
    throw new OrchestratorError('BadRequest', 'The request has no Host header.');
  }
  if (hostsOf(raw.rawHeaders) > 1) {
    throw new OrchestratorError('BadRequest', 'The request has more than one Host header.');
  }
}

/** Counts the `Host` headers. `rawHeaders` alternates names and values; `headers` has only the first of several. */
function hostsOf(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** Writes an answer directly to the connection, and closes it. */
export function answerOn(
  socket: Duplex,
  answer: Status,
  more: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify(answer);
  const headers = Object.entries({
    ...SECURITY_HEADERS,
    ...more,
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  // A client that never closes its side would keep the connection.
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.end(
    `HTTP/1.1 ${answer.code} ${http.STATUS_CODES[answer.code] ?? ''}\r\n${headers.join('')}\r\n${body}`,
  );
}

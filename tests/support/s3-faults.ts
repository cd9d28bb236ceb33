/** Stands between a server and its bucket, and answers for it as services in trouble do. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * - a code with a status: an error of the service;
 * - `half`: half of the content, then the end of the connection;
 * - `stalled`: half of the content, then nothing;
 * - `lost`: the service does the request, and its answer is lost.
 */
export type S3Fault =
  | { readonly status: number; readonly code: string }
  | 'half'
  | 'stalled'
  | 'lost';

export interface S3Faults {
  readonly endpoint: string;
  /** Requests, such as `PUT` or `POST ?delete`, since the last fault was set. */
  readonly asked: readonly string[];
  /** The next requests that fit have this fault. */
  fail(fault: S3Fault, options?: { readonly times?: number; readonly fits?: RegExp }): void;
  close(): Promise<void>;
}

export async function openS3Faults(port: number): Promise<S3Faults> {
  let left = 0;
  let current: S3Fault = 'lost';
  let wanted = /./;
  const asked: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const what = nameOf(incoming);
    asked.push(what);
    const isHit = left > 0 && wanted.test(what);
    if (isHit) left -= 1;
    if (isHit && typeof current === 'object') refuse(current, incoming, outgoing);
    else pass(port, isHit ? (current as Exclude<S3Fault, object>) : null, incoming, outgoing);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    fail(fault, { times = 1, fits = /./ } = {}) {
      [current, left, wanted] = [fault, times, fits];
      asked.length = 0;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function nameOf({ method, url = '' }: IncomingMessage): string {
  const [, query = ''] = url.split('?');
  const names = [...new URLSearchParams(query).keys()].filter((name) => name !== 'x-id');
  return [method, ...(names.length === 0 ? [] : [`?${names.join('&')}`])].join(' ');
}

function refuse(
  { status, code }: Extract<S3Fault, object>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  incoming.resume().once('end', () => {
    outgoing.writeHead(status, { 'content-type': 'application/xml' });
    outgoing.end(`<Error><Code>${code}</Code><Message>As the test wants it.</Message></Error>`);
  });
}

function pass(
  port: number,
  fault: Exclude<S3Fault, object> | null,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const { method, url, headers } = incoming;
  const upstream = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    const half = method === 'HEAD' ? 0 : Number(answer.headers['content-length'] ?? 0) / 2;
    // Half of no content is nothing.
    if (fault === 'lost' || (fault === 'half' && half < 1)) {
      return answer.resume().once('end', () => outgoing.destroy());
    }
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    if (fault === null) return answer.pipe(outgoing);
    return sendHalf(answer, outgoing, half, fault === 'half');
  });
  upstream.once('error', () => outgoing.destroy());
  outgoing.once('close', () => upstream.destroy());
  incoming.pipe(upstream);
}

function sendHalf(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  half: number,
  isCut: boolean,
): void {
  let sent = 0;
  answer.on('data', (chunk: Buffer) => {
    const some = chunk.subarray(0, Math.max(0, Math.floor(half - sent)));
    sent += some.length;
    if (some.length > 0) outgoing.write(some);
    if (sent >= Math.floor(half)) {
      answer.destroy();
      // Written content still arrives.
      if (isCut) outgoing.socket?.destroySoon();
    }
  });
}

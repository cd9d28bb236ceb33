/** Content of any size that never exists as a whole, in memory or on disk. */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Answer } from './api.ts';
import type { ServerChild } from './workbench.ts';

export const MIB = 1024 * 1024;
export const GIB = 1024 * MIB;

/** Its length has no common factor with buffer sizes, so that lost or repeated parts are found. */
export const PATTERN = Buffer.from(
  Array.from({ length: 1_000_003 }, (_, index) => (index * 31) % 251),
);

/** The first `size` bytes of the endless repetition of the pattern. */
export function* patterned(size: number): Generator<Buffer> {
  for (let left = size; left > 0; left -= PATTERN.length) {
    yield left < PATTERN.length ? PATTERN.subarray(0, left) : PATTERN;
  }
}

/** Answers the number of bytes; throws near the first one that is not as `patterned` makes it. */
export async function countPatterned(content: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of content) {
    checkChunk(chunk, size);
    size += chunk.length;
  }
  return size;
}

function checkChunk(chunk: Uint8Array, offset: number): void {
  for (let done = 0; done < chunk.length; ) {
    const at = (offset + done) % PATTERN.length;
    const length = Math.min(chunk.length - done, PATTERN.length - at);
    if (PATTERN.compare(chunk, done, done + length, at, at + length) !== 0) {
      throw new Error(`Wrong content near byte ${offset + done}.`);
    }
    done += length;
  }
}

type Reachable = Pick<ServerChild, 'url' | 'token'>;

/** One request whose body and answer are streams. */
export function open(
  { url, token }: Reachable,
  method: string,
  path: string,
  options: RequestOptions = {},
): ClientRequest {
  const headers = { authorization: `Bearer ${token}`, ...options.headers };
  const opened = url.startsWith('https:') ? requestOverTls : request;
  return opened(`${url}${path}`, { ...options, method, headers });
}

/** Sends a body as fast as it is accepted. Resolves with the answer, which may come before the end of the body. */
export async function exchange(
  sent: ClientRequest,
  body: Iterable<Buffer> | AsyncIterable<Buffer> = [],
): Promise<IncomingMessage> {
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  // Until there is an answer, the request itself reports errors.
  pipeline(Readable.from(body, { objectMode: false }), sent).catch(() => undefined);
  const [answer] = await answered;
  return answer;
}

export interface Form {
  readonly headers: Readonly<Record<string, string>>;
  readonly size: number;
  readonly body: () => Generator<Buffer>;
}

/** A multipart request for a run that asks for one file, with that file. */
export function formWithFile(manifest: string, name: string, fileSize: number): Form {
  const head = Buffer.from(
    `--big\r\nContent-Disposition: form-data; name="workflow"; filename="w.yaml"\r\n\r\n${manifest}\r\n` +
      `--big\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`,
  );
  const tail = Buffer.from('\r\n--big--\r\n');
  const size = head.length + fileSize + tail.length;
  return {
    headers: {
      'content-type': 'multipart/form-data; boundary=big',
      'content-length': String(size),
    },
    size,
    *body() {
      yield head;
      yield* patterned(fileSize);
      yield tail;
    },
  };
}

/** Starts a run with such a request. */
export async function postForm(server: Reachable, { headers, body }: Form): Promise<Answer> {
  const answer = await exchange(open(server, 'POST', '/workflows', { headers }), body());
  return { code: answer.statusCode ?? 0, headers: new Headers(), text: await text(answer) };
}

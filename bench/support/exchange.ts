/** Requests over kept connections with answers of any size: streamed, and kept only on request. */
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { ServerProcess } from './server-process.ts';

export type Target = Pick<ServerProcess, 'url' | 'token'>;
type Headers = Readonly<Record<string, string>>;

const agent = new Agent({ keepAlive: true });

/** The answer before its body is read. Codes other than success are errors. */
export async function openGet(
  target: Target,
  path: string,
  headers: Headers = {},
): Promise<IncomingMessage> {
  return await answerOf(open(target, 'GET', path, headers).end(), path);
}

/** Bytes of the body. */
export async function drain(answer: IncomingMessage): Promise<number> {
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(answer, 'end');
  return bytes;
}

export async function getText(target: Target, path: string, headers: Headers = {}) {
  return await text(await openGet(target, path, headers));
}

/** Sends a body as it comes; resolves with the text of the answer. */
export async function sendBody(
  target: Target,
  { method, path, headers = {} }: { method: 'POST' | 'PUT'; path: string; headers?: Headers },
  body: Readable,
): Promise<string> {
  const sent = open(target, method, path, headers);
  const [answer] = await Promise.all([answerOf(sent, path), pipeline(body, sent)]);
  return await text(answer);
}

function open({ url, token }: Target, method: string, path: string, headers: Headers) {
  const all = { authorization: `Bearer ${token}`, ...headers };
  return request(new URL(path, url), { agent, method, headers: all });
}

async function answerOf(sent: ClientRequest, path: string): Promise<IncomingMessage> {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const code = answer.statusCode ?? 0;
  if (code < 200 || code > 299) throw new Error(`${path}: ${code} ${await text(answer)}`);
  return answer;
}

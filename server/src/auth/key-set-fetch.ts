/** Fetches a key set from its authority. Another server in its place could sign any token. */
import type { IncomingMessage } from 'node:http';
import { OrchestratorError } from '@tutti/manifests';
import { isLoopback } from '../runtime/loopback.ts';
import type { OutgoingPolicy } from '../runtime/outgoing-policy.ts';
import { requestOnce } from '../runtime/outgoing-request.ts';
import { AUTH_LIMITS } from './limits.ts';

/**
 * The address of a key set. Throws `Invalid` unless it is https, or http of this machine, and without a password: those are
 * seen in logs.
 */
export function keySetAddress(url: string): URL {
  const address = URL.parse(url);
  if (address === null) throw wrongAddress(url, 'it is not a URL');
  if (address.username !== '' || address.password !== '') {
    throw wrongAddress(address.host, 'it has a user or a password, which key sets do not need');
  }
  if (!isPrivate(address)) {
    throw wrongAddress(url, 'it must begin with https:// (http:// only of this machine)');
  }
  return address;
}

const wrongAddress = (url: string, why: string) =>
  new OrchestratorError('Invalid', `The key set ${url} is not usable: ${why}.`);

function isPrivate({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:') return true;
  return protocol === 'http:' && isLoopback(hostname);
}

/** The text at that address. Throws when it cannot be had in time, is too large, or lies with another host. */
export async function fetchKeySet(address: URL, policy: OutgoingPolicy): Promise<string> {
  const signal = AbortSignal.timeout(AUTH_LIMITS.keySetTimeoutMs);
  let at = address;
  for (let hops = 0; hops <= AUTH_LIMITS.keySetRedirects; hops++) {
    const answer = await requestOnce(at, {
      policy,
      asker: 'operator',
      headers: {
        accept: 'application/jwk-set+json, application/json',
        'accept-encoding': 'identity',
        'user-agent': 'tutti',
      },
      signal,
    });
    if (isOk(answer)) return await textOf(answer);
    answer.destroy();
    at = redirection(answer, at);
  }
  throw new Error(`It redirects more than ${AUTH_LIMITS.keySetRedirects} times.`);
}

const codeOf = ({ statusCode = 0 }: IncomingMessage): number => statusCode;

const isOk = (answer: IncomingMessage): boolean => codeOf(answer) >= 200 && codeOf(answer) < 300;

function redirection(answer: IncomingMessage, from: URL): URL {
  const { location } = answer.headers;
  const target = location === undefined ? null : URL.parse(location, from.href);
  const code = codeOf(answer);
  if (code < 300 || code >= 400 || target === null) throw new Error(`It answered ${code}.`);
  if (target.origin !== from.origin) throw new Error(`It redirects to ${target.origin}.`);
  return target;
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > AUTH_LIMITS.keySetBytes) {
      throw new Error(`It is larger than ${AUTH_LIMITS.keySetBytes} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Fetches a key set from its authority; whoever could answer in its place could sign any token. */
import { OrchestratorError } from '@tutti/manifests';
import { isLoopback } from '../runtime/loopback.ts';
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
export async function fetchKeySet(address: URL): Promise<string> {
  const signal = AbortSignal.timeout(AUTH_LIMITS.keySetTimeoutMs);
  let at = address;
  for (let hops = 0; hops <= AUTH_LIMITS.keySetRedirects; hops++) {
    const answer = await fetch(at.href, {
      headers: { accept: 'application/jwk-set+json, application/json' },
      redirect: 'manual',
      signal,
    });
    if (answer.ok) return await textOf(answer);
    await answer.body?.cancel();
    at = redirection(answer, at);
  }
  throw new Error(`It redirects more than ${AUTH_LIMITS.keySetRedirects} times.`);
}

function redirection(answer: Response, from: URL): URL {
  const location = answer.headers.get('location');
  const target = location === null ? null : URL.parse(location, from.href);
  if (answer.status < 300 || answer.status >= 400 || target === null) {
    throw new Error(`It answered ${answer.status}.`);
  }
  if (target.origin !== from.origin) throw new Error(`It redirects to ${target.origin}.`);
  return target;
}

async function textOf(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > AUTH_LIMITS.keySetBytes) {
      throw new Error(`It is larger than ${AUTH_LIMITS.keySetBytes} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Fetches the files that a workflow names by their addresses. The addresses are those of whoever starts the run, so the server asks
 * only who can be asked by anybody: each name is resolved once, and the connection goes to the address that was checked.
 */
import { lookup } from 'node:dns';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { type FetchedFile, OrchestratorError, REASON_CODES } from '@tutti/manifests';
import { http, https } from '../../runtime/node-http.ts';
import { isPublicAddress } from './public-address.ts';

export interface FetchOptions {
  /** Also from addresses of this machine and of private networks. */
  readonly mayReachPrivate: boolean;
  /** Aborts when it takes too long, or when nobody waits for the run any more. */
  readonly signal: AbortSignal;
}

const REDIRECTS_MAX = 5;

/** Throws `Invalid` for an address that nobody needs to ask to know that it may not be reached. */
export function checkAddress(
  { name, url }: FetchedFile,
  options: Pick<FetchOptions, 'mayReachPrivate'>,
): void {
  const why = URL.canParse(url) ? refusedAddress(new URL(url), options) : null;
  if (why !== null) throw notFetched(name, url, why);
}

/** The content of a file; throws `Invalid` with the reason, also while the content is read. */
export async function* fetchFile(
  { name, url }: FetchedFile,
  options: FetchOptions,
): AsyncGenerator<Buffer> {
  try {
    yield* await follow(new URL(url), options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw notFetched(name, url, options.signal.aborted ? 'it took too long' : reason, error);
  }
}

function notFetched(name: string, url: string, why: string, cause?: unknown): Error {
  const message = `The resource file "${name}" could not be fetched from ${withoutSecrets(url)}: ${why}.`;
  return new OrchestratorError('Invalid', message, { cause });
}

/** Credentials may be in the user's place, and in the query. */
function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return 'its address';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

async function follow(first: URL, options: FetchOptions): Promise<IncomingMessage> {
  let url = first;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const response = await ask(url, first.origin === url.origin ? first : null, options);
    const { statusCode = 0, headers } = response;
    const isRedirect = statusCode >= 300 && statusCode < 400 && headers.location !== undefined;
    if (!isRedirect) return whole(response, statusCode);
    response.destroy();
    url = redirected(url, headers.location ?? '');
  }
  throw new Error(`it is redirected more than ${REDIRECTS_MAX} times`);
}

function whole(response: IncomingMessage, code: number): IncomingMessage {
  if (code === REASON_CODES.OK) return response;
  response.destroy();
  throw new Error(`the answer was ${code} ${http.STATUS_CODES[code] ?? ''}`.trim());
}

function redirected(from: URL, location: string): URL {
  if (!URL.canParse(location, from.href)) throw new Error('it is redirected to no address');
  const to = new URL(location, from.href);
  if (to.protocol !== 'https:' && to.protocol !== from.protocol) {
    throw new Error(`it is redirected to ${to.protocol}`);
  }
  return to;
}

/** `credentials`: the address whose user and password are for this one, too. */
function ask(url: URL, credentials: URL | null, options: FetchOptions): Promise<IncomingMessage> {
  const why = refusedAddress(url, options);
  if (why !== null) throw new Error(why);
  const isReachable = (address: string) => options.mayReachPrivate || isPublicAddress(address);
  const request: RequestOptions = {
    headers: { 'accept-encoding': 'identity', 'user-agent': 'tutti' },
    lookup: checkedLookup(isReachable),
    signal: options.signal,
    agent: false,
    ...(credentials?.username ? { auth: authOf(credentials) } : {}),
  };
  return new Promise((resolve, reject) => {
    const { request: open } = url.protocol === 'https:' ? https : http;
    const plain = new URL(url);
    plain.username = '';
    plain.password = '';
    open(plain, request).on('response', resolve).on('error', reject).end();
  });
}

const authOf = ({ username, password }: URL): string =>
  `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;

/** A name is checked when it is resolved; an address is not resolved. */
function refusedAddress(
  { hostname }: URL,
  { mayReachPrivate }: Pick<FetchOptions, 'mayReachPrivate'>,
): string | null {
  const host = hostname.replace(/^\[|\]$/g, '');
  const isRefused = isIP(host) !== 0 && !mayReachPrivate && !isPublicAddress(host);
  return isRefused ? notPublic(host) : null;
}

const notPublic = (host: string): string =>
  `${host} is an address of a private network, which the configuration does not allow`;

/** Answers the addresses that may be reached. */
function checkedLookup(isReachable: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const found = addresses.filter(({ address }) => isReachable(address));
      const [first] = found;
      if (first === undefined) return callback(new Error(notPublic(hostname)), []);
      if (options.all) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

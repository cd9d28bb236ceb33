/**
 * Fetches files that a workflow names by address. The user of the run chooses the addresses, so the server asks only those that
 * its policy allows (outgoing-policy.ts).
 */
import type { IncomingMessage } from 'node:http';
import { type FetchedFile, OrchestratorError, REASON_CODES } from '@tutti/manifests';
import { http } from '../../runtime/node-http.ts';
import type { OutgoingPolicy } from '../../runtime/outgoing-policy.ts';
import { requestOnce } from '../../runtime/outgoing-request.ts';

export interface FetchOptions {
  readonly policy: OutgoingPolicy;
  /** Aborts at the timeout, or when the client has left. */
  readonly signal: AbortSignal;
}

const REDIRECTS_MAX = 5;

/** Checks an address without a look-up of its name. Throws `Invalid` if the policy forbids it. */
export function checkAddress(
  { name, url }: FetchedFile,
  { policy }: Pick<FetchOptions, 'policy'>,
): void {
  const why = URL.canParse(url) ? policy.wayTo(new URL(url), 'anybody').refusal : null;
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

/** `credentials` is the address whose user and password also apply here. */
function ask(
  url: URL,
  credentials: URL | null,
  { policy, signal }: FetchOptions,
): Promise<IncomingMessage> {
  return requestOnce(url, {
    policy,
    asker: 'anybody',
    headers: { 'accept-encoding': 'identity', 'user-agent': 'tutti' },
    auth: credentials?.username ? authOf(credentials) : undefined,
    signal,
  });
}

const authOf = ({ username, password }: URL): string =>
  `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;

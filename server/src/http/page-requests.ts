/** Requests of the server's own pages in a browser: how they are known, and the cookie of their session. */
import type { ServerResponse } from 'node:http';
import { OrchestratorError } from '@tutti/manifests';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bringsToken, isForwarded } from '../auth/login.ts';
import { isLoopback } from '../runtime/loopback.ts';
import { requestUrl } from './request-url.ts';
import { setSecurityHeaders } from './security-headers.ts';

/** A session of a browser. */
export interface PageSession {
  readonly id: string;
  /** The `Authorization` header of the token that signed in. */
  readonly authorization: string;
  /** Milliseconds since 1970. */
  readonly endsAtMs: number;
}

export interface PageSessions {
  /** Null if the secret belongs to no session. */
  find(secret: string): Promise<PageSession | null>;
  /** Closes the connection of an answer when the session ends. */
  hold(session: PageSession, answer: ServerResponse): void;
}

const COOKIE = /(?:^|;) *tutti_session=([A-Za-z0-9_-]{64})(?:;|$)/;
/** The longest cookie header that is searched. Browsers keep 4 KiB for each of a few cookies. */
const COOKIES_LENGTH_MAX = 16_384;

/** The secret in the cookie of a session; null if the request has none. */
export function sessionSecretOf({ headers: { cookie = '' } }: FastifyRequest): string | null {
  return cookie.length > COOKIES_LENGTH_MAX ? null : (COOKIE.exec(cookie)?.[1] ?? null);
}

/** The value of `Set-Cookie`. Without a secret, it removes the cookie. */
export function sessionCookie(
  request: FastifyRequest,
  session: { readonly secret: string; readonly seconds: number } | null,
): string {
  const secure = isEncrypted(request) ? '; Secure' : '';
  const { secret, seconds } = session ?? { secret: '', seconds: 0 };
  return `tutti_session=${secret}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

const isReading = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

/** True if the browser says that a page of this server sends the request. A person may send a `GET`, too. */
export function isOfOwnPage(request: FastifyRequest): boolean {
  const { headers } = request;
  const site = headers['sec-fetch-site'];
  if (isReading(request)) return site === 'same-origin' || site === 'none';
  const isMarked = headers['tutti-session'] === '1';
  return site === 'same-origin' && isMarked && headers.origin === requestUrl(request).origin;
}

/** Throws for a request that may not sign in: of another page, or over a connection that others can read. */
export function requireSafeSignIn(request: FastifyRequest): void {
  const error = isOfOwnPage(request) ? problemOfConnection(request) : ONLY_OWN_PAGES;
  if (error === null) return;
  throw new OrchestratorError('Forbidden', 'Signing in is not possible here.', {
    details: { error },
  });
}

const ONLY_OWN_PAGES =
  'Only pages of this server sign in. Programs send their token with each request.';
const ONLY_ENCRYPTED =
  'The connection is plain HTTP, so others could read the token. What to do: use HTTPS, or open the page on the machine of the server as http://localhost.';

function problemOfConnection(request: FastifyRequest): string | null {
  if (isEncrypted(request)) return null;
  const isOfMachine = !hasProxy(request) && isLoopback(requestUrl(request).hostname);
  return isOfMachine ? null : ONLY_ENCRYPTED;
}

/** Whether a proxy may have sent it for somebody else. A replica that forwards it adds one sender, and headers of its own. */
function hasProxy({ headers, isOfReplica }: FastifyRequest): boolean {
  if (!isOfReplica) return isForwarded(headers);
  const { 'x-forwarded-for': senders = '', ...others } = headers;
  for (const name of OF_REPLICAS) delete others[name];
  return String(senders).includes(',') || isForwarded(others);
}

const OF_REPLICAS = ['x-forwarded-proto', 'tutti-replica'];

const isEncrypted = (request: FastifyRequest): boolean => requestUrl(request).protocol === 'https:';

/**
 * Lets a request of a page carry the token of its session, as if it had sent it. The server then checks the token as always. The cookie
 * counts on requests of own pages alone, and if they have no token of their own.
 */
export async function takeSession(
  load: () => Promise<PageSessions>,
  request: FastifyRequest,
): Promise<void> {
  const secret = sessionSecretOf(request);
  const { headers } = request.raw;
  if (secret === null || bringsToken(headers.authorization) || !isOfOwnPage(request)) return;
  const sessions = await load();
  const session = await sessions.find(secret);
  if (session === null) return;
  headers.authorization = session.authorization;
  sessions.hold(session, request.answer);
}

/** Leads browsers that open the address of the server to the page. Others get what they always got. */
export function leadToPage(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { url, method, headers } = request.raw;
    if (url !== '/' || method !== 'GET' || !prefersPage(headers.accept)) return done();
    setSecurityHeaders(reply);
    const { pathname } = requestUrl(request);
    const place = `${pathname}${pathname.endsWith('/') ? '' : '/'}ui/`;
    // Nobody keeps it: another client may ask for JSON.
    reply.headers({ Vary: 'Accept', 'Cache-Control': 'no-store', Connection: 'close' });
    reply.redirect(place);
  });
}

/** Browsers name HTML first. Programs take anything, or JSON. */
const prefersPage = (accept = ''): boolean => /^\s*text\/html\b/i.test(accept);

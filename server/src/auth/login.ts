/**
 * Decides by the headers of a request who sends it. With `auth.insecureLogin` programs of the machine need no token (wire facts 8.3).
 * So do requests of the server's own pages. Requests of other pages and of proxies of the machine still need one. Otherwise any web page
 * could start workflows.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { OrchestratorError } from '@tutti/manifests';
import { isLoopback } from '../runtime/loopback.ts';
import { type Access, NO_KEY } from './access.ts';
import type { Authenticator } from './authenticator.ts';

/** Access of the sender; rejects with `Unauthorized`. */
export type Login = (headers: IncomingHttpHeaders) => Promise<Access>;

export interface LoginOptions {
  /** Whether programs of this machine need no token. */
  readonly insecureLogin: boolean;
}

/** Existing servers let such requests do everything, in all namespaces. */
const ANYBODY: Access = { subject: 'anybody', keyId: NO_KEY, namespaces: () => '*' };

/** Existing clients that were given an empty token send the scheme alone. */
const NO_TOKEN = /^(?:bearer)? *$/i;

/** True for an `Authorization` header that brings a token, valid or not. */
export const bringsToken = (authorization: string | undefined): boolean =>
  !NO_TOKEN.test(authorization ?? '');

export function createLogin(authenticator: Authenticator, { insecureLogin }: LoginOptions): Login {
  const byToken: Login = ({ authorization }) => authenticator.authenticate(authorization);
  if (!insecureLogin) return byToken;
  return async (headers) => {
    // A token that does not count is a mistake of the sender, who should learn of it.
    if (bringsToken(headers.authorization)) return byToken(headers);
    const other = isOfOwnPage(headers) ? hostBehind(headers) : senderBehind(headers);
    if (other === null) return ANYBODY;
    throw new OrchestratorError('Unauthorized', 'No Bearer token', {
      details: { error: `Only programs of this machine need no token; this is ${other}.` },
    });
  };
}

/**
 * Headers that programs send for themselves. Nobody knows all headers that proxies, load balancers and content networks add. So any other
 * header counts as one of theirs.
 */
const OF_PROGRAMS: ReadonlySet<string> = new Set(
  [
    'accept accept-charset accept-encoding accept-language authorization cache-control',
    'connection content-disposition content-encoding content-language content-length',
    'content-type cookie date dnt expect from host http2-settings if-match if-modified-since',
    'if-none-match if-range if-unmodified-since keep-alive last-event-id mime-version origin',
    'pragma prefer priority range referer te trailer transfer-encoding upgrade',
    'upgrade-insecure-requests user-agent',
    // Our own pages send these.
    'tutti-code tutti-session',
    // Ids and traces, by which programs find their requests again.
    'b3 baggage traceparent tracestate x-correlation-id x-request-id',
    // Deliveries have these: the server refuses a publication that comes back with them.
    'x-publication-id x-subscription-id',
  ].flatMap((names) => names.split(' ')),
);

/** Browsers set such headers. No page can. */
const OF_BROWSERS = /^sec-/;
/** A page that somebody opened in the browser, and its own requests. */
const OF_PERSONS = ['none', 'same-origin'];

const isForeign = (name: string): boolean => !OF_PROGRAMS.has(name) && !OF_BROWSERS.test(name);

/** True for a request that a proxy may have sent for somebody else. */
export const isForwarded = (headers: IncomingHttpHeaders): boolean =>
  Object.keys(headers).some(isForeign);

/** True for a request that a program of this machine sends for itself. `address`: the other end of its connection. */
export function isOfMachine(address: string | undefined, headers: IncomingHttpHeaders): boolean {
  const ipv4 = address?.replace(/^::ffff:/, '') ?? '';
  return isLoopback(ipv4) && senderBehind(headers) === null;
}

/** Describes the sender that a program of the machine passes the request on for; null if it sends its own. */
function senderBehind(headers: IncomingHttpHeaders): string | null {
  const foreign = Object.keys(headers).find(isForeign);
  if (foreign !== undefined) {
    return `a request with the header "${foreign}", which a proxy may have added`;
  }
  const site = headers['sec-fetch-site'];
  if (headers.origin !== undefined || (site !== undefined && !OF_PERSONS.includes(String(site)))) {
    return 'a request of a page in a browser';
  }
  return hostBehind(headers);
}

/** True for a request that a browser sent for a page of the server itself. */
function isOfOwnPage(headers: IncomingHttpHeaders): boolean {
  const { host = '', origin = '' } = headers;
  const isOwn = [`http://${host}`, `https://${host}`].includes(origin);
  return isOwn && headers['sec-fetch-site'] === 'same-origin' && !isForwarded(headers);
}

/** Names of others can be made to lead here, and their pages then count as ours. */
function hostBehind(headers: IncomingHttpHeaders): string | null {
  const host = URL.parse(`http://${headers.host ?? ''}`)?.hostname ?? '';
  return isLoopback(host) ? null : `a request to the host "${headers.host ?? ''}"`;
}

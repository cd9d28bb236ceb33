/**
 * Who sends a request, told by its headers. With `auth.insecureLogin` programs of the machine need no token (wire facts 8.3). What
 * browsers and proxies of the machine send for others needs one all the same: any page could start workflows otherwise.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { OrchestratorError } from '@tutti/manifests';
import { isLoopback } from '../runtime/loopback.ts';
import { type Access, NO_KEY } from './access.ts';
import type { Authenticator } from './authenticator.ts';

/** What the sender may do; rejects with `Unauthorized`. */
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
    // A token that does not count is a mistake of the sender, who should hear of it.
    if (bringsToken(headers.authorization)) return byToken(headers);
    const other = senderBehind(headers);
    if (other === null) return ANYBODY;
    throw new OrchestratorError('Unauthorized', 'No Bearer token', {
      details: { error: `Only programs of this machine need no token; this is ${other}.` },
    });
  };
}

/** Headers that proxies, load balancers and content networks add to requests that they forward. */
const OF_PROXIES = new Set([
  'ali-cdn-real-ip',
  'cdn-loop',
  'client-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'fly-forwarded-port',
  'forwarded',
  'forwarded-for',
  'max-forwards',
  'proxy-connection',
  'remote-addr',
  'true-client-ip',
  'via',
  'x-appengine-user-ip',
  'x-arr-log-id',
  'x-azure-clientip',
  'x-azure-socketip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-host',
  'x-nginx-proxy',
  'x-real-ip',
  'x-remote-addr',
  'x-remote-ip',
]);
/** Families of such headers: `X-Forwarded-For`, `X-Original-URL`, `CF-Connecting-IP`, `X-Amzn-Trace-Id`. */
const OF_PROXY_FAMILIES = /^(?:x-forwarded|x-original-|x-proxy|x-envoy-|x-amzn-|cf-|cloudfront-)/;
/** What somebody typed into a browser, and what the page that follows asks for. */
const OF_PERSONS = ['none', 'same-origin'];

const isOfProxies = (name: string): boolean => OF_PROXIES.has(name) || OF_PROXY_FAMILIES.test(name);
/** True for a request that a proxy sends for somebody else. */
export const isForwarded = (headers: IncomingHttpHeaders): boolean =>
  Object.keys(headers).some(isOfProxies);

/** True for a request that a program of this machine sends for itself. `address`: the other end of its connection. */
export function isOfMachine(address: string | undefined, headers: IncomingHttpHeaders): boolean {
  const ipv4 = address?.replace(/^::ffff:/, '') ?? '';
  return isLoopback(ipv4) && senderBehind(headers) === null;
}

/** For whom the machine sends the request, if not for itself. */
function senderBehind(headers: IncomingHttpHeaders): string | null {
  const proxied = Object.keys(headers).find(isOfProxies);
  if (proxied !== undefined) return `a request of a proxy (${proxied})`;
  const site = headers['sec-fetch-site'];
  if (headers.origin !== undefined || (site !== undefined && !OF_PERSONS.includes(String(site)))) {
    return 'a request of a page in a browser';
  }
  // Names of others can be made to lead here, and their pages then count as ours.
  const host = URL.parse(`http://${headers.host ?? ''}`)?.hostname ?? '';
  return isLoopback(host) ? null : `a request to the host "${headers.host ?? ''}"`;
}

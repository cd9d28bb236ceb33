/** One request of the server to an address that its policy allows. The caller follows redirects, each as a request of its own. */
import type { IncomingMessage } from 'node:http';
import { http, https } from './node-http.ts';
import type { Asker, OutgoingPolicy } from './outgoing-policy.ts';

export interface OutgoingRequest {
  readonly policy: OutgoingPolicy;
  readonly asker: Asker;
  readonly headers: Readonly<Record<string, string>>;
  /** `user:password`. */
  readonly auth?: string | undefined;
  readonly signal: AbortSignal;
}

/** Sends one request. Rejects if the policy refuses the address, or if no answer comes. */
export function requestOnce(url: URL, options: OutgoingRequest): Promise<IncomingMessage> {
  const { policy, asker, headers, auth, signal } = options;
  const { refusal, lookup } = policy.wayTo(url, asker);
  if (refusal !== null) return Promise.reject(new Error(refusal));
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  const request = {
    headers,
    lookup,
    signal,
    agent: false,
    ...(auth === undefined ? {} : { auth }),
  };
  return new Promise((resolve, reject) => {
    const { request: open } = url.protocol === 'https:' ? https : http;
    open(plain, request).on('response', resolve).on('error', reject).end();
  });
}

/**
 * Posts a publication to an inbox. Only the code of the answer counts: redirects are not followed (an inbox says where it is when
 * it subscribes) and the body of the answer is not looked at.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { http, https } from '../runtime/node-http.ts';
import type { BusLimits } from './limits.ts';
import type { Timers } from './timers.ts';

export interface InboxRequest {
  readonly endpoint: URL;
  readonly insecureSkipTlsVerify: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type InboxAnswer =
  | { readonly outcome: 'answered'; readonly code: number }
  | { readonly outcome: 'unanswered'; readonly why: 'Timeout' | 'ConnectionError' };

export interface InboxClient {
  /** Rejects only when the signal aborts. */
  post(request: InboxRequest, signal: AbortSignal): Promise<InboxAnswer>;
  /** Ends idle connections. */
  close(): void;
}

export function createInboxClient(timers: Timers, limits: BusLimits): InboxClient {
  const kept = { keepAlive: true, maxFreeSockets: limits.inboxRequests };
  const agents = {
    plain: new http.Agent(kept),
    secure: new https.Agent(kept),
    unverified: new https.Agent({ ...kept, rejectUnauthorized: false }),
  };

  const open = (request: InboxRequest): ClientRequest => {
    const { endpoint, headers, insecureSkipTlsVerify } = request;
    const options = { method: 'POST', headers };
    if (endpoint.protocol === 'http:') {
      return http.request(endpoint, { ...options, agent: agents.plain });
    }
    const agent = insecureSkipTlsVerify ? agents.unverified : agents.secure;
    return https.request(endpoint, { ...options, agent });
  };

  const exchange = (inbox: InboxRequest, signal: AbortSignal): Promise<InboxAnswer | 'stale'> =>
    new Promise((resolve, reject) => {
      const request = open(inbox);
      let code: number | null = null;
      let timedOut = false;
      const abort = () => request.destroy();
      const cancelTimeout = timers.after(limits.inboxTimeoutMs, () => {
        timedOut = true;
        abort();
      });
      signal.addEventListener('abort', abort, { once: true });
      request.on('response', (response) => {
        code = response.statusCode ?? null;
        readAtMost(response, limits.inboxAnswerBytes);
      });
      let stale = false;
      request.on('error', (error) => {
        stale = request.reusedSocket && 'code' in error && error.code === 'ECONNRESET';
      });
      request.on('close', () => {
        cancelTimeout();
        signal.removeEventListener('abort', abort);
        if (code !== null) resolve({ outcome: 'answered', code });
        else if (signal.aborted) reject(signal.reason);
        else if (timedOut) resolve({ outcome: 'unanswered', why: 'Timeout' });
        else resolve(stale ? 'stale' : { outcome: 'unanswered', why: 'ConnectionError' });
      });
      request.end(inbox.body);
    });

  return {
    async post(request, signal) {
      signal.throwIfAborted();
      for (;;) {
        const answer = await exchange(request, signal);
        // The inbox closed a kept connection just when it was used again: not its fault, and a new connection shows whether
        // it is there. Every such answer uses up a kept connection, so this ends.
        if (answer !== 'stale') return answer;
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function readAtMost(response: IncomingMessage, bytesMax: number): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) response.destroy();
  });
  // A broken answer is an answer: its code was read.
  response.on('error', () => {});
}

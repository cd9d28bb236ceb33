/**
 * Posts a publication to an inbox. Only the code of the answer counts. Redirects are not followed, since an inbox names its address when it
 * subscribes. The body of the answer is not read.
 */
import type {
  Agent,
  AgentOptions,
  ClientRequest,
  IncomingMessage,
  RequestOptions,
} from 'node:http';
import { urlToHttpOptions } from 'node:url';
import type { Clock } from '../runtime/clock.ts';
import type { DELIVERY_OUTCOMES, Meters } from '../runtime/meters.ts';
import { http, https } from '../runtime/node-http.ts';
import {
  type InboxAsker,
  type OutgoingPolicy,
  OutgoingRefusal,
  type Way,
} from '../runtime/outgoing-policy.ts';
import type { BusLimits } from './limits.ts';
import type { Timers } from './timers.ts';

export interface InboxRequest {
  readonly endpoint: URL;
  /** The party that named the address. */
  readonly asker: InboxAsker;
  readonly insecureSkipTlsVerify: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export type InboxAnswer =
  | { readonly outcome: 'answered'; readonly code: number }
  | { readonly outcome: 'unanswered'; readonly why: 'Timeout' | 'ConnectionError' }
  /** The server may not ask this address: nothing was sent, and no connection was made. */
  | { readonly outcome: 'not allowed'; readonly why: string };

export interface InboxClient {
  /** Rejects only when the signal aborts. */
  post(request: InboxRequest, signal: AbortSignal): Promise<InboxAnswer>;
  /** Ends idle connections. */
  close(): void;
}

export function createInboxClient(
  timers: Timers,
  limits: BusLimits,
  policy: OutgoingPolicy,
): InboxClient {
  const { refusalOf, open, close } = createRequests(limits, policy);

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
      let refusal: string | null = null;
      request.on('error', (error) => {
        if (error instanceof OutgoingRefusal) refusal = error.message;
        stale = request.reusedSocket && 'code' in error && error.code === 'ECONNRESET';
      });
      request.on('close', () => {
        cancelTimeout();
        signal.removeEventListener('abort', abort);
        if (code !== null) resolve({ outcome: 'answered', code });
        else if (signal.aborted) reject(signal.reason);
        else if (refusal !== null) resolve({ outcome: 'not allowed', why: refusal });
        else if (timedOut) resolve({ outcome: 'unanswered', why: 'Timeout' });
        else resolve(stale ? 'stale' : { outcome: 'unanswered', why: 'ConnectionError' });
      });
      request.end(inbox.body);
    });

  return {
    async post(request, signal) {
      signal.throwIfAborted();
      const refusal = refusalOf(request);
      if (refusal !== null) return { outcome: 'not allowed', why: refusal };
      for (;;) {
        const answer = await exchange(request, signal);
        // The inbox closed a kept connection just when it was used again. It did nothing wrong. A new connection shows whether it answers.
        // Every such answer uses up a kept connection, so this ends.
        if (answer !== 'stale') return answer;
      }
    },
    close,
  };
}

/** Address and protocol of an inbox. */
interface Target {
  readonly open: (options: RequestOptions) => ClientRequest;
  readonly options: RequestOptions;
}

/** Requests on kept connections. An address is taken apart once: that costs a quarter of what posting to it does. */
function createRequests({ inboxRequests }: BusLimits, policy: OutgoingPolicy) {
  const kept = { keepAlive: true, maxFreeSockets: inboxRequests };
  // A kept connection is not checked again, so subscribers with fewer allowed addresses have connections of their own.
  const agents = { anybody: agentsOf(kept), machine: agentsOf(kept) };
  const targets = new WeakMap<URL, Target>();

  const makeTarget = ({ endpoint, asker, insecureSkipTlsVerify }: InboxRequest): Target => {
    const { plain, secure, unverified } = agents[asker];
    const way = policy.wayTo(endpoint, asker);
    if (endpoint.protocol === 'http:') {
      return { open: http.request, options: optionsOf(endpoint, plain, way) };
    }
    const agent = insecureSkipTlsVerify ? unverified : secure;
    return { open: https.request, options: optionsOf(endpoint, agent, way) };
  };

  const targetOf = (request: InboxRequest): Target => {
    const target = targets.get(request.endpoint) ?? makeTarget(request);
    targets.set(request.endpoint, target);
    return target;
  };

  return {
    refusalOf: ({ endpoint, asker }: InboxRequest) => policy.wayTo(endpoint, asker).refusal,
    open(request: InboxRequest): ClientRequest {
      const target = targetOf(request);
      return target.open({ ...target.options, headers: headersOf(request, target.options) });
    },
    close(): void {
      for (const { plain, secure, unverified } of Object.values(agents)) {
        for (const agent of [plain, secure, unverified]) agent.destroy();
      }
    },
  };
}

function agentsOf(kept: AgentOptions) {
  return {
    plain: new http.Agent(kept),
    secure: new https.Agent(kept),
    unverified: new https.Agent({ ...kept, rejectUnauthorized: false }),
  };
}

function optionsOf(endpoint: URL, agent: Agent, { lookup }: Way): RequestOptions {
  return { ...urlToHttpOptions(endpoint), method: 'POST', agent, lookup };
}

/** A list, so that Node makes no object before it writes it. Adds the headers that Node adds to objects. */
function headersOf(
  { endpoint, headers }: InboxRequest,
  { auth }: RequestOptions,
): readonly string[] {
  const list = ['Host', endpoint.host];
  for (const [name, value] of Object.entries(headers)) list.push(name, value);
  const isNamed = typeof auth === 'string' && headers.Authorization === undefined;
  if (isNamed) list.push('Authorization', `Basic ${Buffer.from(auth).toString('base64')}`);
  return list;
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

export const FIRST_REFUSAL = 300;
export const TOO_MANY_REQUESTS = 429;
export const INTERNAL_ERROR = 500;

/** Counts the outcomes of posting publications to inboxes, and measures the time of their answers. */
export function meteredInboxClient(
  client: InboxClient,
  clock: Pick<Clock, 'monotonicMs'>,
  { deliveries, deliverySeconds }: Pick<Meters, 'deliveries' | 'deliverySeconds'>,
): InboxClient {
  return {
    async post(request, signal) {
      const startMs = clock.monotonicMs();
      const answer = await client.post(request, signal);
      deliveries.add(outcomeOf(answer));
      deliverySeconds.observe((clock.monotonicMs() - startMs) / 1000);
      return answer;
    },
    close: () => client.close(),
  };
}

function outcomeOf(answer: InboxAnswer): (typeof DELIVERY_OUTCOMES)[number] {
  if (answer.outcome === 'not allowed') return 'not-allowed';
  if (answer.outcome === 'unanswered') {
    return answer.why === 'Timeout' ? 'timeout' : 'connection-error';
  }
  const { code } = answer;
  if (code < FIRST_REFUSAL) return 'taken';
  return code === TOO_MANY_REQUESTS || code >= INTERNAL_ERROR ? 'postponed' : 'refused';
}

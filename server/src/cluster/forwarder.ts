/**
 * Sends requests to the active replica, and its answers back. A request that was not handled there goes to the next one. A request of which
 * nobody knows what became of it is not repeated, unless it only reads.
 */
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { OrchestratorError } from '@tutti/manifests';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isOfAgents } from '../http/open-connections.ts';
import { sessionSecretOf } from '../http/page-requests.ts';
import { requestUrl } from '../http/request-url.ts';
import { Histogram, QUICK_SECONDS } from '../runtime/meters.ts';
import { type Gate, noneActive, patienceEnd } from './gate.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import type { ReplicaClient } from './replica-client.ts';
import { FORWARDED, isForwarded, MISDIRECTED, PURPOSE_HEADER } from './replica-listener.ts';

/** `refused`: nothing of the request was handled. `unreached`: there was no connection for it. `unknown`: something may have been handled. */
type Outcome = 'answered' | 'refused' | 'unreached' | 'unknown';

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Headers of one connection (RFC 9110, 7.6.1), and what Node takes care of itself. */
const OF_CONNECTION: ReadonlySet<string> = new Set(
  'connection expect keep-alive proxy-connection te trailer upgrade'.split(' '),
);

export class Forwarder {
  readonly #gate: Gate;
  readonly #client: ReplicaClient;
  readonly #doubted: (address: string) => void;
  /** Requests under way, by the address of the replica. */
  readonly #underWay = new Map<string, Set<ClientRequest>>();
  /** The newest answer. */
  #answered = { address: '', atMs: 0 };
  readonly seconds = new Histogram(QUICK_SECONDS);
  /** Connections of clients end with their answers. */
  isLeaving = false;

  /** `doubted`: no request is taken at that address. */
  constructor(gate: Gate, client: ReplicaClient, doubted: (address: string) => void) {
    this.#gate = gate;
    this.#client = client;
    this.#doubted = doubted;
  }

  /** Call it after the checks of the token: only requests that may be handled are forwarded. */
  register(app: FastifyInstance): void {
    app.addHook('onRequest', (request, reply, done) => {
      request.isOfReplica = isForwarded(request.raw);
      if (request.isOfReplica || isAnsweredAnywhere(request)) {
        done();
      } else if (this.#gate.isHere) {
        this.#gate.enter(request.raw, reply.raw);
        done();
      } else {
        this.#forward({ request, reply }, done).catch(done);
      }
    });
  }

  /** Ends requests at a replica that is dead, or no longer reached. */
  cut(address: string): void {
    for (const out of this.#underWay.get(address) ?? []) out.destroy();
  }

  async #forward(exchange: Exchange, handleHere: () => void): Promise<void> {
    const { request, reply } = exchange;
    const untilMs = patienceEnd();
    for (;;) {
      const place = await this.#gate.place(untilMs);
      if (reply.raw.destroyed) return;
      if (place === 'here') {
        this.#gate.enter(request.raw, reply.raw);
        handleHere();
        return;
      }
      const beganAtMs = performance.now();
      const outcome = await this.#attempt(place.address, exchange);
      if (outcome === 'answered' || reply.raw.destroyed) return;
      // One that answers others meanwhile is there: it has much to do.
      const isBusy = outcome === 'unreached' && this.#hasAnsweredSince(place.address, beganAtMs);
      if (!isBusy) this.#doubted(place.address);
      if (outcome === 'unknown' || performance.now() >= untilMs) {
        refuse(exchange, outcome === 'unknown' ? isUnknown() : noneActive());
        return;
      }
      await pause(CLUSTER_LIMITS.againMs);
    }
  }

  #hasAnsweredSince(address: string, sinceMs: number): boolean {
    return this.#answered.address === address && this.#answered.atMs >= sinceMs;
  }

  #attempt(address: string, { request, reply }: Exchange): Promise<Outcome> {
    const hasBody = bodyComes(request.raw);
    let failed: Outcome = 'unreached';
    const out = this.#client.request({
      address,
      method: request.method,
      path: request.originalUrl,
      headers: headersFor(request, hasBody),
      connected: () => {
        failed = hasBody || isReading(request) ? 'refused' : 'unknown';
      },
    });
    this.#watch(address, out);
    const beganAtMs = performance.now();
    return new Promise((resolve) => {
      const clientLeft = () => out.destroy();
      reply.raw.on('close', clientLeft);
      const end = (outcome: Outcome) => {
        reply.raw.off('close', clientLeft);
        resolve(outcome);
      };
      out.on('continue', () => {
        failed = 'unknown';
        request.raw.pipe(out);
      });
      out.on('response', (response) => {
        if (response.statusCode === MISDIRECTED) {
          response.resume();
          end('refused');
          return;
        }
        this.#answered = { address, atMs: performance.now() };
        this.seconds.observe((this.#answered.atMs - beganAtMs) / 1000);
        this.#relay(response, { request, reply });
        response.on('close', () => end('answered'));
      });
      out.on('error', () => undefined);
      out.on('close', () => end(failed));
      if (hasBody) out.flushHeaders();
      else out.end();
    });
  }

  #watch(address: string, out: ClientRequest): void {
    const requests = this.#underWay.get(address) ?? new Set();
    this.#underWay.set(address, requests.add(out));
    out.on('close', () => {
      requests.delete(out);
      if (requests.size === 0 && this.#underWay.get(address) === requests)
        this.#underWay.delete(address);
    });
  }

  #relay(response: IncomingMessage, { request, reply }: Exchange): void {
    const { raw } = reply;
    request.isForwarded = true;
    reply.hijack();
    const headers = [...ownHeaders(response.rawHeaders)];
    if (this.isLeaving || !request.raw.complete) headers.push('Connection', 'close');
    raw.writeHead(response.statusCode ?? 0, response.statusMessage, headers);
    // The client learns at once that the answer has begun, even if its first part comes late.
    raw.flushHeaders();
    response.pipe(raw);
    // An answer that breaks off has no end.
    response.on('close', () => {
      if (!response.complete) raw.destroy();
    });
  }
}

/** A route says where it is answered; without a route there is nothing to forward. */
function isAnsweredAnywhere(request: FastifyRequest): boolean {
  const { anywhere = false, access } = request.routeOptions.config;
  if (request.is404 || request.method === 'OPTIONS') return true;
  // The active replica notes each use of a session.
  if (access !== 'none' && sessionSecretOf(request) !== null) return false;
  return typeof anywhere === 'boolean' ? anywhere : anywhere(request);
}

const isReading = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

function bodyComes({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && Number(length) > 0);
}

function headersFor(request: FastifyRequest, hasBody: boolean): OutgoingHttpHeaders {
  const { headers, rawHeaders, socket } = request.raw;
  const given = new Set(rawHeaders.map((text) => text.toLowerCase()));
  // A token that comes from a session here comes from it there.
  const own = Object.entries(headers).filter(
    ([name]) => !OF_CONNECTION.has(name) && given.has(name),
  );
  const { host, 'x-forwarded-for': senders, 'x-forwarded-proto': scheme } = headers;
  return {
    ...Object.fromEntries(own),
    host: host ?? requestUrl(request).host,
    'x-request-id': request.id,
    'x-forwarded-for': [senders ?? [], socket.remoteAddress ?? []].flat().join(', '),
    'x-forwarded-proto': scheme ?? request.protocol,
    [PURPOSE_HEADER]: FORWARDED,
    ...(hasBody && { expect: '100-continue' }),
  };
}

function* ownHeaders(raw: readonly string[]): Iterable<string> {
  for (let at = 0; at < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2);
    const key = name.toLowerCase();
    // Node chooses the encoding for this client.
    if (!OF_CONNECTION.has(key) && key !== 'transfer-encoding') yield* [name, value];
  }
}

/** Existing agents take any answer for an acknowledgement, and resend only without one. */
function refuse({ request, reply }: Exchange, refusal: OrchestratorError): void {
  if (!isOfAgents(request)) throw refusal;
  reply.hijack();
  request.raw.socket.destroy();
}

const isUnknown = (): OrchestratorError =>
  new OrchestratorError(
    'ServiceUnavailable',
    'The active replica ended before it answered. Look whether the request had an effect before you send it again.',
    { details: { outcome: 'unknown' } },
  );

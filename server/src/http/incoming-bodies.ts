/**
 * Limits the time and number of arriving bodies. A body that is too slow ends with 408. So does one in memory, or a form, that takes too
 * long. Each subject has a share of concurrent bodies. Agents get no answer, and their connection is closed. Existing agents take any
 * answer for an acknowledgement, and resend only without one.
 */
import { performance } from 'node:perf_hooks';
import { OrchestratorError } from '@tutti/manifests';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServerConfig } from '../runtime/config.ts';
import { LIMITS } from '../runtime/limits.ts';
import { type Holder, Shares } from '../runtime/shares.ts';
import { type BodyLease, BodyMemory } from './body-memory.ts';
import { holderOf } from './holder.ts';
import { isOfAgents } from './open-connections.ts';
import { whenClosed } from './when-closed.ts';

export type BodyLimits = Pick<
  ServerConfig['limits'],
  'bodiesBytes' | 'startsBytes' | 'bodyBytesPerSecond' | 'subjectShare' | 'namespaceShare'
>;

/** A request with a body. */
export interface IncomingBody {
  /** Whether there is more in memory than one piece. */
  readonly hasBegun: boolean;
  /** Counts the body's memory until the answer is sent. */
  lease(): BodyLease;
  /** Counts it until then, too: its reader goes on behind the answer. */
  keepUntil(ended: Promise<unknown>): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null without a body. */
    incoming: IncomingBody | null;
  }
  interface FastifyContextConfig {
    /** True for requests for runs: their bodies have a bound of their own (`limits.startsBytes`). */
    isStart?: boolean;
  }
}

/** Between two looks at the bodies that come. */
const LOOK_MS = 1_000;

export function boundBodies(app: FastifyInstance, limits: BodyLimits): void {
  const bodies = new IncomingBodies(limits);
  app.decorateRequest('incoming', null);
  app.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request)) request.incoming = bodies.add(request, reply);
    done();
  });
  // Most bodies are complete by now and need no further checks.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.incoming !== null && request.raw.complete) bodies.forget(request.incoming);
    done();
  });
  app.addHook('onClose', (_app, done) => {
    bodies.close();
    done();
  });
}

function hasBody({ raw: { headers } }: FastifyRequest): boolean {
  const length = headers['content-length'];
  return length === undefined ? headers['transfer-encoding'] !== undefined : length !== '0';
}

/** All incoming bodies of one server. */
export class IncomingBodies {
  readonly #limits: BodyLimits;
  readonly #starts: BodyMemory;
  readonly #agents: BodyMemory;
  readonly #others: BodyMemory;
  /** In the order in which they began. */
  readonly #coming = new Set<ComingBody>();
  #timer: NodeJS.Timeout | null = null;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
    const { startsBytes, bodiesBytes, subjectShare, namespaceShare } = limits;
    const memory = (total: number, things: string) =>
      new BodyMemory({ total, things, subjectShare, namespaceShare });
    this.#starts = memory(startsBytes, 'bytes of requests for workflows (limits.startsBytes)');
    this.#others = memory(bodiesBytes, 'bytes of request bodies (limits.bodiesBytes)');
    this.#agents = memory(bodiesBytes, 'bytes of posts of agents (limits.bodiesBytes)');
  }

  add(request: FastifyRequest, reply: FastifyReply): ComingBody {
    const body = new ComingBody(request, reply, this);
    this.#coming.add(body);
    this.#timer ??= setInterval(() => this.look(performance.now()), LOOK_MS).unref();
    return body;
  }

  forget(body: IncomingBody): void {
    this.#coming.delete(body as ComingBody);
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  memoryOf(request: FastifyRequest): BodyMemory {
    if (isOfAgents(request)) return this.#agents;
    return request.routeOptions.config.isStart === true ? this.#starts : this.#others;
  }

  /** Ends bodies that are too slow or too many. Bodies of agents are bounded by their connections. */
  look(nowMs: number): void {
    const shares = new Shares({
      ...this.#limits,
      total: LIMITS.bodiesComing,
      things: 'request bodies that may come at one time',
    });
    let count = 0;
    for (const body of this.#coming) {
      if (body.isOver) {
        this.#coming.delete(body);
        continue;
      }
      const refusal =
        body.slowness(nowMs, this.#limits.bodyBytesPerSecond) ??
        (body.isOfAgents ? null : excessOf(body.holder, shares, count));
      if (refusal !== null) {
        this.#coming.delete(body);
        body.refuse(refusal);
      } else if (!body.isOfAgents) {
        count += 1;
        shares.add(body.holder);
      }
    }
    if (this.#coming.size === 0) this.close();
  }
}

const excessOf = (holder: Holder, shares: Shares, count: number): OrchestratorError | null =>
  shares.refusal(holder) ?? (count >= LIMITS.bodiesComing ? tooManyBodies() : null);

class ComingBody implements IncomingBody {
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #bodies: Pick<IncomingBodies, 'memoryOf'>;
  readonly #sinceMs = performance.now();
  readonly #firstByte: number;
  #windowMs = this.#sinceMs;
  #windowBytes: number;
  #lease: BodyLease | null = null;
  #reader: Promise<unknown> | null = null;

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    bodies: Pick<IncomingBodies, 'memoryOf'>,
  ) {
    this.#request = request;
    this.#reply = reply;
    this.#bodies = bodies;
    this.#firstByte = request.raw.socket.bytesRead;
    this.#windowBytes = this.#firstByte;
  }

  get isOver(): boolean {
    const { raw } = this.#request;
    return raw.complete || raw.destroyed || raw.socket.destroyed;
  }

  get holder(): Holder {
    return holderOf(this.#request);
  }

  get isOfAgents(): boolean {
    return isOfAgents(this.#request);
  }

  get hasBegun(): boolean {
    return this.#lease !== null;
  }

  lease(): BodyLease {
    if (this.#lease !== null) return this.#lease;
    const memory = this.#bodies.memoryOf(this.#request);
    const lease = memory.open(this.holder, this.isOfAgents);
    const end = () => lease.end();
    whenClosed(this.#reply.raw, () =>
      this.#reader === null ? end() : this.#reader.then(end, end),
    );
    this.#lease = lease;
    return lease;
  }

  keepUntil(ended: Promise<unknown>): void {
    this.#reader = ended;
  }

  /** The refusal of a body that is too slow; null if it is not. */
  slowness(nowMs: number, bytesPerSecond: number): OrchestratorError | null {
    const { raw } = this.#request;
    const { bytesRead } = raw.socket;
    const secondsMax = this.#secondsMax(bytesRead - this.#firstByte);
    if (nowMs - this.#sinceMs > secondsMax * 1000) return tooLong(Math.floor(secondsMax));
    const windowSeconds =
      this.#kind === 'document' ? LIMITS.bodyWindowSeconds : LIMITS.fileBodyWindowSeconds;
    // Received bytes wait for the server, so the sender's speed is unknown.
    const isReadSlowly = raw.readableLength > 0;
    const isWindowOver = nowMs - this.#windowMs >= windowSeconds * 1000;
    if (!isReadSlowly && !isWindowOver) return null;
    const came = bytesRead - this.#windowBytes;
    this.#windowMs = nowMs;
    this.#windowBytes = bytesRead;
    if (isReadSlowly || came >= bytesPerSecond * windowSeconds) return null;
    return tooSlow(bytesPerSecond, windowSeconds);
  }

  /** The reader of the body gets the refusal as its error. Without a reader, the connection ends. */
  refuse(refusal: OrchestratorError): void {
    const { raw } = this.#request;
    const isAnswered = this.#reply.sent || this.#reply.raw.headersSent;
    if (this.isOfAgents || isAnswered || raw.listenerCount('error') === 0) raw.destroy();
    else raw.emit('error', refusal);
  }

  /** Timeout of the body. A form may take longer for its files; its other parts stay in memory meanwhile. */
  #secondsMax(bytes: number): number {
    const { bodySeconds, formBytesPerSecond } = LIMITS;
    if (this.#kind === 'file') return Number.POSITIVE_INFINITY;
    return this.#kind === 'form' ? bodySeconds + bytes / formBytesPerSecond : bodySeconds;
  }

  get #kind(): 'document' | 'form' | 'file' {
    const { routeOptions, headers } = this.#request;
    if (routeOptions.config.body === 'stream') return 'file';
    return /^multipart\//i.test(headers['content-type'] ?? '') ? 'form' : 'document';
  }
}

const tooSlow = (bytesPerSecond: number, seconds: number): OrchestratorError =>
  new OrchestratorError(
    'RequestTimeout',
    `The request body came too slowly: less than ${bytesPerSecond} bytes per second in ${seconds} s (limits.bodyBytesPerSecond).`,
  );

const tooLong = (seconds: number): OrchestratorError =>
  new OrchestratorError(
    'RequestTimeout',
    `The request body took longer than ${seconds} s. Send it faster, or send less at a time.`,
  );

const tooManyBodies = (): OrchestratorError =>
  new OrchestratorError(
    'ServiceUnavailable',
    `The server receives ${LIMITS.bodiesComing} request bodies, which is the limit. Try again later.`,
  );

/**
 * An answer that stays open while a run goes on, or as long as its reader wants. Writes wait for the reader, so a slow one costs
 * the memory of one piece. A reader that reads nothing is dropped like any idle connection. Silence without news is no idleness.
 */
import type { Socket } from 'node:net';
import { OrchestratorError } from '@tutti/manifests';
import type { FastifyReply } from 'fastify';
import type { EventBus } from '../../bus/bus.ts';
import { taken } from '../../http/answer-memory.ts';
import { idsInPath } from '../../http/errors.ts';
import type { Grant } from '../../http/held-request.ts';
import { holderOf } from '../../http/holder.ts';
import { portionsOf } from '../../http/portions.ts';
import { whenClosed } from '../../http/when-closed.ts';
import { LIMITS } from '../../runtime/limits.ts';
import { type Holder, type Leave, type ShareFractions, Shares } from '../../runtime/shares.ts';
import { Turns } from '../../runtime/turns.ts';
import { Changes } from './lists/changes.ts';

interface FeedLimits extends ShareFractions {
  readonly followers: number;
}

/** Wakes the followers of a run when it has new events. */
export class EventFeed {
  readonly changes: Changes;
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #followersMax: number;
  readonly #shares: Shares;
  #followers = 0;

  constructor(bus: Pick<EventBus, 'subscribeAll'>, limits: FeedLimits = LIMITS) {
    const { followers: total, subjectShare, namespaceShare } = limits;
    const things = 'answers that stay open (limits.followers)';
    this.#followersMax = total;
    this.#shares = new Shares({ total, things, subjectShare, namespaceShare });
    this.changes = new Changes(bus);
    bus.subscribeAll((event) => {
      for (const wake of this.#watchers.get(event.metadata.workflow_id) ?? []) wake();
    });
  }

  /** `topic` is the id of a run, or another topic that is woken only at the end of the server. */
  watch(topic: string, wake: () => void): () => void {
    const watchers = this.#watchers.get(topic) ?? new Set();
    this.#watchers.set(topic, watchers.add(wake));
    return () => {
      watchers.delete(wake);
      if (watchers.size === 0) this.#watchers.delete(topic);
    };
  }

  /** Counts one more open answer; call the result at its end. Throws `TooManyRequests`. */
  admit(holder: Holder): Leave {
    if (this.#followers >= this.#followersMax) throw tooMany(this.#followersMax);
    const giveBack = this.#shares.take(holder);
    this.#followers += 1;
    return () => {
      this.#followers -= 1;
      giveBack();
    };
  }

  isClosed = false;

  /** Ends all streams when the server stops; readers reconnect to the next one. */
  close(): void {
    this.isClosed = true;
    for (const watchers of this.#watchers.values()) for (const wake of watchers) wake();
  }
}

const tooMany = (limit: number): OrchestratorError =>
  new OrchestratorError(
    'TooManyRequests',
    `${limit} readers follow workflows, which is the limit. Try again later.`,
  );

interface OpenAnswerOptions {
  readonly contentType: string;
  /** Repeated while there is no news, so that proxies keep the connection. */
  readonly pulse?: string;
}

/** Proxies drop connections on which nothing comes for a minute. */
const PULSE_MS = 20_000;
/** Interval of the keep-alive probes for a silent reader. */
const PROBE_MS = 60_000;

type Raw = FastifyReply['raw'];

/**
 * Sends headers and the output of `send`; the answer ends when `send` resolves. If it resolves to `false` or rejects, the
 * connection is broken off, which readers can distinguish from an end. Throws `TooManyRequests` before anything is sent.
 */
export async function answerOpenly(
  { feed, topic }: { readonly feed: EventFeed; readonly topic: string },
  { contentType, pulse }: OpenAnswerOptions,
  reply: FastifyReply,
  send: (answer: OpenAnswer) => Promise<boolean>,
): Promise<FastifyReply> {
  const { request } = reply;
  const leave = feed.admit(holderOf(request));
  const { raw } = openReply(reply, contentType);
  const answer = new OpenAnswer(raw, feed, request.grant);
  const unwatch = feed.watch(topic, () => answer.wake());
  const beat = pulse === undefined ? null : setInterval(() => answer.say(pulse), PULSE_MS);
  try {
    const isWhole = await send(answer);
    // A reader that takes nothing would delay the server's stop.
    if (isWhole && !raw.writableNeedDrain) raw.end();
    else raw.destroy();
  } catch (error) {
    request.log.error({ err: error, ...idsInPath(request) }, 'A stream broke off.');
    raw.destroy();
  } finally {
    if (beat !== null) clearInterval(beat);
    unwatch();
    answer.close();
    leave();
  }
  return reply;
}

function openReply(reply: FastifyReply, contentType: string): { readonly raw: Raw } {
  const headers = reply.getHeaders();
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  raw.writeHead(200, {
    'content-type': contentType,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  // Node sends headers with the first bytes of the body, which may come late.
  raw.flushHeaders();
  return { raw };
}

/** Used by one writer, which does one thing after the other. */
export class OpenAnswer {
  readonly #raw: Raw;
  readonly #feed: EventFeed;
  readonly #grant: Grant;
  readonly #socket: Socket | null;
  /** The idle timeout of the connection, as the server has it. */
  readonly #idleMs: number;
  #isLeft = false;
  #hasNews = false;
  #wake: (() => void) | null = null;

  constructor(raw: Raw, feed: EventFeed, grant: Grant) {
    this.#raw = raw;
    this.#feed = feed;
    this.#grant = grant;
    this.#socket = raw.socket;
    this.#idleMs = raw.socket?.timeout ?? 0;
    this.#socket?.setKeepAlive(true, PROBE_MS);
    whenClosed(raw, () => {
      this.#isLeft = true;
      this.#wake?.();
    });
    raw.on('drain', () => this.#wake?.());
  }

  /** The reader left, or the server stops. */
  get isOver(): boolean {
    return this.#isGone || this.#feed.isClosed;
  }

  /** A connection that was broken off here closes a moment later. */
  get #isGone(): boolean {
    return this.#isLeft || this.#raw.destroyed;
  }

  wake(): void {
    this.#hasNews = true;
    this.#wake?.();
  }

  /** Sends text that may be dropped if the reader is behind. */
  say(text: string): void {
    if (!this.#isGone && !this.#raw.writableNeedDrain) this.#raw.write(text);
  }

  /** Resolves once the reader can take more, or is gone; a reader whose token ended is gone, too. Rejects after the timeout. */
  async write(piece: string | Uint8Array): Promise<void> {
    if (!this.#isGone) await this.#grant.check().catch(() => this.#raw.destroy());
    const turns = new Turns();
    for (const portion of portionsOf(piece)) {
      if (this.#isGone) return;
      if (!this.#raw.write(portion)) {
        await Promise.race([
          taken(this.#raw, portion.length),
          this.#until(() => !this.#raw.writableNeedDrain),
        ]);
      }
      if (turns.isOver) await turns.next();
    }
  }

  /** Resolves once there is news since the last call, or the answer is over. */
  async news(): Promise<void> {
    this.#socket?.setTimeout(0);
    await this.#until(() => this.#hasNews);
    this.#hasNews = false;
    this.#socket?.setTimeout(this.#idleMs);
  }

  /** Restores the connection for its next request. */
  close(): void {
    this.#socket?.setTimeout(this.#idleMs);
  }

  async #until(isReached: () => boolean): Promise<void> {
    while (!this.isOver && !isReached()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#wake = null;
  }
}

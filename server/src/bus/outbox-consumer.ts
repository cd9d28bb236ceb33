/**
 * Works through the outbox of one subscription. Entries of one lane are attempted one after the other, in order and each until it is done;
 * lanes go on beside each other. A consumer only ever acts when it was woken, and holds a bounded window of entries.
 *
 * Rows enter the window in the order of their positions, each once. They come from the commit while the store has no others, else from the
 * store. A row in the window is waiting, running (its lane is taken), delayed (its lane is taken until the next attempt) or done. A done
 * row leaves the window, and counts until the store confirms its removal.
 */
import type { SubscriptionId } from '@tutti/manifests';
import type { Logger } from '../runtime/logger.ts';
import type { OutboxEntry, Store } from '../store/store.ts';
import type { Acknowledger } from './acknowledger.ts';
import type { Timers } from './timers.ts';

export type AttemptOutcome =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'retry'; readonly afterMs: number };

/** An entry made ready once, however often it is attempted. */
export interface Delivery {
  /** Entries of one lane are delivered in order. */
  readonly lane: string;
  /** `attempt` counts from 1. A rejection counts as a bug: it is logged and the entry is attempted again later. */
  attempt(signal: AbortSignal, attempt: number): Promise<AttemptOutcome>;
}

export interface ConsumerOptions {
  readonly subscriptionId: SubscriptionId;
  readonly concurrency: number;
  readonly window: number;
  /** Entries that are done and still stored: no more are begun meanwhile, as a crash would bring them again. */
  readonly unremoved: number;
  /** Delay after a failure of the store, or a bug. */
  readonly retryDelayMs: number;
  /** Bodies of the window, in bytes; a longer one is there alone. Any if absent. */
  readonly windowBytes?: number;
  /** Longer bodies are left out of the entries; if absent none are. */
  readonly bodyBytesMax?: number;
  prepare(entry: OutboxEntry): Delivery;
}

export interface ConsumerDeps {
  readonly store: Store;
  readonly acknowledger: Acknowledger;
  readonly timers: Timers;
  readonly logger: Logger;
}

interface WindowEntry {
  readonly position: number;
  readonly bytes: number;
  readonly delivery: Delivery;
  attempts: number;
}

export class OutboxConsumer {
  readonly #deps: ConsumerDeps;
  readonly #options: ConsumerOptions;
  readonly #abort = new AbortController();
  readonly #window = new Map<number, WindowEntry>();
  #windowBytes = 0;
  readonly #takenLanes = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #delays = new Set<() => void>();
  /** Position of the last entry that came into the window. */
  #lastPosition = 0;
  #unremoved = 0;
  /** True when the outbox may hold entries beyond that one. */
  #hasMore = true;
  #reading: Promise<void> | null = null;
  #stopped = false;

  constructor(deps: ConsumerDeps, options: ConsumerOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Says that the outbox has new entries. */
  wake(): void {
    this.#hasMore = true;
    this.#pump();
  }

  /** Hands over an entry that was stored just now; all that are stored are handed over, in their order. */
  offer(entry: OutboxEntry): void {
    const hasRoom = this.#hasRoom(1) && this.#fits(entry.bytes);
    if (this.#hasMore || this.#reading !== null || !hasRoom) this.#hasMore = true;
    else this.#admit(entry);
    this.#pump();
  }

  /** Lets what runs end for `graceMs`, then aborts it; resolves when nothing runs. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    for (const cancel of this.#delays) cancel();
    this.#delays.clear();
    if (graceMs === 0) this.#abort.abort();
    const cancel = this.#deps.timers.after(graceMs, () => this.#abort.abort());
    await Promise.all([...this.#running, this.#reading]);
    cancel();
  }

  #pump(): void {
    if (this.#stopped) return;
    for (const entry of this.#window.values()) {
      if (this.#running.size >= this.#options.concurrency) break;
      if (!this.#takenLanes.has(entry.delivery.lane)) this.#start(entry);
    }
    // Half of a window at a time: one by one, each entry would be a read.
    const canRead = this.#hasRoom(this.#options.window / 2) && this.#fits(this.#bytesMax / 2);
    if (this.#hasMore && this.#reading === null && canRead) this.#reading = this.#read();
  }

  #hasRoom(count: number): boolean {
    const { window, unremoved } = this.#options;
    return this.#window.size + count <= window && this.#unremoved < unremoved;
  }

  get #bytesMax(): number {
    return this.#options.windowBytes ?? Number.MAX_SAFE_INTEGER;
  }

  #fits(bytes: number): boolean {
    return this.#window.size === 0 || this.#windowBytes + bytes <= this.#bytesMax;
  }

  async #read(): Promise<void> {
    const { subscriptionId, window, bodyBytesMax } = this.#options;
    const count = window - this.#window.size;
    const after = this.#lastPosition;
    this.#hasMore = false;
    try {
      const { store } = this.#deps;
      const bytesMax = this.#bytesMax - this.#windowBytes;
      const entries = await store.outbox(subscriptionId, count, after, { bodyBytesMax, bytesMax });
      this.#hasMore ||= entries.length === count || bytesOf(entries) >= bytesMax;
      for (const entry of entries) this.#admit(entry);
    } catch (error) {
      this.#hasMore = true;
      if (!this.#stopped) {
        this.#deps.logger.error({ err: error, subscriptionId }, 'The outbox could not be read.');
        this.#later(this.#options.retryDelayMs, () => this.#resumeReading());
      }
      return;
    }
    this.#resumeReading();
  }

  #resumeReading(): void {
    this.#reading = null;
    this.#pump();
  }

  /** Skips an entry that was read already: the store lets it be read before it is offered. */
  #admit(entry: OutboxEntry): void {
    const { position, bytes } = entry;
    if (position <= this.#lastPosition) return;
    const delivery = this.#options.prepare(entry);
    this.#window.set(position, { position, bytes, delivery, attempts: 0 });
    this.#windowBytes += bytes;
    this.#lastPosition = position;
  }

  #start(entry: WindowEntry): void {
    this.#takenLanes.add(entry.delivery.lane);
    const run = this.#attempt(entry).then((result) => {
      this.#running.delete(run);
      this.#settle(entry, result);
    });
    this.#running.add(run);
  }

  async #attempt(entry: WindowEntry): Promise<AttemptOutcome> {
    entry.attempts += 1;
    try {
      return await entry.delivery.attempt(this.#abort.signal, entry.attempts);
    } catch (error) {
      if (!this.#abort.signal.aborted) {
        const { subscriptionId } = this.#options;
        this.#deps.logger.error({ err: error, subscriptionId }, 'A delivery failed unexpectedly.');
      }
      return { outcome: 'retry', afterMs: this.#options.retryDelayMs };
    }
  }

  #settle(entry: WindowEntry, result: AttemptOutcome): void {
    const { lane } = entry.delivery;
    if (result.outcome === 'retry') {
      this.#later(result.afterMs, () => {
        this.#takenLanes.delete(lane);
        this.#pump();
      });
      return;
    }
    this.#window.delete(entry.position);
    this.#windowBytes -= entry.bytes;
    this.#takenLanes.delete(lane);
    this.#unremoved += 1;
    this.#deps.acknowledger.acknowledge(entry.position, () => {
      this.#unremoved -= 1;
      this.#pump();
    });
    this.#pump();
  }

  #later(delayMs: number, callback: () => void): void {
    if (this.#stopped) return;
    const cancel = this.#deps.timers.after(delayMs, () => {
      this.#delays.delete(cancel);
      callback();
    });
    this.#delays.add(cancel);
  }
}

const bytesOf = (entries: readonly OutboxEntry[]): number =>
  entries.reduce((sum, { bytes }) => sum + bytes, 0);

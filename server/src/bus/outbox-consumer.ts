/**
 * Works through the outbox of one subscription. Entries of one lane are attempted in order, one or some at a time, until they are done.
 * Lanes go on beside each other. A consumer only ever acts when it was woken, and holds a bounded window of entries.
 *
 * Each row enters the window once. Rows come from the commit while the store has no others. Else they are the oldest of the store that the
 * consumer does not have. Positions of several writers become visible in any order, so no position says which rows came before. A row in
 * the window is waiting, running, delayed or done. A running row has its lane, a delayed one until the next attempt. A done row leaves the
 * window, and counts until the store confirms its removal.
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
}

/** At least one, all of one lane. */
export type Some<Item> = readonly [Item, ...Item[]];

export interface Attempt {
  readonly signal: AbortSignal;
  /** Attempts at the first of the deliveries, from 1. */
  readonly number: number;
}

export interface ConsumerOptions<Item extends Delivery> {
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
  /** The number of deliveries, of those that wait in a lane, for one attempt: at least one. One if absent. */
  readonly together?: (waiting: Some<Item>) => number;
  prepare(entry: OutboxEntry): Item;
  /** The outcome is that of all deliveries. A rejection counts as a bug: it is logged, and they are attempted again later. */
  attempt(deliveries: Some<Item>, attempt: Attempt): Promise<AttemptOutcome>;
}

export interface ConsumerDeps {
  readonly store: Store;
  readonly acknowledger: Acknowledger;
  readonly timers: Timers;
  readonly logger: Logger;
}

interface WindowEntry<Item> {
  readonly position: number;
  readonly bytes: number;
  readonly delivery: Item;
  attempts: number;
}

export class OutboxConsumer<Item extends Delivery> {
  readonly #deps: ConsumerDeps;
  readonly #options: ConsumerOptions<Item>;
  readonly #abort = new AbortController();
  readonly #window = new Map<number, WindowEntry<Item>>();
  #windowBytes = 0;
  readonly #takenLanes = new Set<string>();
  readonly #running = new Set<Promise<void>>();
  readonly #delays = new Set<() => void>();
  /** Positions of entries that are done and still stored. */
  readonly #unremoved = new Set<number>();
  /** True when the outbox may hold entries that the consumer does not have. */
  #hasMore = true;
  #hasRead = false;
  #reading: Promise<void> | null = null;
  #stopped = false;

  constructor(deps: ConsumerDeps, options: ConsumerOptions<Item>) {
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
    return this.#window.size + count <= window && this.#unremoved.size < unremoved;
  }

  get #bytesMax(): number {
    return this.#options.windowBytes ?? Number.MAX_SAFE_INTEGER;
  }

  #fits(bytes: number): boolean {
    return this.#window.size === 0 || this.#windowBytes + bytes <= this.#bytesMax;
  }

  async #read(): Promise<void> {
    const { subscriptionId, window, bodyBytesMax } = this.#options;
    // The consumer before this one may have delivered entries that are still being removed.
    const { writing } = this.#deps.acknowledger;
    if (!this.#hasRead && writing !== null) await writing;
    this.#hasRead = true;
    const count = window - this.#window.size;
    this.#hasMore = false;
    try {
      const { store } = this.#deps;
      const bytesMax = this.#bytesMax - this.#windowBytes;
      const except = [...this.#unremoved, ...this.#window.keys()];
      const bounds = { except, bodyBytesMax, bytesMax };
      const entries = await store.outbox(subscriptionId, count, bounds);
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

  /** Skips an entry that the consumer has: the store lets it be read before it is offered. */
  #admit(entry: OutboxEntry): void {
    const { position, bytes } = entry;
    if (this.#window.has(position) || this.#unremoved.has(position)) return;
    const delivery = this.#options.prepare(entry);
    this.#window.set(position, { position, bytes, delivery, attempts: 0 });
    this.#windowBytes += bytes;
  }

  #start(first: WindowEntry<Item>): void {
    const { lane } = first.delivery;
    this.#takenLanes.add(lane);
    const entries = this.#together(first);
    const run = this.#attempt(entries).then((result) => {
      this.#running.delete(run);
      this.#settle(lane, entries, result);
    });
    this.#running.add(run);
  }

  #together(first: WindowEntry<Item>): Some<WindowEntry<Item>> {
    const { together } = this.#options;
    if (together === undefined) return [first];
    const isFollower = ({ position, delivery }: WindowEntry<Item>) =>
      position > first.position && delivery.lane === first.delivery.lane;
    const followers = [...this.#window.values()].filter(isFollower);
    const count = together(deliveriesOf([first, ...followers]));
    return [first, ...followers.slice(0, count - 1)];
  }

  async #attempt(entries: Some<WindowEntry<Item>>): Promise<AttemptOutcome> {
    const [first] = entries;
    first.attempts += 1;
    const attempt = { signal: this.#abort.signal, number: first.attempts };
    try {
      return await this.#options.attempt(deliveriesOf(entries), attempt);
    } catch (error) {
      if (!this.#abort.signal.aborted) {
        const { subscriptionId } = this.#options;
        this.#deps.logger.error({ err: error, subscriptionId }, 'A delivery failed unexpectedly.');
      }
      return { outcome: 'retry', afterMs: this.#options.retryDelayMs };
    }
  }

  #settle(lane: string, entries: Some<WindowEntry<Item>>, result: AttemptOutcome): void {
    if (result.outcome === 'retry') {
      this.#later(result.afterMs, () => {
        this.#takenLanes.delete(lane);
        this.#pump();
      });
      return;
    }
    this.#takenLanes.delete(lane);
    for (const entry of entries) this.#done(entry);
    this.#pump();
  }

  #done({ position, bytes }: WindowEntry<Item>): void {
    this.#window.delete(position);
    this.#windowBytes -= bytes;
    this.#unremoved.add(position);
    this.#deps.acknowledger.acknowledge(position, () => {
      this.#unremoved.delete(position);
      this.#pump();
    });
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

const deliveriesOf = <Item>([first, ...others]: Some<WindowEntry<Item>>): Some<Item> => [
  first.delivery,
  ...others.map(({ delivery }) => delivery),
];

const bytesOf = (entries: readonly OutboxEntry[]): number =>
  entries.reduce((sum, { bytes }) => sum + bytes, 0);

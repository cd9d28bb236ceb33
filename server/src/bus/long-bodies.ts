/**
 * Long bodies of publications that are being sent. They are read when their turn comes. One copy serves all inboxes that get it at that
 * time. The sum of all copies is bounded.
 */
import type { Store } from '../store/store.ts';
import { createSlots, type Slots } from './slots.ts';

export interface HeldBody {
  readonly content: Uint8Array;
  /** Must be called once, when the body was sent. */
  release(): void;
}

type BodyStore = Pick<Store, 'outboxBody' | 'outboxBytes'>;

export class LongBodies {
  readonly #store: BodyStore;
  readonly #bytes: Slots;
  readonly #copies = new Map<string, Copy>();

  constructor(store: BodyStore, bytesMax: number) {
    this.#store = store;
    this.#bytes = createSlots(bytesMax);
  }

  /** Waits until there is room. Null when the entry was removed. */
  async take(position: number, signal: AbortSignal): Promise<HeldBody | null> {
    const about = await this.#store.outboxBody(position);
    if (about === null) return null;
    const { key, bytes } = about;
    const read = () => this.#store.outboxBytes(position);
    const copy = this.#copies.get(key) ?? new Copy(this.#bytes, bytes, read);
    this.#copies.set(key, copy);
    copy.users += 1;
    const release = () => this.#release(key, copy);
    try {
      const content = await untilAborted(copy.content, signal);
      if (content !== null) return { content, release };
    } catch (error) {
      release();
      throw error;
    }
    release();
    return null;
  }

  #release(key: string, copy: Copy): void {
    copy.users -= 1;
    if (copy.users > 0) return;
    this.#copies.delete(key);
    copy.drop();
  }
}

/** Begins to wait for room when it is made. */
class Copy {
  readonly content: Promise<Uint8Array | null>;
  readonly #abort = new AbortController();
  #giveBack: () => void = () => undefined;
  users = 0;

  constructor(room: Slots, bytes: number, read: () => Promise<Uint8Array | null>) {
    this.content = this.#fill(room, bytes, read);
    // Rejects for its users, if there are any.
    this.content.catch(() => undefined);
  }

  drop(): void {
    this.#abort.abort();
    this.#giveBack();
  }

  async #fill(
    room: Slots,
    bytes: number,
    read: () => Promise<Uint8Array | null>,
  ): Promise<Uint8Array | null> {
    const { signal } = this.#abort;
    const giveBack = await room.take(signal, bytes);
    if (signal.aborted) {
      giveBack();
      return null;
    }
    this.#giveBack = giveBack;
    return await read();
  }
}

function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason);
    signal.addEventListener('abort', aborted, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}

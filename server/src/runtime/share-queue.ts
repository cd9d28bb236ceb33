/**
 * Queues items for a few places. Each share has a queue of its own. The queues take turns, so a share with many items delays only itself.
 */
import { OrchestratorError } from '@tutti/manifests';
import { Counts } from './counts.ts';

export interface ShareBounds {
  /** Concurrent tasks of one share. */
  readonly ofShare: number;
  /** Waiting tasks of one share. */
  readonly waitingOfShare: number;
  /** Tasks of all shares that wait: their number, and their bytes. */
  readonly waiting: number;
  readonly waitingBytes: number;
}

export interface Shared {
  /** The share that it counts for. */
  readonly share: string;
  /** Names the document in messages: `The workflow`. */
  readonly what: string;
  readonly bytes: number;
}

export class ShareQueue<Item extends Shared> {
  readonly #bounds: ShareBounds;
  /** In the order of turns: a share that had its turn moves to the end. */
  readonly #waiting = new Map<string, Item[]>();
  readonly #underWay = new Counts();
  #count = 0;
  #bytes = 0;

  constructor(bounds: ShareBounds) {
    this.#bounds = bounds;
  }

  /** Throws `TooManyRequests` when too much of the share waits, `ServiceUnavailable` when too much waits of all. */
  add(item: Item): void {
    const { share, what, bytes } = item;
    const { waiting, waitingOfShare, waitingBytes } = this.#bounds;
    const ofShare = this.#waiting.get(share) ?? [];
    if (ofShare.length >= waitingOfShare) {
      const message = `${what} cannot be read now: ${waitingOfShare} documents of the same sender wait already. Try again later.`;
      throw new OrchestratorError('TooManyRequests', message);
    }
    const isTooMuch = this.#count > 0 && this.#bytes + bytes > waitingBytes;
    if (this.#count >= waiting || isTooMuch) {
      const message = `${what} cannot be read now: too many other documents wait. Try again later.`;
      throw new OrchestratorError('ServiceUnavailable', message);
    }
    this.#waiting.set(share, [...ofShare, item]);
    this.#count += 1;
    this.#bytes += bytes;
  }

  /** The next item; null if there is none. The caller reports its end with `ended`. */
  next(): Item | null {
    for (const [share, [item, ...rest]] of this.#waiting) {
      if (item === undefined || this.#underWay.of(share) >= this.#bounds.ofShare) continue;
      this.#waiting.delete(share);
      if (rest.length > 0) this.#waiting.set(share, rest);
      this.#underWay.add(share, 1);
      this.#count -= 1;
      this.#bytes -= item.bytes;
      return item;
    }
    return null;
  }

  ended({ share }: Item): void {
    this.#underWay.add(share, -1);
  }
}

/** What waits for one reader of publications: bounded, so that a slow one costs no more than this; what it misses is counted. */
import { LIMITS } from '../../runtime/limits.ts';

export type PublicationNews =
  | { readonly type: 'publication'; readonly json: string }
  /** So many were left out here. */
  | { readonly type: 'missed'; readonly count: number };

export class WaitingPublications {
  readonly #waiting: string[] = [];
  readonly #lengthMax: number;
  #length = 0;
  #missed = 0;

  constructor(lengthMax: number = LIMITS.waitingPublicationsLength) {
    this.#lengthMax = lengthMax;
  }

  /** One alone may be of any size: the bus takes no larger ones than it can hold. */
  add(json: string): void {
    const isFull = this.#waiting.length > 0 && this.#length + json.length > this.#lengthMax;
    // Once something is left out, so is what comes behind it, until the reader has caught up: it is told where.
    if (isFull || this.#missed > 0) {
      this.#missed += 1;
      return;
    }
    this.#waiting.push(json);
    this.#length += json.length;
  }

  /** Null when there is nothing new. */
  next(): PublicationNews | null {
    const json = this.#waiting.shift();
    if (json !== undefined) {
      this.#length -= json.length;
      return { type: 'publication', json };
    }
    const count = this.#missed;
    this.#missed = 0;
    return count === 0 ? null : { type: 'missed', count };
  }
}

/** Publications that wait for readers. Their bytes are bounded; publications that a slow reader misses are counted. */
import { LIMITS } from '../../runtime/limits.ts';

export type PublicationNews =
  | { readonly type: 'publication'; readonly json: string }
  /** Number of publications dropped here. */
  | { readonly type: 'missed'; readonly count: number };

/** Limit for all readers together, in bytes. */
export interface WaitingTotal {
  readonly bytesMax: number;
  bytes: number;
}

/** Bytes of a character beyond Latin. */
const BYTES_PER_CHARACTER = 2;

export class WaitingPublications {
  readonly #waiting: string[] = [];
  readonly #lengthMax: number;
  readonly #total: WaitingTotal;
  #length = 0;
  /** Size of the last taken one, which is under way until the reader asks for the next. */
  #sending = 0;
  #missed = 0;

  constructor(
    lengthMax: number = LIMITS.waitingPublicationsLength,
    total: WaitingTotal = { bytesMax: Number.POSITIVE_INFINITY, bytes: 0 },
  ) {
    this.#lengthMax = lengthMax;
    this.#total = total;
  }

  /** A single one may have any size, if there is room: the bus accepts only publications that it can hold. */
  add(json: string): void {
    const isFull = this.#waiting.length > 0 && this.#length + json.length > this.#lengthMax;
    // After one dropped publication, all are dropped until the reader has caught up and got the number.
    if (isFull || this.#missed > 0 || !this.#isRoom(json.length)) {
      this.#missed += 1;
      return;
    }
    this.#waiting.push(json);
    this.#length += json.length;
    this.#count(json.length);
  }

  /** Null when there is nothing new. */
  next(): PublicationNews | null {
    this.#count(-this.#sending);
    this.#sending = 0;
    const json = this.#waiting.shift();
    if (json !== undefined) {
      this.#length -= json.length;
      this.#sending = json.length;
      return { type: 'publication', json };
    }
    const count = this.#missed;
    this.#missed = 0;
    return count === 0 ? null : { type: 'missed', count };
  }

  /** The reader left; nothing may be added any more. */
  close(): void {
    this.#count(-this.#length - this.#sending);
    this.#waiting.length = 0;
    this.#length = 0;
    this.#sending = 0;
  }

  #isRoom(length: number): boolean {
    const { bytes, bytesMax } = this.#total;
    return bytes === 0 || bytes + BYTES_PER_CHARACTER * length <= bytesMax;
  }

  #count(length: number): void {
    this.#total.bytes += BYTES_PER_CHARACTER * length;
  }
}

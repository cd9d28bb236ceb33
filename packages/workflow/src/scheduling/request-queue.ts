/** The requests of one class in the order they are served. */
import type { PoolRequest } from './pool-types.ts';

export interface Queued {
  readonly request: PoolRequest;
  /** Place of the request in the heap; kept by the queue, so that any request can leave without a search. */
  position: number;
}

/** Negative when `left` is served first. */
export function compareRequests(left: PoolRequest, right: PoolRequest): number {
  return left.order - right.order;
}

/** A binary heap; every operation touches a number of entries logarithmic in the length. */
export class RequestQueue<Entry extends Queued> {
  readonly #heap: Entry[] = [];

  get size(): number {
    return this.#heap.length;
  }

  first(): Entry | null {
    return this.#heap[0] ?? null;
  }

  /** The `count` entries that are served first, in order; the length of the queue does not matter. */
  firstOnes(count: number): Entry[] {
    const ones: Entry[] = [];
    const next = this.#heap.slice(0, 1);
    while (ones.length < count) {
      const entry = next
        .sort((left, right) => compareRequests(left.request, right.request))
        .shift();
      if (entry === undefined) break;
      ones.push(entry);
      next.push(...this.#heap.slice(2 * entry.position + 1, 2 * entry.position + 3));
    }
    return ones;
  }

  add(entry: Entry): void {
    this.#put(entry, this.#heap.length);
    this.#rise(entry);
  }

  remove(entry: Entry): void {
    const position = entry.position;
    const last = this.#heap.pop();
    if (last === undefined || last === entry) return;
    this.#put(last, position);
    this.#rise(last);
    this.#sink(last);
  }

  #put(entry: Entry, position: number): void {
    this.#heap[position] = entry;
    entry.position = position;
  }

  #rise(entry: Entry): void {
    while (entry.position > 0) {
      const parent = this.#heap[(entry.position - 1) >> 1];
      if (parent === undefined || compareRequests(parent.request, entry.request) <= 0) return;
      this.#swap(entry, parent);
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const child = this.#firstChild(entry.position);
      if (child === null || compareRequests(entry.request, child.request) <= 0) return;
      this.#swap(child, entry);
    }
  }

  #firstChild(position: number): Entry | null {
    const left = this.#heap[2 * position + 1];
    const right = this.#heap[2 * position + 2];
    if (left === undefined || right === undefined) return left ?? null;
    return compareRequests(left.request, right.request) <= 0 ? left : right;
  }

  #swap(upper: Entry, lower: Entry): void {
    const position = upper.position;
    this.#put(upper, lower.position);
    this.#put(lower, position);
  }
}

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

/** Adds an item to a sorted list, behind its equals. */
export function insertSorted<Item>(
  list: Item[],
  item: Item,
  compare: (left: Item, right: Item) => number,
): void {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const isBefore = compare(list[middle] ?? item, item) <= 0;
    [from, to] = isBefore ? [middle + 1, to] : [from, middle];
  }
  list.splice(from, 0, item);
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
    if (count <= 0) return ones;
    for (const entry of this.inOrder()) if (ones.push(entry) >= count) break;
    return ones;
  }

  /** Entries as they are served. The queue must not change meanwhile. */
  *inOrder(): Generator<Entry> {
    const next = this.#heap.slice(0, 1);
    const byOrder = (left: Entry, right: Entry) => compareRequests(left.request, right.request);
    for (let entry = next.shift(); entry !== undefined; entry = next.shift()) {
      yield entry;
      const children = this.#heap.slice(2 * entry.position + 1, 2 * entry.position + 3);
      for (const child of children) insertSorted(next, child, byOrder);
    }
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

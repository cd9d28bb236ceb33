/** A small source of chance: the same seed gives the same numbers, on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.#next() < probability * 2 ** 32;
  }

  /** A whole number from 0 up to, but not including, `end`; 0 when there is none. */
  below(end: number): number {
    return Math.floor((this.#next() / 2 ** 32) * end);
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }

  /** Takes any item out of the list; undefined when it is empty. */
  take<T>(items: T[]): T | undefined {
    return items.splice(this.below(items.length), 1)[0];
  }

  /** Steps of a constant that is coprime to 2^32 reach every state; the mixing makes neighbours, and seeds, unlike. */
  #next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 16), 0x7feb352d);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  }
}

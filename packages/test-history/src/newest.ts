/** The newest numbers of a row of any length. */
export class Newest {
  readonly #values: Uint8Array | Uint16Array;
  #count = 0;

  /** Keeps as many as the array has places. */
  constructor(values: Uint8Array | Uint16Array, before: readonly number[] = []) {
    this.#values = values;
    for (const value of before) this.add(value);
  }

  add(value: number): void {
    this.#values[this.#count++ % this.#values.length] = value;
  }

  /** The oldest first. */
  get values(): readonly number[] {
    const size = this.#values.length;
    const found: number[] = [];
    for (let at = Math.max(0, this.#count - size); at < this.#count; at++) {
      found.push(this.#values[at % size] ?? 0);
    }
    return found;
  }
}

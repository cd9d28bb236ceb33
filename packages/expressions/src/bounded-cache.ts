/** Keeps the values made last; when full, the one not asked for longest goes. */
export class BoundedCache<Value> {
  readonly #sizeMax: number;
  /** Values in the order of use, the least recently used first. */
  readonly #values = new Map<string, Value>();

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#values.size;
  }

  /** The value kept for the key, or a new one; what `make` throws is not kept. */
  get(key: string, make: (key: string) => Value): Value {
    const kept = this.#values.get(key);
    const value = kept === undefined ? make(key) : kept;
    this.#values.delete(key);
    this.#values.set(key, value);
    this.#dropOldest();
    return value;
  }

  #dropOldest(): void {
    if (this.#values.size <= this.#sizeMax) return;
    const [oldest] = this.#values.keys();
    if (oldest !== undefined) this.#values.delete(oldest);
  }
}

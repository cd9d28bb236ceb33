/** The order in which namespaces last got a channel. */

/** Namespaces that are remembered, a number each. A namespace that was served before all of these counts as never served. */
const NAMESPACES_MAX = 10_000;

export class ServedNamespaces {
  /** The namespace served least recently comes first. */
  readonly #turns = new Map<string, number>();
  #turn = 0;

  add(namespace: string): void {
    this.#turn += 1;
    this.#turns.delete(namespace);
    this.#turns.set(namespace, this.#turn);
    const [oldest] = this.#turns.keys();
    if (oldest !== undefined && this.#turns.size > NAMESPACES_MAX) this.#turns.delete(oldest);
  }

  /** The turn in which the namespace was served last; 0 if it was not. */
  lastOf(namespace: string): number {
    return this.#turns.get(namespace) ?? 0;
  }
}

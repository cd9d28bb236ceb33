/** Amounts by name. A name with nothing left is forgotten. So names that clients invent do not stay in memory. */
export class Counts {
  readonly #amounts = new Map<string, number>();

  of(name: string): number {
    return this.#amounts.get(name) ?? 0;
  }

  /** A negative amount is taken away. Answers what is left. */
  add(name: string, amount: number): number {
    const after = this.of(name) + amount;
    if (after > 0) this.#amounts.set(name, after);
    else this.#amounts.delete(name);
    return after;
  }
}

/** Amounts by name. A name that nothing is left of is forgotten, so that names which others make up do not stay in memory. */
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

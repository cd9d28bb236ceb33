/** Where a document was read although something is wrong there: nobody knows what its author meant, so no rule is held against it. */
import type { DocumentPath, ProblemPlace } from './problem.ts';

export class UnsurePlaces {
  /** Paths, as JSON. */
  readonly #values = new Set<string>();
  readonly #maps = new Set<string>();

  /** The value and all that is in it. */
  addValue(path: DocumentPath): void {
    this.#values.add(JSON.stringify(path));
  }

  /** Which keys the map has together; each of its entries is what its author wrote. */
  addMap(path: DocumentPath): void {
    this.#maps.add(JSON.stringify(path));
  }

  includes({ path, key }: ProblemPlace): boolean {
    if (key === undefined && this.#maps.has(JSON.stringify(path))) return true;
    const whole = key === undefined ? path : [...path, key];
    return [...Array(whole.length + 1).keys()].some((length) =>
      this.#values.has(JSON.stringify(whole.slice(0, length))),
    );
  }
}

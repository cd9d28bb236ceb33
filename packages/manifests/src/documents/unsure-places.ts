/** Places where a mended document may differ from its author's intention. Problems there are not reported. */
import type { DocumentPath, ProblemPlace } from './problem.ts';

export class UnsurePlaces {
  /** Paths, as JSON texts. */
  readonly #values = new Set<string>();
  readonly #maps = new Set<string>();

  /** Adds a value with everything in it. */
  addValue(path: DocumentPath): void {
    this.#values.add(JSON.stringify(path));
  }

  /** Adds the set of a map's keys. Each of its entries is as the author wrote it. */
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

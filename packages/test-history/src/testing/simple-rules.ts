/** Simpler rules for flaky tests, as other tools document them. */

const WINDOW = 50;
const RATE = 0.05;
const CHANGES = 4;

export class SimpleRules {
  /** Per test: the version, with bits for failed and passed, of all executions and of those without mass failures. */
  readonly #versions: Int32Array;
  readonly #seen: Uint8Array;
  readonly #contradicted: Uint8Array;
  readonly #window: Uint8Array;
  readonly #counts: Uint32Array;

  constructor(tests: number) {
    this.#versions = new Int32Array(tests);
    this.#seen = new Uint8Array(tests);
    this.#contradicted = new Uint8Array(tests);
    this.#window = new Uint8Array(tests * WINDOW);
    this.#counts = new Uint32Array(tests);
  }

  add(execution: { test: number; version: number; isFailed: boolean; isMass: boolean }): void {
    const { test, version, isFailed, isMass } = execution;
    if (this.#versions[test] !== version) this.#seen[test] = 0;
    this.#versions[test] = version;
    // The upper two bits are those of executions without mass failures.
    const bit = isFailed ? 1 : 2;
    const seen = (this.#seen[test] ?? 0) | bit | (isMass ? 0 : 4 * bit);
    this.#seen[test] = seen;
    if ((seen & 3) === 3) this.#contradicted[test] = (this.#contradicted[test] ?? 0) | 1;
    if (seen >> 2 === 3) this.#contradicted[test] = (this.#contradicted[test] ?? 0) | 2;
    const count = this.#counts[test] ?? 0;
    this.#window[test * WINDOW + (count % WINDOW)] = isFailed ? 1 : 0;
    this.#counts[test] = count + 1;
  }

  /** It failed and passed on one version, at any time. */
  isContradicted(test: number): boolean {
    return ((this.#contradicted[test] ?? 0) & 1) !== 0;
  }

  /** The same without mass failures. */
  isContradictedAlone(test: number): boolean {
    return ((this.#contradicted[test] ?? 0) & 2) !== 0;
  }

  failsOften(test: number): boolean {
    const window = this.#windowOf(test);
    return window.filter((failed) => failed === 1).length >= RATE * window.length;
  }

  changesOften(test: number): boolean {
    const window = this.#windowOf(test);
    return window.filter((failed, at) => at > 0 && failed !== window[at - 1]).length >= CHANGES;
  }

  /** The oldest first. */
  #windowOf(test: number): readonly number[] {
    const count = this.#counts[test] ?? 0;
    return Array.from({ length: Math.min(count, WINDOW) }, (_, at) => {
      const index = Math.max(count - WINDOW, 0) + at;
      return this.#window[test * WINDOW + (index % WINDOW)] ?? 0;
    });
  }
}

/**
 * Removes the rows of forgotten runs, and merges the indexes of runs that are over. A bounded portion at a time, so appends pass in between. One at a time: a caller that asks while
 * it works waits for the same work. Stopped, it ends after the portion that is under way; the rest goes after a restart.
 */
export class Purger {
  readonly #purgeSome: () => Promise<boolean>;
  #working: Promise<void> | null = null;
  #isAskedAgain = false;
  #isStopped = false;

  /** `purgeSome` does one portion and answers whether there is more. */
  constructor(purgeSome: () => Promise<boolean>) {
    this.#purgeSome = purgeSome;
  }

  /** Resolves when nothing is left to do, or when stopped. */
  run(): Promise<void> {
    this.#isAskedAgain = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
    return this.#working;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #work(): Promise<void> {
    let hasMore = true;
    while ((hasMore || this.#isAskedAgain) && !this.#isStopped) {
      this.#isAskedAgain = false;
      hasMore = await this.#purgeSome();
    }
  }
}

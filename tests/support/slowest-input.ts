/** Finds the slowest input of a fuzzer, by processor time. */

/** Shown length of an input, in characters. */
const SHOWN_LENGTH = 300;

export class SlowestInput {
  readonly #seed: number;
  #ms = -1;
  #input = '';

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Measures this thread. */
  measure<T>(input: string, work: () => T): T {
    const before = process.threadCpuUsage();
    const result = work();
    const { user, system } = process.threadCpuUsage();
    this.#note(input, (user + system - before.user - before.system) / 1000);
    return result;
  }

  /** Measures another process, by its `processorMs`. */
  async measureOther<T>(
    input: string,
    processorMs: () => number,
    work: () => Promise<T>,
  ): Promise<T> {
    const before = processorMs();
    const result = await work();
    this.#note(input, processorMs() - before);
    return result;
  }

  /** Writes it to the output of the tests. */
  report(): void {
    const shown = JSON.stringify(this.#input.slice(0, SHOWN_LENGTH));
    process.stdout.write(
      `Slowest input: ${this.#ms.toFixed(1)} ms of a processor, seed ${this.#seed}: ${shown}\n`,
    );
  }

  #note(input: string, ms: number): void {
    if (ms <= this.#ms) return;
    this.#ms = ms;
    this.#input = input;
  }
}

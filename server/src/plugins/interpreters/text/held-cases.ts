/** Holds test cases that wait for later parts of the report, in bounded memory. */
import type { FoundCase, ReportSink } from '../format-reader.ts';

export const HELD_LIMITS = {
  cases: 20_000,
  /** Limit for all their texts, in characters. */
  length: 8 * 1024 * 1024,
} as const;

interface HeldCase {
  readonly found: FoundCase;
  readonly key: string;
}

export class HeldCases {
  readonly #sink: ReportSink;
  readonly #complete: (found: FoundCase, key: string) => FoundCase;
  #held: HeldCase[] = [];
  #length = 0;
  #isOverflown = false;

  /** `complete` adds the facts known by then; `key` comes from `add`. */
  constructor(sink: ReportSink, complete: (found: FoundCase, key: string) => FoundCase) {
    this.#sink = sink;
    this.#complete = complete;
  }

  /** Without room, all cases go out with known facts, until the next release. */
  add(found: FoundCase, key: string): void {
    if (this.#isOverflown) {
      this.#sink.found(this.#complete(found, key));
      return;
    }
    const length = lengthOf(found) + key.length;
    const isFull =
      this.#held.length >= HELD_LIMITS.cases || this.#length + length > HELD_LIMITS.length;
    this.#length += length;
    this.#held.push({ found, key });
    if (!isFull) return;
    this.release();
    this.#isOverflown = true;
  }

  release(): void {
    const held = this.#held;
    this.#held = [];
    this.#length = 0;
    this.#isOverflown = false;
    for (const { found, key } of held) this.#sink.found(this.#complete(found, key));
  }
}

function lengthOf({
  suite,
  name,
  failureDetails,
  errorDetails,
  warningDetails,
}: FoundCase): number {
  const { message = '', text = '' } = failureDetails ?? errorDetails ?? warningDetails ?? {};
  return (suite?.length ?? 0) + name.length + message.length + text.length;
}

/** Test cases that wait for what the report tells only after them, in a bounded room. */
import type { FoundCase, ReportSink } from '../format-reader.ts';

export const HELD_LIMITS = {
  cases: 20_000,
  /** Of all their texts, in characters. */
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

  /** `complete` adds what is known of a case by now; `key` is what came with it. */
  constructor(sink: ReportSink, complete: (found: FoundCase, key: string) => FoundCase) {
    this.#sink = sink;
    this.#complete = complete;
  }

  /** Where there is no more room, all go out with what is known, up to the next release. */
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

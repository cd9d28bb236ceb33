/** Reads a report: a small one at once, a large one in a thread, of which there are few. */
import type { Readable } from 'node:stream';
import { createSlots, type Slots } from '../../bus/slots.ts';
import { type ResultsPart, type ResultsRequest, readResults } from './read-results.ts';

const READING_LIMITS = {
  /** In bytes. A thread takes about as long to start as this takes to read. */
  inPlace: 1024 * 1024,
  /** Concurrent threads; further reports wait for one to end. */
  threads: 2,
} as const;

/** A report as the blob store has it. */
interface ReportContent {
  /** In bytes. */
  readonly size: number;
  readonly content: Readable;
}

/** Like `readResults`; an abort is thrown. */
export type ReadReport = (
  request: ResultsRequest,
  report: ReportContent,
  signal: AbortSignal,
) => AsyncIterable<ResultsPart>;

export function createReportReader(): ReadReport {
  const slots = createSlots(READING_LIMITS.threads);
  return (request, report, signal) =>
    report.size <= READING_LIMITS.inPlace
      ? readResults(request, report.content)
      : readInTurn(slots, request, report, signal);
}

async function* readInTurn(
  slots: Slots,
  { attachmentId, format, skip }: ResultsRequest,
  { content }: ReportContent,
  signal: AbortSignal,
): AsyncGenerator<ResultsPart> {
  const giveBack = await slots.take(signal);
  try {
    const { readInThread } = await import('./thread/read-in-thread.ts');
    yield* readInThread({ attachmentId, format, skip }, content, signal);
  } finally {
    giveBack();
  }
}
/**
 * Lets a source continue while its output is processed: parts that arrive meanwhile come together, in order. The source is at
 * most `max` parts ahead. Its error follows its parts. When the processing stops early, so does the source.
 */
export async function* readAhead<Part>(
  source: AsyncIterable<Part>,
  max: number,
): AsyncGenerator<readonly Part[]> {
  const reading = new Reading(source, max);
  try {
    for (;;) {
      const parts = await reading.take();
      if (parts.length === 0) return;
      yield parts;
    }
  } finally {
    await reading.stop();
  }
}

/** Reads from its creation, and waits while it is full. `over`: the source has ended or failed, or was stopped. */
class Reading<Part> {
  readonly #parts: AsyncIterator<Part>;
  readonly #max: number;
  readonly #ended: Promise<void>;
  #ready: Part[] = [];
  #isStopped = false;
  #isOver = false;
  #failure: { readonly error: unknown } | null = null;
  #wakeReader: () => void = () => undefined;
  #wakeTaker: () => void = () => undefined;

  constructor(source: AsyncIterable<Part>, max: number) {
    this.#parts = source[Symbol.asyncIterator]();
    this.#max = max;
    this.#ended = this.#read();
  }

  /** Resolves with the parts that are ready, once there are any; with none at the end. Throws the error of the source. */
  async take(): Promise<readonly Part[]> {
    while (this.#ready.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wakeTaker = resolve;
      });
    }
    const taken = this.#ready;
    this.#ready = [];
    this.#wakeReader();
    if (taken.length === 0 && this.#failure !== null) throw this.#failure.error;
    return taken;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wakeReader();
    await this.#parts.return?.();
    await this.#ended;
  }

  async #read(): Promise<void> {
    try {
      while (!this.#isStopped) {
        const next = await this.#parts.next();
        if (next.done === true) break;
        this.#ready.push(next.value);
        this.#wakeTaker();
        while (this.#ready.length >= this.#max && !this.#isStopped) await this.#room();
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.#isOver = true;
    this.#wakeTaker();
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeReader = resolve;
    });
  }
}

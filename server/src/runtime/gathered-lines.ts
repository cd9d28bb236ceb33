/**
 * Writes log lines in batches: one system call for each line would take a tenth of a publication's time. Warnings and errors are
 * written at once, with the lines before them, so that a crash loses none.
 */
import { type DestinationStream, pino } from 'pino';

/** Longest delay of a line. */
const GATHER_MS = 20;
/** Number of characters that are written without waiting. */
const GATHERED_MAX = 64 * 1024;
const WARN: number = pino.levels.values.warn ?? 0;

export class GatheredLines implements DestinationStream {
  /** Asks the logger to set `lastLevel` before each line. */
  readonly [pino.symbols.needsMetadataGsym] = true;
  lastLevel = 0;
  readonly #destination: DestinationStream;
  #text = '';
  #timer: NodeJS.Timeout | null = null;

  constructor(destination: DestinationStream) {
    this.#destination = destination;
  }

  write(line: string): void {
    this.#text += line;
    if (this.lastLevel >= WARN || this.#text.length >= GATHERED_MAX) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), GATHER_MS);
  }

  /** To be called before the process ends. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const text = this.#text;
    this.#text = '';
    if (text !== '') this.#destination.write(text);
  }
}

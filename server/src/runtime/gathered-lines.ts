/**
 * Writes lines of the log together: one call of the system for each line would take a tenth of the time of a publication. Warnings and errors
 * are written at once, with what was gathered before them, so that the last words before a crash are not lost.
 */
import { type DestinationStream, pino } from 'pino';

/** A line waits so long at most. */
const GATHER_MS = 20;
/** So many characters are written without waiting. */
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

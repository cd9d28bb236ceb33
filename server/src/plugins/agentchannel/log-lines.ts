/** Log lines of one command: the part that its result repeats, and pieces small enough for one notification each. */
import { LIMITS } from './limits.ts';

export interface ResultLogs {
  readonly lines: readonly string[];
  /** How many of `lines` readers of the log have seen before. */
  readonly streamed: number;
}

export class LogLines {
  readonly #kept: string[] = [];
  #keptBytes = 0;
  #streamed = 0;
  #dropped = 0;

  /** Adds lines; `streamed` when a notification gave them already. */
  add(lines: readonly string[], streamed: boolean): void {
    for (const line of lines) {
      // UTF-16 length bounds the bytes well enough here: what counts is that the event stays small.
      const fits = this.#dropped === 0 && this.#keptBytes + line.length <= LIMITS.resultLogBytes;
      if (fits) {
        this.#kept.push(line);
        this.#keptBytes += line.length + 1;
        if (streamed) this.#streamed = this.#kept.length;
      } else {
        this.#dropped += 1;
      }
    }
  }

  /** True when these lines, not streamed before, go into the result itself. */
  fits(lines: readonly string[]): boolean {
    const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0);
    return this.#dropped === 0 && this.#keptBytes + bytes <= LIMITS.resultLogBytes;
  }

  result(): ResultLogs {
    if (this.#dropped === 0) return { lines: this.#kept, streamed: this.#streamed };
    const note = `WARNING,${this.#dropped} more lines are in the execution log of the workflow.`;
    return { lines: [...this.#kept, note], streamed: this.#kept.length + 1 };
  }
}

/** Cuts lines into runs that fit one notification each. */
export function piecesOf(lines: readonly string[]): readonly (readonly string[])[] {
  const pieces: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    if (bytes + line.length > LIMITS.notificationLogBytes) {
      pieces.push([]);
      bytes = 0;
    }
    pieces.at(-1)?.push(line);
    bytes += line.length + 1;
  }
  return pieces;
}

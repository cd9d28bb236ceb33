/**
 * Log lines of one command: the part that its result repeats, and pieces small enough for one notification each. Lines from
 * notifications come first, then the lines that only the result has. So one number separates them.
 */
import { countIs } from '@tutti/manifests';
import type { LineRange } from '@tutti/workflow/facts';
import { ownText } from '../../../runtime/own-text.ts';
import { LIMITS } from './limits.ts';

/** Lines, and which of them came on standard error. */
export interface MarkedLines {
  readonly logs: readonly string[];
  readonly stderr: readonly LineRange[];
}

export interface ResultLogs {
  readonly lines: readonly string[];
  /** Number of `lines` that notifications have shown before. */
  readonly streamed: number;
  /** Lines that came on standard error, of those that notifications have not shown. */
  readonly stderr: readonly LineRange[];
}

/** UTF-16 length bounds the bytes well enough here: what counts is that the event stays small. */
const sizeOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + line.length + 1, 0);

export class LogLines {
  /** Lines from notifications; only the first ones, as many as a result repeats. */
  readonly #streamed: string[] = [];
  #streamedBytes = 0;
  #streamedCount = 0;
  /** Lines that only the result has. */
  #unstreamed: readonly string[] = [];
  #unstreamedStderr: readonly LineRange[] = [];
  readonly #last: string[] = [];
  #lastBytes = 0;

  /** Number of lines in notifications. */
  get streamedCount(): number {
    return this.#streamedCount;
  }

  /** Adds lines of a notification. */
  add(lines: readonly string[]): void {
    if (this.#streamed.length === this.#streamedCount) this.#keep(lines);
    this.#streamedCount += lines.length;
  }

  /** Keeps the first lines, as many as fit. */
  #keep(lines: readonly string[]): void {
    for (const line of lines) {
      const size = line.length + 1;
      if (this.#streamedBytes + size > LIMITS.resultLogBytes) return;
      this.#streamed.push(ownText(line));
      this.#streamedBytes += size;
    }
  }

  /** True when these lines need no notification: they go into the result itself. */
  fits(lines: readonly string[]): boolean {
    if (this.#streamed.length !== this.#streamedCount) return false;
    const room = LIMITS.resultLogBytes - this.#streamedBytes;
    // Each line takes at least one byte.
    return lines.length <= room && sizeOf(lines) <= room;
  }

  /** Does `work` while the result has these lines, which fit; removes them if the work fails. */
  async addWith<T>(
    lines: readonly string[],
    work: () => Promise<T>,
    stderr: readonly LineRange[] = [],
  ): Promise<T> {
    this.#unstreamed = lines;
    this.#unstreamedStderr = stderr;
    try {
      return await work();
    } catch (error) {
      this.#unstreamed = [];
      this.#unstreamedStderr = [];
      throw error;
    }
  }

  /** Adds a line of our own at the end of the result, after any number of other lines. Too many of them are cut. */
  addLast(line: string): void {
    if (this.#lastBytes > LIMITS.lastLinesBytes) return;
    const room = LIMITS.lastLinesBytes - this.#lastBytes;
    this.#lastBytes += line.length + 1;
    this.#last.push(line.length <= room ? line : `${line.slice(0, room)}...`);
  }

  result(): ResultLogs {
    const hidden = this.#streamedCount - this.#streamed.length;
    const note = `WARNING,${countIs(hidden, 'more line', 'more lines')} in the execution log of the workflow.`;
    const streamed = hidden === 0 ? this.#streamed : [...this.#streamed, note];
    return {
      lines: [...streamed, ...this.#unstreamed, ...this.#last],
      streamed: streamed.length,
      stderr: this.#unstreamedStderr,
    };
  }
}

/** Lines of one notification: shorter ones than these are rare. */
const PIECE_LINES = LIMITS.commitLogLines / 2;

/** Cuts lines into runs that fit one notification each. */
export function* piecesOf(
  lines: readonly string[],
  from = 0,
): Generator<readonly string[], void, undefined> {
  let start = from;
  let bytes = 0;
  for (let index = from; index < lines.length; index += 1) {
    const { length } = lines[index] ?? '';
    const isFull = bytes + length > LIMITS.notificationLogBytes || index - start >= PIECE_LINES;
    if (index > start && isFull) {
      yield lines.slice(start, index);
      start = index;
      bytes = 0;
    }
    bytes += length + 1;
  }
  if (start < lines.length) yield lines.slice(start);
}

/** Gathers pieces into lots that fit one commit each. One lot is made at a time: there may be millions of lines. */
export function* lotsOf<Piece extends readonly string[]>(
  pieces: Iterable<Piece>,
): Generator<readonly Piece[], void, undefined> {
  let lot: Piece[] = [];
  let bytes = 0;
  let lines = 0;
  for (const piece of pieces) {
    bytes += sizeOf(piece);
    lines += piece.length;
    const isFull = bytes > LIMITS.commitLogBytes || lines > LIMITS.commitLogLines;
    if (lot.length > 0 && isFull) {
      yield lot;
      lot = [];
      bytes = sizeOf(piece);
      lines = piece.length;
    }
    lot.push(piece);
  }
  if (lot.length > 0) yield lot;
}

/**
 * Log lines of one command: the part that its result repeats, and pieces small enough for one notification each. Lines that
 * notifications gave come first, then those that only the result gives, so that one number tells them apart.
 */
import { countIs } from '@tutti/manifests';
import { ownText } from '../../../runtime/own-text.ts';
import { LIMITS } from './limits.ts';

export interface ResultLogs {
  readonly lines: readonly string[];
  /** How many of `lines` readers of the log have seen before. */
  readonly streamed: number;
}

/** UTF-16 length bounds the bytes well enough here: what counts is that the event stays small. */
const sizeOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + line.length + 1, 0);

export class LogLines {
  /** Given by notifications; the first of them, as many as a result repeats. */
  readonly #streamed: string[] = [];
  #streamedBytes = 0;
  #streamedCount = 0;
  /** Given by the result alone. */
  #unstreamed: readonly string[] = [];
  readonly #last: string[] = [];
  #lastBytes = 0;

  /** Number of lines that notifications gave. */
  get streamedCount(): number {
    return this.#streamedCount;
  }

  /** Adds lines that a notification gave. */
  add(lines: readonly string[]): void {
    for (const line of lines) {
      const size = line.length + 1;
      const isNext = this.#streamed.length === this.#streamedCount;
      this.#streamedCount += 1;
      if (!isNext || this.#streamedBytes + size > LIMITS.resultLogBytes) continue;
      this.#streamed.push(ownText(line));
      this.#streamedBytes += size;
    }
  }

  /** True when these lines need no notification: they go into the result itself. */
  fits(lines: readonly string[]): boolean {
    if (this.#streamed.length !== this.#streamedCount) return false;
    const room = LIMITS.resultLogBytes - this.#streamedBytes;
    // Each line takes one byte at least.
    return lines.length <= room && sizeOf(lines) <= room;
  }

  /** Does `work` with these lines, which fit, in the result; if it fails, they are in it no more. */
  async addWith<T>(lines: readonly string[], work: () => Promise<T>): Promise<T> {
    this.#unstreamed = lines;
    try {
      return await work();
    } catch (error) {
      this.#unstreamed = [];
      throw error;
    }
  }

  /** Adds a line of our own that the result ends with, however much there is before it. Far too many of them are cut. */
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

/** Gathers such pieces into lots that fit one commit each. One lot is made at a time: there may be millions of lines. */
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

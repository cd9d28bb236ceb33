import { LINE_BYTES_MAX } from '../limits.ts';
import type { OutputDecoder } from './output-decoder.ts';

/**
 * Cuts the bytes of one stream into lines. A line ends at LF or CR LF. A longer line comes in pieces, without splitting a
 * character. Between calls it holds at most one piece.
 */
export interface LineSplitter {
  /** The lines that are complete with this chunk. */
  push(chunk: Buffer): readonly LineRun[];
  /** The last line, if the stream did not end with a line end. */
  end(): readonly LineRun[];
}

export interface LineRun {
  readonly lines: readonly string[];
  /** The last line is a piece, which continues in the next line. */
  readonly isOpen: boolean;
  /** The last one has no line end, and nothing comes after it. */
  readonly isCut?: boolean;
}

const LF = 0x0a;
const CR = 0x0d;

export function createLineSplitter(
  decoder: OutputDecoder,
  lineBytesMax: number = LINE_BYTES_MAX,
): LineSplitter {
  let rest: Buffer = Buffer.alloc(0);

  return {
    push: (chunk) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const lines = shortLines(bytes, decoder, lineBytesMax);
      const runs = new LineRuns(lineBytesMax);
      rest =
        lines === null
          ? takeLines(bytes, decoder, lineBytesMax, runs)
          : bytes.subarray(bytes.lastIndexOf(LF) + 1);
      // A view would keep the whole chunk in memory for its last bytes.
      if (rest.buffer === chunk.buffer) rest = Buffer.from(rest);
      return lines === null ? runs.all() : [{ lines, isOpen: false }];
    },
    end: () => {
      const last = rest;
      rest = Buffer.alloc(0);
      const end = withoutCarriageReturn(last, 0, last.length);
      const runs = new LineRuns(lineBytesMax);
      if (last.length > 0) runs.add(decoder.decode(last.subarray(0, end)), true);
      return runs.all().map((run, index, all) => ({ ...run, isCut: index === all.length - 1 }));
    },
  };
}

/** The most bytes for one code unit in the encodings that are decoded at once. */
const UNIT_BYTES_MAX = 3;

/**
 * The complete lines, decoded at once, which is much faster. Null if there are none, one may be too long, or one needs a separate
 * check.
 */
function shortLines(
  bytes: Buffer,
  decoder: OutputDecoder,
  lineBytesMax: number,
): readonly string[] | null {
  const end = bytes.lastIndexOf(LF) + 1;
  const isRestShort = bytes.length - end <= lineBytesMax;
  const text = end > 0 && isRestShort ? decoder.decodeLines(bytes.subarray(0, end)) : null;
  if (text === null) return null;
  const lines = (text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text).split('\n');
  lines.pop();
  const lengthMax = lineBytesMax / UNIT_BYTES_MAX;
  return lines.every(({ length }) => length <= lengthMax) ? lines : null;
}

/** Adds complete lines, and pieces that are too long to wait; returns the rest. */
function takeLines(
  bytes: Buffer,
  decoder: OutputDecoder,
  lineBytesMax: number,
  runs: LineRuns,
): Buffer {
  const add = (from: number, to: number, isWhole: boolean) =>
    runs.add(decoder.decode(bytes.subarray(from, to)), isWhole);
  let start = 0;
  for (;;) {
    const lineEnd = bytes.indexOf(LF, start);
    const end = withoutCarriageReturn(bytes, start, lineEnd === -1 ? bytes.length : lineEnd);
    while (end - start > lineBytesMax) {
      const cut = decoder.cut(bytes, start, start + lineBytesMax);
      add(start, cut, false);
      start = cut;
    }
    if (lineEnd === -1) return bytes.subarray(start);
    add(start, end, true);
    start = lineEnd + 1;
  }
}

/** A CR at the end may belong to a CR LF whose LF has not arrived. */
const withoutCarriageReturn = (bytes: Buffer, start: number, end: number): number =>
  end > start && bytes[end - 1] === CR ? end - 1 : end;

/** Collects lines; each unfinished piece starts a new run. */
class LineRuns {
  readonly #lengthMax: number;
  readonly #runs: LineRun[] = [];
  #lines: string[] = [];

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  /** `isWhole`: the line ends here. */
  add(text: string, isWhole: boolean): void {
    const pieces = piecesOf(text, this.#lengthMax);
    for (const [index, piece] of pieces.entries()) {
      this.#lines.push(piece);
      if (!isWhole || index < pieces.length - 1) this.#endRun(true);
    }
  }

  all(): readonly LineRun[] {
    if (this.#lines.length > 0) this.#endRun(false);
    return this.#runs;
  }

  #endRun(isOpen: boolean): void {
    this.#runs.push({ lines: this.#lines, isOpen });
    this.#lines = [];
  }
}

/** One piece, unless replaced bytes made it longer than the limit. */
function piecesOf(text: string, lengthMax: number): string[] {
  if (text.length <= lengthMax) return [text];
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + lengthMax;
    const length = isHighSurrogate(text.charCodeAt(end - 1)) ? lengthMax - 1 : lengthMax;
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

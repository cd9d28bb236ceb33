import { LINE_BYTES_MAX } from '../limits.ts';
import type { OutputDecoder } from './output-decoder.ts';
import { countLines, LF, type LineEnd, type LineRun, runOf } from './output-lines.ts';

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

const CR = 0x0d;

export function createLineSplitter(
  decoder: OutputDecoder,
  lineBytesMax: number = LINE_BYTES_MAX,
): LineSplitter {
  let rest: Buffer = Buffer.alloc(0);

  const cut = (bytes: Buffer): readonly LineRun[] => {
    const end = bytes.lastIndexOf(LF) + 1;
    const lines = bytes.subarray(0, end);
    const runs = new LineRuns(lineBytesMax);
    const isSimple = end > 0 && !hasLongLine(bytes, lineBytesMax) && decoder.isOutputText(lines);
    rest = isSimple ? bytes.subarray(end) : takeLines(bytes, decoder, lineBytesMax, runs);
    // A view would keep the whole chunk in memory for its last bytes.
    if (rest.length > 0) rest = Buffer.from(rest);
    return isSimple ? [{ bytes: lines, count: countLines(lines), end: null }] : runs.all(null);
  };

  return {
    push: (chunk) => {
      if (rest.length === 0) return cut(chunk);
      const first = chunk.indexOf(LF) + 1;
      if (first === 0) return cut(Buffer.concat([rest, chunk]));
      // Only the line that began before is copied.
      const begun = cut(Buffer.concat([rest, chunk.subarray(0, first)]));
      return first === chunk.length ? begun : [...begun, ...cut(chunk.subarray(first))];
    },
    end: () => {
      const last = rest;
      rest = Buffer.alloc(0);
      const end = withoutCarriageReturn(last, 0, last.length);
      const runs = new LineRuns(lineBytesMax);
      if (last.length > 0) runs.add(decoder.decode(last.subarray(0, end)), true);
      return runs.all('cut');
    },
  };
}

/** True where more bytes than that may be without a line end. */
function hasLongLine(bytes: Buffer, lineBytesMax: number): boolean {
  for (let start = 0; bytes.length - start > lineBytesMax; ) {
    const lineEnd = bytes.lastIndexOf(LF, start + lineBytesMax);
    if (lineEnd < start) return true;
    start = lineEnd + 1;
  }
  return false;
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
      if (!isWhole || index < pieces.length - 1) this.#endRun('open');
    }
  }

  /** `end`: how the last line ends. */
  all(end: LineEnd): readonly LineRun[] {
    if (this.#lines.length > 0) this.#endRun(end);
    return this.#runs;
  }

  #endRun(end: LineEnd): void {
    this.#runs.push(runOf(this.#lines, end));
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

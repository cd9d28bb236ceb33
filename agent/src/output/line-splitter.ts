import { LINE_BYTES_MAX } from '../limits.ts';

/**
 * Cuts the bytes of one stream into lines. A line ends at LF or CR LF; bytes that are no UTF-8 become U+FFFD; a line above the
 * limit comes in pieces, none of which splits a character. Between calls it holds no more than one piece.
 */
export interface LineSplitter {
  /** The lines that are complete with this chunk. */
  push(chunk: Buffer): string[];
  /** The last line, if the stream did not end with a line end. */
  end(): string[];
}

const LF = 0x0a;
const CR = 0x0d;

export function createLineSplitter(lineBytesMax: number = LINE_BYTES_MAX): LineSplitter {
  let rest: Buffer = Buffer.alloc(0);

  return {
    push: (chunk) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const lines: string[] = [];
      rest = takeLines(bytes, lineBytesMax, lines);
      // A view would keep the whole chunk in memory for the sake of its last bytes.
      if (rest.buffer === chunk.buffer) rest = Buffer.from(rest);
      return lines;
    },
    end: () => {
      const last = rest;
      rest = Buffer.alloc(0);
      const end = withoutCarriageReturn(last, 0, last.length);
      return last.length === 0 ? [] : [last.toString('utf8', 0, end)];
    },
  };
}

/** Adds the complete lines, and the pieces that are too long to wait for their end; returns what is left. */
function takeLines(bytes: Buffer, lineBytesMax: number, lines: string[]): Buffer {
  let start = 0;
  for (;;) {
    const lineEnd = bytes.indexOf(LF, start);
    const end = withoutCarriageReturn(bytes, start, lineEnd === -1 ? bytes.length : lineEnd);
    while (end - start > lineBytesMax) {
      const cut = pieceEnd(bytes, start, start + lineBytesMax);
      lines.push(bytes.toString('utf8', start, cut));
      start = cut;
    }
    if (lineEnd === -1) return bytes.subarray(start);
    lines.push(bytes.toString('utf8', start, end));
    start = lineEnd + 1;
  }
}

/** A CR at the end may be half of a CR LF, also when the LF is not there yet. */
const withoutCarriageReturn = (bytes: Buffer, start: number, end: number): number =>
  end > start && bytes[end - 1] === CR ? end - 1 : end;

/** The last place up to `limit` where no character is split. */
function pieceEnd(bytes: Buffer, start: number, limit: number): number {
  let cut = limit;
  // No character of UTF-8 has more than three continuation bytes; more are no UTF-8 and may be cut anywhere.
  while (cut > limit - 4 && isContinuation(bytes[cut])) cut -= 1;
  return isContinuation(bytes[cut]) || cut <= start ? limit : cut;
}

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

/** Sends large pieces in portions, one per turn: encoding a text takes some nanoseconds per character. */

export type Piece = string | Uint8Array;

/** Characters, or bytes. */
const PORTION_LENGTH = 256 * 1024;

export function* portionsOf(piece: Piece): Generator<Piece, void, undefined> {
  for (let start = 0; start < piece.length; ) {
    const end = endOf(piece, start + PORTION_LENGTH);
    yield start === 0 && end === piece.length ? piece : part(piece, start, end);
    start = end;
  }
}

const part = (piece: Piece, start: number, end: number): Piece =>
  typeof piece === 'string' ? piece.slice(start, end) : piece.subarray(start, end);

/** The two code units of one character stay together. Each alone would become another character. */
function endOf(piece: Piece, end: number): number {
  if (end >= piece.length) return piece.length;
  return typeof piece === 'string' && isFirstHalf(piece.charCodeAt(end - 1)) ? end - 1 : end;
}

const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

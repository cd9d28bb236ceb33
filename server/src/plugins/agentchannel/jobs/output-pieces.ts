/** Output of a command in pieces that take a few milliseconds each. */
import { LINE_LENGTH_MAX, type OutputLines } from '@tutti/workflow';

export interface PieceSize {
  /** Characters of a piece; a longer line is a piece of its own. */
  readonly length: number;
  readonly lines: number;
}

/** Flags about the end of the lines go to the last piece. */
export function* outputPieces(
  { stream, lines, ...end }: OutputLines,
  size: PieceSize,
): Generator<OutputLines, void, undefined> {
  let start = 0;
  let length = 0;
  for (let index = 0; index < lines.length; index += 1) {
    const lineLength = lines[index]?.length ?? 0;
    const isFull = index - start >= size.lines || length + lineLength > size.length;
    if (isFull && index > start) {
      yield { stream, lines: lines.slice(start, index) };
      start = index;
      length = 0;
    }
    length += lineLength;
  }
  if (start === lines.length) return;
  const last = { stream, lines: start === 0 ? lines : lines.slice(start), ...end };
  if (end.open === true) yield* openPieces(last);
  else yield last;
}

/** Pieces of lines that are unfinished: these may be cut at any place. */
function* openPieces({ stream, lines }: OutputLines): Generator<OutputLines, void, undefined> {
  if (lines.length > 1) yield { stream, lines: lines.slice(0, -1) };
  const line = lines.at(-1) ?? '';
  let at = 0;
  do {
    yield { stream, lines: [line.slice(at, at + LINE_LENGTH_MAX)], open: true };
    at += LINE_LENGTH_MAX;
  } while (at < line.length);
}

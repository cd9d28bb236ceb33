/** Lines of an area that is redrawn in place. They are styled pieces of text, cut so that each line takes one row. */
import { cutToWidth, type Paint, type Style, widthOf } from '../terminal/style.ts';

/** Text without escape sequences. */
export interface Piece {
  readonly text: string;
  readonly style?: Style | undefined;
}

export interface FrameLine {
  readonly text: string;
  /** Cells that it takes. */
  readonly width: number;
}

export function frameLine(pieces: readonly Piece[], width: number, paint: Paint): FrameLine {
  let used = 0;
  let text = '';
  for (const piece of pieces) {
    const fitting = cutToWidth(piece.text, width - used);
    text += piece.style === undefined ? fitting : paint(piece.style, fitting);
    used += widthOf(fitting);
    if (fitting !== piece.text) break;
  }
  return { text, width: used };
}

/**
 * Text that a terminal gets so that lines scroll up and an area below them is redrawn in place. The cursor rests on an empty row below
 * the area: it is never hidden, so however the process ends, nothing has to be put right; and terminals that wrap lines anew when
 * they become narrower treat the row of the cursor each in its own way.
 */

import { cleanOutput, widthOf } from '../terminal/style.ts';
import type { FrameLine } from './frame-line.ts';

/** What is on the terminal now. */
export interface DrawnArea {
  readonly lines: readonly FrameLine[];
  readonly columns: number;
  readonly rows: number;
}

export const NOTHING_DRAWN: DrawnArea = { lines: [], columns: 0, rows: 0 };

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Terminals show what comes between these at once, or pass over them. */
const BEGIN_FRAME = '\u001b[?2026h';
const END_FRAME = '\u001b[?2026l';
/** A character may be wider than we think; the end of its line is lost then, and not the place of all others. */
const NO_WRAP = '\u001b[?7l';
const WRAP = '\u001b[?7h';
const ERASE_TO_END_OF_LINE = '\u001b[K';
const ERASE_BELOW = '\u001b[J';

/** The text that makes of what is drawn the next area, with the lines that scroll above it; empty if nothing changes. */
export function redraw(
  drawn: DrawnArea,
  scrolled: readonly string[],
  next: readonly FrameLine[],
  size: Size,
): string {
  const isSameSize = size.columns === drawn.columns && size.rows === drawn.rows;
  const isKept = scrolled.length === 0 && (isSameSize || drawn.lines.length === 0);
  if (isKept && isSame(drawn.lines, next)) return '';
  const begin = `\r${up(rowsAbove(drawn, size))}${isKept ? '' : eraseIf(!isSameSize)}`;
  const lines = next.map((line, index) =>
    isKept && line.text === drawn.lines[index]?.text
      ? '\n'
      : `${line.text}${ERASE_TO_END_OF_LINE}\n`,
  );
  const area = lines.length === 0 ? '' : `${NO_WRAP}${lines.join('')}${WRAP}`;
  const above = scrolled.map((line) => scrolledLine(line, size.columns)).join('');
  return `${BEGIN_FRAME}${begin}${above}${area}${ERASE_BELOW}${END_FRAME}`;
}

const isSame = (some: readonly FrameLine[], others: readonly FrameLine[]): boolean =>
  some.length === others.length && some.every(({ text }, index) => text === others[index]?.text);

const up = (rows: number): string => (rows === 0 ? '' : `\u001b[${rows}A`);
const eraseIf = (isErased: boolean): string => (isErased ? ERASE_BELOW : '');

/**
 * How many rows the area takes. Most terminals that became narrower have wrapped its lines anew; what went beyond their first row
 * cannot be reached any more.
 */
function rowsAbove({ lines }: DrawnArea, { columns, rows }: Size): number {
  const taken = lines.map(({ width }) => Math.max(1, Math.ceil(width / columns)));
  return Math.min(
    rows - 1,
    taken.reduce((all, each) => all + each, 0),
  );
}

/** Lines of more characters than these for a cell are not measured, but taken for long: they may be of megabytes. */
const CHARACTERS_PER_CELL = 8;

/** A line that fits erases what it leaves of its row; a longer one first erases all that is below, as it covers several rows. */
function scrolledLine(line: string, columns: number): string {
  const isMeasured = line.length <= columns * CHARACTERS_PER_CELL;
  const isShort = isMeasured && widthOf(cleanOutput(line, false)) < columns;
  return isShort ? `${line}${ERASE_TO_END_OF_LINE}\n` : `${ERASE_BELOW}${line}\n`;
}

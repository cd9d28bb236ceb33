/**
 * Sequences for a terminal that scroll lines above an area and redraw the area in place. The cursor rests on an empty row below
 * the area. It is never hidden, so the end of the process needs no cleanup. Terminals differ in how they wrap the cursor's row
 * when they become narrower.
 */

import { cleanOutput } from '@tutti/run-view/text';
import { widthOf } from '../terminal/style.ts';
import type { FrameLine } from './frame-line.ts';

/** The area as it is drawn now. */
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

/** Terminals show the text between these at once, or ignore them. */
const BEGIN_FRAME = '\u001b[?2026h';
const END_FRAME = '\u001b[?2026l';
/** A character may be wider than assumed; then only the end of its line is lost. */
const NO_WRAP = '\u001b[?7l';
const WRAP = '\u001b[?7h';
const ERASE_TO_END_OF_LINE = '\u001b[K';
const ERASE_BELOW = '\u001b[J';

/** The text that turns the drawing into the next area, with lines that scroll above; empty without changes. */
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
 * Number of rows of the drawn area. Most terminals wrap its lines again when they become narrower. Rows above the first row
 * cannot be reached.
 */
function rowsAbove({ lines }: DrawnArea, { columns, rows }: Size): number {
  const taken = lines.map(({ width }) => Math.max(1, Math.ceil(width / columns)));
  return Math.min(
    rows - 1,
    taken.reduce((all, each) => all + each, 0),
  );
}

/** Lines with more characters per cell are not measured, but count as long: they may have megabytes. */
const CHARACTERS_PER_CELL = 8;

/** A short line erases the rest of its row. A longer one first erases everything below, since it covers several rows. */
function scrolledLine(line: string, columns: number): string {
  const isMeasured = line.length <= columns * CHARACTERS_PER_CELL;
  const isShort = isMeasured && widthOf(cleanOutput(line, false)) < columns;
  return isShort ? `${line}${ERASE_TO_END_OF_LINE}\n` : `${ERASE_BELOW}${line}\n`;
}

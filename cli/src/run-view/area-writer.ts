/** Writes an area and the scrolling lines above it to a terminal, and records the drawing. */

import type { Screen } from '../terminal/io.ts';
import type { FrameLine } from './frame-line.ts';
import { type DrawnArea, NOTHING_DRAWN, redraw, type Size } from './live-area.ts';

export interface AreaWriter {
  /** Lines for the next time that something is drawn. */
  scroll(lines: readonly string[]): void;
  draw(): void;
  /** Takes the area away, and draws nothing until `show`. */
  hide(): void;
  /** Draws it below whatever was written since. */
  show(): void;
}

const ROWS = 24;

/** `frame` draws the area for a terminal of this size. */
export function createAreaWriter(
  screen: Screen,
  frame: (size: Size) => readonly FrameLine[],
): AreaWriter {
  let drawn: DrawnArea = NOTHING_DRAWN;
  let scrolled: string[] = [];
  let isHidden = false;

  function write(area: (size: Size) => readonly FrameLine[]): void {
    const size = { columns: screen.columns(), rows: screen.rows?.() ?? ROWS };
    const lines = area(size);
    const text = redraw(drawn, scrolled, lines, size);
    scrolled = [];
    drawn = { lines, ...size };
    // One write, because a state between two writes may be visible.
    if (text !== '') screen.write(text);
  }

  return {
    scroll(lines) {
      for (const line of lines) scrolled.push(line);
    },
    draw() {
      if (!isHidden) write(frame);
    },
    hide() {
      if (!isHidden) write(() => []);
      isHidden = true;
    },
    show() {
      isHidden = false;
      // SIGSTOP cannot be handled, so nothing hid the drawing before.
      drawn = NOTHING_DRAWN;
      write(frame);
    },
  };
}

/** Areas that are redrawn in place on a terminal, and other output there meanwhile. */
import type { Screen } from './io.ts';

export interface InPlace {
  /** Hides the drawing. */
  hide(): void;
  /** Draws it again, below the new text. */
  show(): void;
}

/** By screen: each command has its own `Io`, but all share the screen of the process. */
const drawn = new WeakMap<Screen, InPlace>();

/** Draws the area until the returned function is called. The last one counts: a terminal has room for one area. */
export function drawInPlace(screen: Screen, area: InPlace): () => void {
  drawn.set(screen, area);
  return () => {
    if (drawn.get(screen) === area) drawn.delete(screen);
  };
}

/** Writes whole lines above the drawing. */
export function writeBeside(screen: Screen, write: () => void): void {
  const area = drawn.get(screen);
  area?.hide();
  write();
  area?.show();
}

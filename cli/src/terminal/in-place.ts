/** What is drawn in place on a terminal, and who else writes there meanwhile. */
import type { Screen } from './io.ts';

export interface InPlace {
  /** Takes away what is drawn. */
  hide(): void;
  /** Draws it again, below what was written. */
  show(): void;
}

/** By the screen: every command has its own surroundings, and all of them have the screen of the process. */
const drawn = new WeakMap<Screen, InPlace>();

/** Until the returned function is called. Of several, the last one counts: one terminal has room for one. */
export function drawInPlace(screen: Screen, area: InPlace): () => void {
  drawn.set(screen, area);
  return () => {
    if (drawn.get(screen) === area) drawn.delete(screen);
  };
}

/** Has the text stand above what is drawn there now, as whole lines. */
export function writeBeside(screen: Screen, write: () => void): void {
  const area = drawn.get(screen);
  area?.hide();
  write();
  area?.show();
}

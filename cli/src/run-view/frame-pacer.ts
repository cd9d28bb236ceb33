/** Limits how often an area is drawn that changes faster than the eye can follow. */

/** Calls back after so many milliseconds. */
export type Later = (callback: () => void, ms: number) => void;

const FRAME_MS = 70;

/** The returned function draws soon, or at once if the last drawing is a while ago. */
export function createFramePacer(draw: () => void, later: Later): () => void {
  let isResting = false;
  let isDue = false;
  function drawSoon(): void {
    isDue = true;
    if (isResting) return;
    isDue = false;
    isResting = true;
    draw();
    later(() => {
      isResting = false;
      if (isDue) drawSoon();
    }, FRAME_MS);
  }
  return drawSoon;
}

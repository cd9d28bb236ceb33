/** How often an area is drawn that changes more often than anybody can see. */

/** Calls back after so many milliseconds. */
export type Later = (callback: () => void, ms: number) => void;

const FRAME_MS = 70;

/** What it returns draws soon; at once if nothing was drawn by it for a while. */
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

/** Streams of a tab. Browsers open six connections to a server for all tabs together, so a hidden tab leaves its own to others. */

/** A tab that is hidden for less keeps its stream. */
const HIDDEN_MS = 30_000;

interface Stream {
  /** Called for a tab that is seen again, also where nothing was closed. */
  readonly open: () => void;
  readonly close: () => void;
}

/** Closes the stream of a hidden tab after a while, and opens it when somebody comes back. Returns the way to end that. */
export function whileSeen({ open, close }: Stream): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(close, HIDDEN_MS);
    else open();
  };
  document.addEventListener('visibilitychange', look);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  };
}

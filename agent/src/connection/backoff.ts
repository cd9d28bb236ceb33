import { BACKOFF_MS_MAX, BACKOFF_MS_MIN } from '../limits.ts';

/** Growing pauses between attempts. One per loop; `reset` after a success. */
export interface Backoff {
  /** The next pause in milliseconds; never less than a server asks for. */
  next(atLeastMs?: number): number;
  reset(): void;
}

/**
 * Doubles from 50 ms to 5 s. Each pause is random between half and the whole. So agents that lost their server together do not return
 * together.
 *
 * @param random gives numbers from 0 up to 1
 */
export function createBackoff(random: () => number): Backoff {
  let ceilingMs = BACKOFF_MS_MIN;
  return {
    next: (atLeastMs = 0) => {
      // A pause that the server asks of all agents is spread, too.
      const part = 0.5 + random() / 2;
      const pauseMs = Math.max(ceilingMs * part, atLeastMs * (0.5 + part));
      ceilingMs = Math.min(ceilingMs * 2, BACKOFF_MS_MAX);
      return pauseMs;
    },
    reset: () => {
      ceilingMs = BACKOFF_MS_MIN;
    },
  };
}

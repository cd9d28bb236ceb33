/** Waits for conditions in other processes with a deadline, never a fixed pause. */
import { setTimeout as pause } from 'node:timers/promises';

/** The pause after the first look. */
const PAUSE_MS = 25;

/** The longest pause. A test that looks 35 times a second takes a tenth of a processor, with its server. */
const PAUSE_MS_MAX = 250;
const PAUSE_SHARE = 1 / 8;

export interface Patience {
  /** Timeout for the condition, in milliseconds. */
  readonly withinMs?: number;
}

/** Resolves with the first result that is not null, undefined or false; rejects, naming `what`, after the deadline. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  { withinMs = 120_000 }: Patience = {},
): Promise<T> {
  const begun = Date.now();
  for (;;) {
    const looked = look();
    const found = await looked;
    if (found !== null && found !== undefined && found !== false) return found;
    const waitedMs = Date.now() - begun;
    if (waitedMs > withinMs) throw new Error(`Not within ${withinMs} ms: ${what}.`);
    await pause(looked instanceof Promise ? pauseAfter(waitedMs) : PAUSE_MS);
  }
}

/** For looks at other programs. A look at this process or at a file costs nothing, and may be for what soon is gone. */
const pauseAfter = (waitedMs: number): number =>
  Math.min(PAUSE_MS_MAX, PAUSE_MS + waitedMs * PAUSE_SHARE);

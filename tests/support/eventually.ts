/** Waits for conditions in other processes with a deadline, never a fixed pause. */
import { setTimeout as pause } from 'node:timers/promises';

const PAUSE_MS = 25;

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
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}.`);
    await pause(PAUSE_MS);
  }
}

/** Runs an activity until a request to stop or a timeout ends it. */
import { EXIT_CODES } from './exit-codes.ts';
import { type Io, SIGNAL_EXIT_CODES, type StopSignal } from './io.ts';
import { TIMER_MS_MAX } from './timer-limit.ts';

export interface Ending {
  /** Milliseconds; absent, there is no limit. */
  readonly timeout?: number | undefined;
  /** Reports the timeout. Absent for activities without an end: a timeout is then normal. */
  readonly late?: ((timeoutMs: number) => void) | undefined;
  /** Called at the timeout: if the thing has ended, its output is read to the end. Absent or rejecting means no. */
  readonly hasEnded?: ((signal: AbortSignal) => Promise<boolean>) | undefined;
}

/**
 * Follows until a request to stop. Resolves with the exit code. `follow` rejects soon after its signal aborts. A second request leaves the
 * process at once.
 */
export async function untilStopped(
  follow: (signal: AbortSignal) => Promise<void>,
  { timeout, late, hasEnded }: Ending,
  io: Pick<Io, 'onStop' | 'exit'>,
): Promise<number> {
  const over = new AbortController();
  let unended: number = EXIT_CODES.undecided;
  const stop = (signal: StopSignal) => {
    if (over.signal.aborted) return io.exit(SIGNAL_EXIT_CODES[signal]);
    unended = SIGNAL_EXIT_CODES[signal];
    over.abort();
  };
  const stopListening = io.onStop(stop);
  const timer = timerFor(timeout, () => {
    if (hasEnded === undefined) over.abort();
    else void unlessEnded(hasEnded, () => over.abort());
  });
  try {
    await follow(over.signal);
    return EXIT_CODES.done;
  } catch (error) {
    if (!over.signal.aborted) throw error;
    if (unended === EXIT_CODES.undecided) late?.(timeout ?? 0);
    return late === undefined ? EXIT_CODES.done : unended;
  } finally {
    clearTimeout(timer);
    stopListening();
  }
}

/** Time to check an unreachable server after the timeout. */
const LOOK_MS = 5_000;

async function unlessEnded(
  hasEnded: NonNullable<Ending['hasEnded']>,
  call: () => void,
): Promise<void> {
  if (!(await hasEnded(AbortSignal.timeout(LOOK_MS)).catch(() => false))) call();
}

function timerFor(timeout: number | undefined, call: () => void): NodeJS.Timeout | undefined {
  return timeout === undefined ? undefined : setTimeout(call, Math.min(timeout, TIMER_MS_MAX));
}

/** Waits for a request to stop. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

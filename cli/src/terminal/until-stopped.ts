/** What goes on for a while, and how it is ended from outside: by somebody who stops it, or by the time. */
import { EXIT_CODES } from './exit-codes.ts';
import { type Io, SIGNAL_EXIT_CODES, type StopSignal } from './io.ts';
import { TIMER_MS_MAX } from './timer-limit.ts';

export interface Ending {
  /** Milliseconds; absent, there is no limit. */
  readonly timeout?: number | undefined;
  /** Tells that the end did not come in time. Absent where there is no end to wait for: to be ended from outside is then as it should be. */
  readonly late?: ((timeoutMs: number) => void) | undefined;
  /** Asked when the time is over: what has ended meanwhile is read to its end. Absent, or where it rejects, it has not. */
  readonly hasEnded?: ((signal: AbortSignal) => Promise<boolean>) | undefined;
}

/** Resolves with the exit code. `follow` rejects soon after its signal is aborted; once more somebody stops it, the process is left at once. */
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

/** For a server that does not answer: the time is over already. */
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

/** Time and chance as the agent sees them; tests pass their own. */
export interface Timing {
  /** Milliseconds from an arbitrary point; never goes back. */
  now(): number;
  /** From 0 up to, but not including, 1. */
  random(): number;
  /** Resolves after `ms`, or as soon as the signal is aborted; never rejects. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemTiming: Timing = {
  now: () => performance.now(),
  random: () => Math.random(),
  wait: waitFor,
};

function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal?.addEventListener('abort', finish, { once: true });
  });
}

/** Resolves with the promise, after `ms`, or as soon as the signal is aborted; leaves no timer behind. */
export async function waitAtMost(
  promise: Promise<unknown>,
  ms: number,
  signal: AbortSignal,
  timing: Timing,
): Promise<void> {
  const settled = new AbortController();
  const settle = () => settled.abort();
  promise.then(settle, settle);
  await timing.wait(ms, AbortSignal.any([settled.signal, signal]));
}

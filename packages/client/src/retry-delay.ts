/** Backoff between attempts, and waiting itself. */

export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Doubles with each attempt up to a limit. Half of it is random, so that many clients do not come back together. */
export function retryDelayMs(
  attempt: number,
  limits: { readonly firstMs: number; readonly maxMs: number },
  random: () => number,
): number {
  const full = Math.min(limits.maxMs, limits.firstMs * 2 ** Math.min(attempt, 30));
  return full / 2 + (random() * full) / 2;
}

/** Resolves after the time; rejects with the signal's reason as soon as it is aborted. */
export const systemSleep: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });

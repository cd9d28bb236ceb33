/** Pause before the next attempt. */

/**
 * Exponential with jitter, for `failures` failures in a row (from 1). The full pause is `firstMs`, doubled for each earlier failure, up to
 * `maxMs`. Jitter takes away up to half of it. `random` is at least 0 and below 1; it keeps many senders from coming back at once.
 */
export function backoffDelayMs(
  failures: number,
  random: number,
  bounds: { readonly firstMs: number; readonly maxMs: number },
): number {
  // Beyond 2^30 the power would only grow out of the exact numbers.
  const delayMs = Math.min(bounds.maxMs, bounds.firstMs * 2 ** Math.min(failures - 1, 30));
  return delayMs * (0.5 + random / 2);
}

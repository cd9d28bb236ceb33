/** A bound on how much happens at the same time; who comes first is served first. */

export interface Slots {
  /** Resolves with the function that gives the slot back; rejects when the signal aborts before a slot is free. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  const waiting = new Set<() => void>();
  let free = count;

  const giveBack = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };

  return {
    take(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (free > 0) {
        free -= 1;
        return Promise.resolve(giveBack);
      }
      return new Promise((resolve, reject) => {
        const granted = () => {
          signal.removeEventListener('abort', aborted);
          resolve(giveBack);
        };
        const aborted = () => {
          waiting.delete(granted);
          reject(signal.reason);
        };
        waiting.add(granted);
        signal.addEventListener('abort', aborted, { once: true });
      });
    },
  };
}

/** A bound on how much happens at the same time; who comes first is served first. */

export interface Slots {
  /**
   * Resolves with the function that gives the slots back; rejects when the signal aborts before they are free. A caller that wants more
   * than there are gets all of them.
   */
  take(signal: AbortSignal, count?: number): Promise<() => void>;
}

interface Waiting {
  readonly count: number;
  readonly grant: () => void;
}

export function createSlots(total: number): Slots {
  const waiting = new Set<Waiting>();
  let free = total;

  const grantNext = (): void => {
    for (const next of waiting) {
      if (next.count > free) return;
      waiting.delete(next);
      free -= next.count;
      next.grant();
    }
  };

  return {
    take(signal, wanted = 1) {
      const count = Math.min(wanted, total);
      const giveBack = () => {
        free += count;
        grantNext();
      };
      if (signal.aborted) return Promise.reject(signal.reason);
      if (count <= free && waiting.size === 0) {
        free -= count;
        return Promise.resolve(giveBack);
      }
      return new Promise((resolve, reject) => {
        const aborted = () => {
          waiting.delete(place);
          // The caller that gave up may have kept those behind it waiting.
          grantNext();
          reject(signal.reason);
        };
        const grant = () => {
          signal.removeEventListener('abort', aborted);
          resolve(giveBack);
        };
        const place = { count, grant };
        waiting.add(place);
        signal.addEventListener('abort', aborted, { once: true });
      });
    },
  };
}

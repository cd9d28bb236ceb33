/** A connection that says nothing for too long. Timers of browsers cannot be refreshed, so it is looked at now and then. */

export interface SilenceWatch {
  /** Something was heard. */
  heard(): void;
  end(): void;
}

/** Calls `onSilence` when nothing was heard for so long. */
export function watchSilence(maxMs: number, onSilence: () => void): SilenceWatch {
  let heardAt = performance.now();
  const timer = setInterval(() => {
    if (performance.now() - heardAt >= maxMs) onSilence();
  }, maxMs / 10);
  return {
    heard: () => {
      heardAt = performance.now();
    },
    end: () => clearInterval(timer),
  };
}

/** Delays, passed in like the clock, so that nothing that waits has to wait in a test. */
export interface Timers {
  /** Calls back once, unless the returned function was called before. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Pending delays do not keep the process alive. */
export const systemTimers: Timers = {
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

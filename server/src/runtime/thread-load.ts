/** Whether the thread of the server has more to do than it can: then whatever comes waits for what came before. */
export interface ThreadLoad {
  /** Of the last moments. Looked at only when asked, so that it costs an idle server nothing. */
  isBusy(): boolean;
}

/** Shorter times are chance: a collection of garbage, a large document. */
const LOOK_MS = 250;
/** Some of each turn is spent on asking the system what is new, however much there is. */
const BUSY_SHARE = 0.95;

export interface ThreadLoadDeps {
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
  /** Milliseconds since the start in which the thread had something to do. */
  readonly activeMs: () => number;
}

const ofThisThread: ThreadLoadDeps = {
  now: () => performance.now(),
  activeMs: () => performance.eventLoopUtilization().active,
};

export function createThreadLoad({ now, activeMs }: ThreadLoadDeps = ofThisThread): ThreadLoad {
  let seen = { atMs: now(), activeMs: activeMs() };
  let busy = false;
  return {
    isBusy() {
      const atMs = now();
      const passedMs = atMs - seen.atMs;
      if (passedMs < LOOK_MS) return busy;
      const next = { atMs, activeMs: activeMs() };
      busy = next.activeMs - seen.activeMs >= BUSY_SHARE * passedMs;
      seen = next;
      return busy;
    },
  };
}

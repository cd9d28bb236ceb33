/** Whether the thread of the server has more to do than it can: then whatever comes waits for what came before. */
import { readFileSync } from 'node:fs';

export interface ThreadLoad {
  /** Of the last three seconds. Looked at only when asked, so that it costs an idle server nothing. */
  isBusy(): boolean;
}

/** Shorter times are chance: a collection of garbage, a large document. */
const LOOK_MS = 250;
/** Some of each turn is spent on asking the system what is new, however much there is. */
const BUSY_SHARE = 0.85;
/** What is busy has moments without work: others take the processor from those that bring it. */
const BUSY_MS = 3_000;

export interface ThreadLoadDeps {
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
  /** Milliseconds since the start in which the thread had something to do. */
  readonly activeMs: () => number;
  /** The same as the system knows it, with the time in which others had its processor; null where it does not tell. */
  readonly scheduledMs: () => number | null;
}

const ofThisThread: ThreadLoadDeps = {
  now: () => performance.now(),
  activeMs: () => performance.eventLoopUtilization().active,
  scheduledMs: readScheduledMs,
};

const NS_PER_MS = 1e6;

/** Linux has the first thread of a process there: what it ran and how long it could have, in nanoseconds. */
function readScheduledMs(): number | null {
  try {
    const [ran = '', waited = ''] = readFileSync('/proc/self/schedstat', 'utf8').split(' ');
    return (Number(ran) + Number(waited)) / NS_PER_MS;
  } catch {
    return null;
  }
}

export function createThreadLoad(deps: ThreadLoadDeps = ofThisThread): ThreadLoad {
  const look = () => ({
    atMs: deps.now(),
    activeMs: deps.activeMs(),
    scheduledMs: deps.scheduledMs(),
  });
  let seen = look();
  let busyUntilMs = 0;
  return {
    isBusy() {
      const passedMs = deps.now() - seen.atMs;
      if (passedMs >= LOOK_MS) {
        const next = look();
        const activeMs = next.activeMs - seen.activeMs;
        const scheduledMs = (next.scheduledMs ?? 0) - (seen.scheduledMs ?? 0);
        if (Math.max(activeMs, scheduledMs) >= BUSY_SHARE * passedMs) {
          busyUntilMs = next.atMs + BUSY_MS;
        }
        seen = next;
      }
      return deps.now() < busyUntilMs;
    },
  };
}

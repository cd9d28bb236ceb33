/** Whether the server's thread is overloaded, so that new work waits for earlier work. */
import { readFileSync } from 'node:fs';

export interface ThreadLoad {
  /** Load of the last three seconds. It is computed on request, so that an idle server does no work. */
  isBusy(): boolean;
}

/** Shorter intervals are noise: garbage collection, or a large document. */
const LOOK_MS = 250;
/** A part of each turn goes into asking the system for news, under any load. */
const BUSY_SHARE = 0.85;
/** Period of measurement. Even a busy thread pauses, when other processes delay the programs that send its work. */
const BUSY_MS = 3_000;

export interface ThreadLoadDeps {
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
  /** Milliseconds since the start in which the thread had something to do. */
  readonly activeMs: () => number;
  /** Active time according to the system, including time that others used the processor; null if unknown. */
  readonly scheduledMs: () => number | null;
}

const ofThisThread: ThreadLoadDeps = {
  now: () => performance.now(),
  activeMs: () => performance.eventLoopUtilization().active,
  scheduledMs: readScheduledMs,
};

const NS_PER_MS = 1e6;

/** Linux lists the first thread of a process there: its running time and its waiting time, in nanoseconds. */
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

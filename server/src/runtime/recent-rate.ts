/** How often something happened in a second, of late: read from a number that only grows. */
export interface RecentRate {
  /** Of the last seconds; 0 as long as nothing is known. Looked at only when asked, so that it costs an idle server nothing. */
  perSecond(): number;
}

export interface RecentRateDeps {
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
  readonly count: () => number;
}

/** Shorter times are chance: runs end some at a time. */
const LOOK_MS = 250;
/** Long enough for a collection of garbage not to matter, short enough to see that others took the machine. */
const WINDOW_MS = 3_000;

interface Look {
  readonly atMs: number;
  readonly count: number;
}

export function createRecentRate({ now, count }: RecentRateDeps): RecentRate {
  let last: Look = { atMs: now(), count: count() };
  let looks: readonly Look[] = [last];
  return {
    perSecond() {
      const atMs = now();
      if (atMs - last.atMs >= LOOK_MS) {
        last = { atMs, count: count() };
        looks = [...withoutOld(looks, atMs), last];
      }
      return rateBetween(looks[0] ?? last, last);
    },
  };
}

/** Of those that are too old the last one stays where there is no other: what happened since then is all that is known. */
function withoutOld(looks: readonly Look[], atMs: number): readonly Look[] {
  const recent = looks.filter((look) => atMs - look.atMs <= WINDOW_MS);
  return recent.length > 0 ? recent : looks.slice(-1);
}

const rateBetween = (first: Look, last: Look): number =>
  last.atMs === first.atMs ? 0 : ((last.count - first.count) * 1000) / (last.atMs - first.atMs);

/** The recent rate of events per second, read from a counter. */
export interface RecentRate {
  /** Rate over the last seconds; 0 before it is known. It is computed on request, so that an idle server does no work. */
  perSecond(): number;
}

export interface RecentRateDeps {
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
  readonly count: () => number;
}

/** Shorter intervals are noise: runs end in groups. */
const LOOK_MS = 250;
/** Long enough that garbage collection does not matter, short enough to notice other load. */
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

/** The last old reading stays if there is no newer one: then it is the only base for a rate. */
function withoutOld(looks: readonly Look[], atMs: number): readonly Look[] {
  const recent = looks.filter((look) => atMs - look.atMs <= WINDOW_MS);
  return recent.length > 0 ? recent : looks.slice(-1);
}

const rateBetween = (first: Look, last: Look): number =>
  last.atMs === first.atMs ? 0 : ((last.count - first.count) * 1000) / (last.atMs - first.atMs);

/** Finished runs leave after a time, or when there are too many, with their files; the executions of their test cases leave later. */
import { formatTimestamp, type Timestamp, type WorkflowId } from '@tutti/manifests';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { EventBus } from '../../bus/bus.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Service } from '../../runtime/service.ts';
import type { Store } from '../../store/store.ts';

export interface RetentionDeps {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Null while somebody copies files of runs, who must find those that the copied store knows. */
  readonly lockFiles: () => { release(): void } | null;
  /** How long a finished run is kept. */
  readonly minutes: number;
  /** How many finished runs are kept at most; the oldest leave first. */
  readonly runs: number;
  /** How long executions of test cases are kept, counted from the beginning of their run, if that is gone. */
  readonly historyMinutes: number;
}

/** The time of a run is counted in minutes, so a look per minute is exact enough for it. */
const LOOK_MS = 60_000;
/**
 * A busy server ends tens of thousands in a minute, all of which would stay until then. A look takes longer the more are kept, so it takes
 * as many as this, or as this share of those.
 */
const MORE_MIN = 1_000;
const MORE_SHARE = 0.25;
/** Runs forgotten in one go, so that others get their turn: each takes a dozen turns of the thread, in which a busy server ends fewer. */
const BATCH = 500;
/** Of these, so many have their files removed at one time; each may take an open file. */
const FILES_AT_ONCE = 100;

export function createRetention(
  deps: RetentionDeps & { readonly bus: Pick<EventBus, 'subscribe'> },
): Service {
  const more = Math.max(MORE_MIN, MORE_SHARE * deps.runs);
  let timer: NodeJS.Timeout | null = null;
  let looking: Promise<void> | null = null;
  let ended = 0;
  const look = () => {
    ended = 0;
    looking ??= forgetOldRuns(deps)
      .catch((error) => deps.logger.error({ err: error }, 'Old runs could not be removed.'))
      .finally(() => {
        looking = null;
      });
  };
  const countEnd = () => {
    ended += 1;
    if (ended >= more && looking === null && timer !== null) look();
  };
  deps.bus.subscribe('WorkflowCompleted', countEnd);
  deps.bus.subscribe('WorkflowCanceled', countEnd);
  return {
    name: 'retention',
    async start() {
      timer = setInterval(look, LOOK_MS);
    },
    async stop() {
      if (timer !== null) clearInterval(timer);
      timer = null;
      await looking;
    },
  };
}

/** One look. */
export async function forgetOldRuns(deps: RetentionDeps): Promise<void> {
  const { store, clock, minutes, runs: kept } = deps;
  const surplus = { before: minutesBefore(clock, minutes), kept, limit: BATCH };
  let due = await store.surplusWorkflowIds(surplus);
  while (due.length > 0 && (await forgetRuns(deps, due))) {
    due = await store.surplusWorkflowIds(surplus);
  }
  await store.forgetExecutions(minutesBefore(clock, deps.historyMinutes));
}

const minutesBefore = (clock: Pick<Clock, 'now'>, minutes: number): Timestamp =>
  formatTimestamp(Math.max(0, clock.now() - minutes * 60_000));

/** False when they have to stay until the next look. */
export async function forgetRuns(
  deps: Pick<RetentionDeps, 'store' | 'blobs' | 'lockFiles'>,
  ids: readonly WorkflowId[],
): Promise<boolean> {
  const lock = deps.lockFiles();
  if (lock === null) return false;
  try {
    // Files first: a file without a run would never be found again, a run without its files is forgotten next time.
    for (let at = 0; at < ids.length; at += FILES_AT_ONCE) {
      const some = ids.slice(at, at + FILES_AT_ONCE);
      await Promise.all(some.map((id) => deps.blobs.deleteScope(id)));
    }
    await deps.store.forget(ids);
    return true;
  } finally {
    lock.release();
  }
}

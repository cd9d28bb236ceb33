/** Deletes finished runs with their files after a time, or beyond a number. Executions of their test cases are deleted later. */
import { formatTimestamp, type Timestamp, type WorkflowId } from '@tutti/manifests';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { EventBus } from '../../bus/bus.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Service } from '../../runtime/service.ts';
import type { Store } from '../../store/store.ts';
import { surplusEnd } from '../../store/surplus-end.ts';
import type { Changes } from './lists/changes.ts';

export interface RetentionDeps {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly feed: { readonly changes: Pick<Changes, 'runsRemoved'> };
  /** Null while a backup copies files of runs, which must include all files of the copied store. */
  readonly lockFiles: () => { release(): void } | null;
  /** Retention time of a finished run. */
  readonly minutes: number;
  /** Maximum number of finished runs; the oldest leave first. */
  readonly runs: number;
  /** Retention time of executions of test cases, from the beginning of their run, if the run is gone. */
  readonly historyMinutes: number;
}

/** Interval of checks: retention is counted in minutes. */
const LOOK_MS = 60_000;
/**
 * A busy server ends tens of thousands of runs in a minute, which would all stay until then. A check takes longer the more runs
 * are kept. So the next one comes after this number of runs, or this share of the kept ones.
 */
const MORE_MIN = 1_000;
const MORE_SHARE = 0.25;
/** Runs deleted in one batch, so that other work gets its turn. Each batch takes a dozen turns of the thread. */
const BATCH = 500;
/** Number of runs whose files are removed at one time; each may need an open file. */
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

/** Runs one check. */
export async function forgetOldRuns(deps: RetentionDeps): Promise<void> {
  const { store, clock, minutes, runs: kept } = deps;
  // All ends that stay are read here, and not again for each batch. Runs that end meanwhile are left to the next check.
  const last = await surplusEnd(store, { before: minutesBefore(clock, minutes), kept });
  let due = await store.endedWorkflowIds(last, BATCH);
  while (due.length > 0 && (await forgetRuns(deps, due))) {
    due = await store.endedWorkflowIds(last, BATCH);
  }
  await store.forgetExecutions(minutesBefore(clock, deps.historyMinutes));
}

const minutesBefore = (clock: Pick<Clock, 'now'>, minutes: number): Timestamp =>
  formatTimestamp(Math.max(0, clock.now() - minutes * 60_000));

/** False if they must stay until the next check. */
export async function forgetRuns(
  deps: Pick<RetentionDeps, 'store' | 'blobs' | 'lockFiles' | 'feed'>,
  ids: readonly WorkflowId[],
): Promise<boolean> {
  const lock = deps.lockFiles();
  if (lock === null) return false;
  try {
    // Files first: a file without a run would never be found, but a run without files is deleted next time.
    for (let at = 0; at < ids.length; at += FILES_AT_ONCE) {
      const some = ids.slice(at, at + FILES_AT_ONCE);
      await Promise.all(some.map((id) => deps.blobs.deleteScope(id)));
    }
    await deps.store.forget(ids);
    deps.feed.changes.runsRemoved();
    return true;
  } finally {
    lock.release();
  }
}

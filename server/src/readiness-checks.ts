/** The checks of `GET /health?ready`: writes, room on the disk, and the database or its pages. */
import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { RESERVED_BYTES } from './blobs/filesystem/disk-space.ts';
import type { Clock } from './runtime/clock.ts';
import { LIMITS } from './runtime/limits.ts';
import { type CheckOutcome, createReadiness, type ReadinessCheck } from './runtime/readiness.ts';
import type { DatabaseSigns } from './store/database-signs.ts';
import type { PagesCheck } from './store/sqlite/pages-check.ts';
import type { Store } from './store/store.ts';

export interface ReadinessDeps {
  readonly store: Pick<Store, 'write'>;
  readonly pages: Pick<PagesCheck, 'state'>;
  /** Null where the store is in the data directory. */
  readonly database: Pick<DatabaseSigns, 'look'> | null;
  readonly dataDir: string;
  readonly clock: Clock;
  /** The check of a replica, of which only the active one writes; null without others. */
  readonly replica: { readonly readiness: ReadinessCheck; readonly isActive: boolean } | null;
}

export function readinessOf(deps: ReadinessDeps): ReturnType<typeof createReadiness> {
  return createReadiness({
    checks: [
      writesCheck(deps),
      diskCheck(deps),
      deps.database === null ? pagesCheck(deps) : databaseCheck(deps.database),
      ...(deps.replica === null ? [] : [deps.replica.readiness]),
    ],
    now: () => performance.now(),
    sharedMs: LIMITS.readinessSharedMs,
    lateMs: LIMITS.readinessLateMs,
  });
}

const WELL: CheckOutcome = { problem: null };
const LOOK_AT_DISK =
  'Look at the disk of the data directory: whether it is full, fails, or can only be read. The log of the server has more.';

/** Writes one record anew each time. */
function writesCheck({ store, clock, database, replica }: ReadinessDeps): ReadinessCheck {
  const advice = database === null ? LOOK_AT_DISK : LOOK_AT_DATABASE;
  return {
    name: 'writes',
    adviceElse: advice,
    async look() {
      if (replica?.isActive === false) return WELL;
      const json = JSON.stringify({ writtenAt: clock.timestamp() });
      try {
        await store.write({ documents: [{ collection: 'readiness', key: 'probe', json }] });
        return WELL;
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return {
          problem: { what: `The store does not take writes: ${why}`, advice },
        };
      }
    },
  };
}

/** PostgreSQL looks after its disk and its pages itself. */
function databaseCheck(database: Pick<DatabaseSigns, 'look'>): ReadinessCheck {
  return {
    name: 'database',
    adviceElse: LOOK_AT_DATABASE,
    async look() {
      const what = await database.look();
      return what === null ? WELL : { problem: { what, advice: LOOK_AT_DATABASE } };
    },
  };
}

const LOOK_AT_DATABASE =
  'Look whether PostgreSQL runs, and at its log. The server goes on by itself when it is back (tutti docs operate/postgresql).';

function diskCheck({ dataDir }: ReadinessDeps): ReadinessCheck {
  return {
    name: 'disk',
    adviceElse: LOOK_AT_DISK,
    async look() {
      const { bavail, bsize, files, ffree } = await statfs(dataDir);
      const freeMib = Math.floor((bavail * bsize) / 1024 ** 2);
      // The server refuses files of runs then.
      if (bavail * bsize < RESERVED_BYTES) {
        return { problem: { what: `The disk has ${freeMib} MiB left.`, advice: MAKE_ROOM } };
      }
      // File systems without a limit of files report 0 for both.
      const hasNoFiles = files > 0 && ffree === 0;
      return hasNoFiles
        ? { problem: { what: 'The disk takes no further files.', advice: MAKE_ROOM } }
        : WELL;
    },
  };
}

const MAKE_ROOM =
  'Make room on the disk of the data directory, or enlarge it. With a lower retention.runs or retention.minutes, fewer runs are kept.';

function pagesCheck({ pages }: ReadinessDeps): ReadinessCheck {
  return {
    name: 'pages',
    adviceElse: LOOK_AT_DISK,
    async look() {
      const patience = pause(LIMITS.readinessPagesMs, undefined, { ref: false });
      const { problem, note } = await pages.state(patience);
      return {
        problem: problem === null ? null : { what: damaged(problem), advice: RESTORE },
        ...(note !== null && { note }),
      };
    },
  };
}

const damaged = (problem: string): string =>
  `The database has damaged pages: ${problem.replace(/\s*\n\s*/g, '; ')}.`;

const RESTORE =
  'Stop the server, run "tutti doctor" on its data directory, and restore a backup (tutti docs operate/backup).';

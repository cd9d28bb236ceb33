/** Opens the store of a server, and logs damage. */
import type { Clock } from './runtime/clock.ts';
import type { ServerConfig } from './runtime/config.ts';
import { databaseOf } from './runtime/data-directory.ts';
import type { Logger } from './runtime/logger.ts';
import type { MemoryBounds } from './runtime/memory-bounds.ts';
import type { Meters } from './runtime/meters.ts';
import { keptLogText } from './store/sqlite/kept-log.ts';
import { SQLITE_LIMITS } from './store/sqlite/limits.ts';
import { PagesCheck } from './store/sqlite/pages-check.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import type { Store } from './store/store.ts';

export interface StoreDeps {
  readonly config: Pick<ServerConfig, 'dataDir'>;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly meters: Meters;
  readonly isLocal: boolean;
  readonly bounds: Pick<MemoryBounds, 'waitingWrites'>;
}

export interface OpenedStore {
  readonly opened: Store;
  readonly pages: PagesCheck;
}

export async function openStore(deps: StoreDeps): Promise<OpenedStore> {
  const { config, logger, clock, meters, isLocal, bounds } = deps;
  const file = databaseOf(config.dataDir);
  const pages = new PagesCheck({ file, now: () => performance.now() });
  const opened = await openSqliteStore({
    file,
    meter: { clock, meters },
    writesHere: isLocal,
    limits: { queueSizeMax: Math.min(SQLITE_LIMITS.queueSizeMax, bounds.waitingWrites) },
    onDamage: (error) => {
      pages.noteDamage(error);
      logger.error({ err: error }, DAMAGED_PAGES);
    },
    onKeptLog: (kept) => logger.error(kept, keptLogText(kept)),
    onFailure: (error) => {
      // The server can promise nothing any more. A supervisor restarts it, and no confirmed event is lost.
      logger.fatal({ err: error }, 'The store failed.');
      process.exit(1);
    },
  });
  return { opened, pages };
}

const DAMAGED_PAGES =
  'The database has damaged pages. Stop the server, run "tutti doctor" on its data directory, and restore a backup (tutti docs operate/backup).';

/** Opens the store of a server: in the data directory, or in a database. Logs damage. */
import { OrchestratorError } from '@tutti/manifests';
import type { Replica } from './cluster/replica.ts';
import type { Clock } from './runtime/clock.ts';
import type { ServerConfig } from './runtime/config.ts';
import { databaseOf, storeRecordOf } from './runtime/data-directory.ts';
import type { Logger } from './runtime/logger.ts';
import type { MemoryBounds } from './runtime/memory-bounds.ts';
import type { Meters } from './runtime/meters.ts';
import { recordedPlace } from './runtime/place-record.ts';
import type { DatabaseSigns } from './store/database-signs.ts';
import { keptLogText } from './store/sqlite/kept-log.ts';
import { SQLITE_LIMITS } from './store/sqlite/limits.ts';
import { PagesCheck } from './store/sqlite/pages-check.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import type { Store } from './store/store.ts';

export interface StoreDeps {
  readonly config: ServerConfig;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly meters: Meters;
  readonly isLocal: boolean;
  readonly bounds: Pick<MemoryBounds, 'waitingWrites'>;
}

export interface OpenedStore {
  readonly opened: Store;
  readonly pages: Pick<PagesCheck, 'state'>;
  /** Null where the store is in the data directory. */
  readonly database: DatabaseSigns | null;
  /** This server as one of several; null for a server alone. */
  readonly replica: Replica | null;
}

/** Throws with the problem and what to do. */
export async function openStore(deps: StoreDeps): Promise<OpenedStore> {
  const { dataDir, store } = deps.config;
  // A local run keeps its events where it is called: others may use the database meanwhile.
  const url = deps.isLocal ? undefined : store;
  if (url !== undefined) return await openElsewhere(deps, url);
  const recorded = recordedPlace(storeRecordOf(dataDir));
  if (recorded !== null) throw isElsewhere(dataDir, recorded);
  return await openEmbedded(deps);
}

/** The refusal of a command that reads runs from the data directory. */
export const isElsewhere = (dataDir: string, recorded: string): OrchestratorError =>
  refusal(
    `The runs of ${dataDir} are in a database. Start a server with --store '${recorded}', or name another directory with --data-dir.`,
  );

const refusal = (message: string): OrchestratorError => new OrchestratorError('Invalid', message);

async function openEmbedded(deps: StoreDeps): Promise<OpenedStore> {
  const { config, logger, clock, meters, isLocal } = deps;
  const file = databaseOf(config.dataDir);
  const pages = new PagesCheck({ file, now: () => performance.now() });
  const opened = await openSqliteStore({
    file,
    meter: { clock, meters },
    writesHere: isLocal,
    limits: limitsOf(deps),
    onDamage: (error) => {
      pages.noteDamage(error);
      logger.error({ err: error }, DAMAGED_PAGES);
    },
    onKeptLog: (kept) => logger.error(kept, keptLogText(kept)),
    onFailure: (error) => endServer(logger, error),
  });
  return { opened, pages, database: null, replica: null };
}

async function openElsewhere(given: StoreDeps, url: string): Promise<OpenedStore> {
  const { config, logger, clock, meters } = given;
  const { openDatabase } = await import('./open-database.ts');
  const deps = {
    ...{ url, dataDir: config.dataDir, logger, limits: limitsOf(given) },
    meter: { clock, meters },
    onFailure: (error: Error) => endServer(logger, error),
  };
  // PostgreSQL looks after its pages itself.
  const pages = { state: async () => ({ problem: null, note: null }) };
  if (config.cluster.address !== undefined) {
    const { openAsReplica } = await import('./open-replica.ts');
    return { ...(await openAsReplica(deps, config)), pages };
  }
  const opened = await openDatabase(deps);
  return { opened, pages, database: opened.database, replica: null };
}

const limitsOf = ({ bounds }: StoreDeps) => ({
  queueSizeMax: Math.min(SQLITE_LIMITS.queueSizeMax, bounds.waitingWrites),
});

/** The server can promise nothing any more. A supervisor restarts it, and no confirmed event is lost. */
function endServer(logger: Logger, error: Error): void {
  logger.fatal({ err: error }, 'The store failed.');
  process.exit(1);
}

const DAMAGED_PAGES =
  'The database has damaged pages. Stop the server, run "tutti doctor" on its data directory, and restore a backup (tutti docs operate/backup).';

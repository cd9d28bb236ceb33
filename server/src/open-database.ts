/** Opens the store of a server in a database. Loaded only where one is configured. */
import { existsSync } from 'node:fs';
import { OrchestratorError } from '@tutti/manifests';
import { databaseOf, storeRecordOf } from './runtime/data-directory.ts';
import type { Logger } from './runtime/logger.ts';
import { recordedPlace, recordPlace } from './runtime/place-record.ts';
import type { DatabaseStore } from './store/database-signs.ts';
import { parseDatabasePlace } from './store/postgres/database-place.ts';
import type { PostgresStoreOptions, ReplicaStore } from './store/postgres/postgres-store.ts';
import { SQLITE_LIMITS } from './store/sqlite/limits.ts';
import { serverLockOf, takeLock } from './store/sqlite/lock-file.ts';

export interface DatabaseDeps extends PostgresStoreOptions {
  readonly dataDir: string;
  readonly logger: Logger;
}

/** Throws with the problem and what to do. */
export async function openDatabase(deps: DatabaseDeps): Promise<DatabaseStore> {
  return await openWith(deps, ({ openPostgresStore }) => openPostgresStore);
}

/** The same for one of several servers that share the database. */
export async function openSharedDatabase(deps: DatabaseDeps): Promise<ReplicaStore> {
  return await openWith(deps, ({ openReplicaStore }) => openReplicaStore);
}

type PostgresStores = typeof import('./store/postgres/postgres-store.ts');

async function openWith<Opened extends DatabaseStore>(
  deps: DatabaseDeps,
  opener: (stores: PostgresStores) => (options: PostgresStoreOptions) => Promise<Opened>,
): Promise<Opened> {
  const { dataDir, logger, ...options } = deps;
  const { address } = parseDatabasePlace(options.url);
  const file = databaseOf(dataDir);
  refuseOtherPlace(dataDir, address);
  const lock = takeLock(serverLockOf(file), SQLITE_LIMITS.lockWaitMs);
  if (lock === null)
    throw refusal(
      `Another server uses ${dataDir}. Stop that server, or name another directory with --data-dir.`,
    );
  try {
    const open = opener(await import('./store/postgres/postgres-store.ts'));
    const opened = await open({
      ...options,
      onAway: (error) => logger.error({ err: error }, 'The database is not available.'),
    });
    recordPlace(storeRecordOf(dataDir), address);
    const close = async () => {
      await opened.close();
      lock.release();
    };
    return { ...opened, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

const refusal = (message: string): OrchestratorError => new OrchestratorError('Invalid', message);

function refuseOtherPlace(dataDir: string, address: string): void {
  const recorded = recordedPlace(storeRecordOf(dataDir));
  if (recorded === address) return;
  if (recorded !== null) {
    throw refusal(
      `The runs of ${dataDir} are in ${recorded}, and store names ${address}. Correct store. Where both are the same database, remove ${storeRecordOf(dataDir)}.`,
    );
  }
  if (!existsSync(databaseOf(dataDir))) return;
  throw refusal(
    `Runs are in ${databaseOf(dataDir)}, and store names ${address}. Give the server another data directory, or move that file away: its runs are then not shown.`,
  );
}

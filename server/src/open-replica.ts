/** Opens a server as one of several replicas. Loaded only where `cluster.address` is set. */
import { hash, randomUUID } from 'node:crypto';
import { fingerprintOf } from './auth/key-fingerprint.ts';
import { ensureSigningKey } from './auth/signing-key.ts';
import { openReplica, type Replica } from './cluster/replica.ts';
import { type DatabaseDeps, openSharedDatabase } from './open-database.ts';
import type { ServerConfig } from './runtime/config.ts';
import { SERVER_VERSION } from './runtime/version.ts';
import type { DatabaseSigns, DatabaseStore } from './store/database-signs.ts';

export interface OpenedReplica {
  readonly opened: DatabaseStore;
  readonly database: DatabaseSigns;
  readonly replica: Replica;
}

/** Throws with the problem and what to do. */
export async function openAsReplica(
  database: DatabaseDeps & { readonly onFailure: (error: Error) => void },
  config: ServerConfig,
): Promise<OpenedReplica> {
  const opened = await openSharedDatabase(database);
  try {
    const replica = await openReplica({
      url: database.url,
      me: {
        replica: randomUUID(),
        address: config.cluster.address ?? '',
        version: SERVER_VERSION,
        configuration: await digestOf(config),
      },
      store: opened,
      logger: database.logger,
      fail: database.onFailure,
    });
    return { opened, database: opened.database, replica };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** The key that signs tokens, and the settings but those of one machine. Both should be the same on all replicas. */
async function digestOf(config: ServerConfig): Promise<string> {
  const { publicKey } = await ensureSigningKey(config.dataDir);
  const { host, port, servicePorts, tls, dataDir, store, blobs, cluster, logLevel, ...common } =
    config;
  return `${fingerprintOf(publicKey)} ${hash('sha256', JSON.stringify(common), 'base64url')}`;
}

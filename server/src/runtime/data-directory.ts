/** Paths in a data directory. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from './make-directory.ts';

/** The address of a running server, for other commands on the machine. */
export const SERVER_FILE = 'server.json';

export const databaseOf = (dataDir: string): string => join(dataDir, 'store', 'tutti.db');

export const blobsOf = (dataDir: string): string => join(dataDir, 'blobs');

/** The name of the bucket that has the files of its runs; missing where they are in `blobs`. */
export const bucketRecordOf = (dataDir: string): string => join(dataDir, 'bucket.json');

/** The address of the database that has its runs; missing where they are in `store`. */
export const storeRecordOf = (dataDir: string): string => join(dataDir, 'store.json');

/** The list of revoked tokens. */
export const revokedTokensOf = (dataDir: string): string => join(dataDir, 'revoked-tokens.json');

/**
 * Creates a missing directory, and makes Git ignore it. It often lies in a project folder, and its content (keys, tokens, logs)
 * must not get into a repository.
 */
export function makeDataDirectory(dataDir: string): void {
  if (makeDirectory(dataDir)) {
    writeFileSync(join(dataDir, '.gitignore'), '*\n', { mode: 0o600 });
  }
}

/** Where things lie in a data directory. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory } from './make-directory.ts';

/** Where a running server says how to reach it; other commands on the machine find it there. */
export const SERVER_FILE = 'server.json';

export const databaseOf = (dataDir: string): string => join(dataDir, 'store', 'tutti.db');

export const blobsOf = (dataDir: string): string => join(dataDir, 'blobs');

/** Which single tokens were revoked. */
export const revokedTokensOf = (dataDir: string): string => join(dataDir, 'revoked-tokens.json');

/**
 * Makes it where it is missing, and has Git pass over a new one: it often lies in the folder of a project, and what is in it (keys,
 * tokens, logs) must not get into a repository.
 */
export function makeDataDirectory(dataDir: string): void {
  if (makeDirectory(dataDir)) {
    writeFileSync(join(dataDir, '.gitignore'), '*\n', { mode: 0o600 });
  }
}

/** Where things lie in a data directory. */
import { join } from 'node:path';

/** Where a running server says how to reach it; other commands on the machine find it there. */
export const SERVER_FILE = 'server.json';

export const databaseOf = (dataDir: string): string => join(dataDir, 'store', 'tutti.db');

export const blobsOf = (dataDir: string): string => join(dataDir, 'blobs');

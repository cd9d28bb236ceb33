/** Opens the connections: one that writes, one that reads, and one that only holds the lock. */
import { DatabaseSync } from 'node:sqlite';
import { type FileLock, makePrivate, serverLockOf, takeLock } from './lock-file.ts';
import { OpenRefusal } from './writer-protocol.ts';

const CACHE_KIB = 4 * 1024;
/** 16 MiB of changes per checkpoint: pages that many appends touch are then copied into the database once. */
const CHECKPOINT_PAGES = 4_000;
const WAL_SIZE_MAX = 32 * 1024 * 1024;
/** For somebody who looks into the database with another tool; no other server can be there. */
const WRITER_WAIT_MS = 5_000;
const READER_WAIT_MS = 1_000;

/** Opens the file, or makes an empty one; nothing in it is changed yet. */
export function openDatabase(file: string): DatabaseSync {
  // The other files of the database get the rights of this one: logs and manifests are for the server's user alone.
  makePrivate(file);
  return new DatabaseSync(file, { timeout: WRITER_WAIT_MS });
}

/** Write-ahead logging lets readers go on during writes; FULL makes every commit wait for the disk. */
export function configureWriter(db: DatabaseSync, file: string): void {
  const mode = db.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode;
  if (mode !== 'wal') {
    throw new OpenRefusal(
      `The file system of ${file} cannot share memory between connections. Put the data directory on a local disk.`,
    );
  }
  db.exec(`
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA cache_size = -${CACHE_KIB};
    PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
    PRAGMA journal_size_limit = ${WAL_SIZE_MAX};
  `);
}

/** Only while a writer has the file open, which makes the shared memory that readers need. */
export function openReader(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: READER_WAIT_MS });
  db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  return db;
}

/**
 * Takes the data directory for this process until the lock is released. Throws OpenRefusal when another server has it.
 */
export function lockDatabase(file: string, waitMs: number): FileLock {
  const lock = takeLock(serverLockOf(file), waitMs);
  if (lock !== null) return lock;
  throw new OpenRefusal(
    `Another server uses ${file}. Stop that server, or give this one a data directory of its own.`,
  );
}

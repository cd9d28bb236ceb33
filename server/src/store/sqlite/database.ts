/** The connections to a database that is ready: one that writes, and one that reads. */
import { DatabaseSync } from 'node:sqlite';

const CACHE_KIB = 4 * 1024;
/** 16 MiB of changes per checkpoint: pages that many appends touch are then copied into the database once. */
const CHECKPOINT_PAGES = 4_000;
const WAL_SIZE_MAX = 32 * 1024 * 1024;
/** For somebody who looks into the database with another tool; no other server can be there. */
const WRITER_WAIT_MS = 5_000;
const READER_WAIT_MS = 1_000;

/** Opens the file; nothing in it is read or changed yet. */
export function openDatabase(file: string): DatabaseSync {
  return new DatabaseSync(file, { timeout: WRITER_WAIT_MS });
}

/** FULL makes every commit wait for the disk. */
export function configureWriter(db: DatabaseSync): void {
  db.exec(`
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA cache_size = -${CACHE_KIB};
    PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
    PRAGMA journal_size_limit = ${WAL_SIZE_MAX};
  `);
}

/** Commits survive the end of the process at once, and that of the machine when the log is synchronized. */
export function leaveSyncToClose(db: DatabaseSync): void {
  db.exec('PRAGMA synchronous = NORMAL');
}

/** Opens a connection for reading. Another connection must be open for writing, since it makes the shared memory that readers need. */
export function openReader(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: READER_WAIT_MS });
  db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  return db;
}

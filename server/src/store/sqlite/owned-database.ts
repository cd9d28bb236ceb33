/** Takes a database for this process, and brings it to the newest schema. */
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { OrchestratorError } from '@tutti/manifests';
import { noRoomFor } from '../writes/no-room.ts';
import { configureWriter, openDatabase } from './database.ts';
import { isFullDisk } from './full-disk.ts';
import { damageText, type KeptLog, keepDamagedLog } from './kept-log.ts';
import { type FileLock, makePrivate, serverLockOf, takeLock } from './lock-file.ts';
import { findLogDamage, logIndexOf, logOf } from './log-damage.ts';
import { migrate, refuseOlder, refuseUnusable } from './migrate.ts';
import { MIGRATIONS } from './migrations.ts';
import { OpenRefusal } from './open-refusal.ts';

export interface OwnedDatabase {
  readonly db: DatabaseSync;
  /** The damaged log that was found and kept; null where it was whole. */
  readonly keptLog: KeptLog | null;
  /** When all other connections of this process are closed: the last one folds the log into the database. */
  close(): void;
}

/**
 * The database is ready for writers and readers, and no other server can have it, until it is closed. Its folder is made if it is
 * missing. Throws `Conflict` when another server uses it, and when it is of a newer version or no database of ours.
 */
export function ownDatabase(file: string, waitMs: number): OwnedDatabase {
  try {
    return lockAndPrepare(file, waitMs);
  } catch (error) {
    if (error instanceof OpenRefusal) throw conflict(error);
    throw isFullDisk(error) ? noRoomFor(file) : error;
  }
}

/**
 * Opens a database for reading only, beside whoever else has it: nothing is locked for longer than a look. Throws `Conflict` for a database
 * that its owner has to bring to the newest schema first.
 */
export function shareDatabase(file: string): OwnedDatabase {
  refuseDamagedLog(file);
  // One that can write makes the shared memory that readers need.
  const db = openDatabase(file);
  try {
    refuseUnusable(db, file, MIGRATIONS.length);
    refuseOlder(db, file, MIGRATIONS.length);
    return { db, keptLog: null, close: () => db.close() };
  } catch (error) {
    db.close();
    throw error instanceof OpenRefusal ? conflict(error) : error;
  }
}

/** SQLite would pass over the damage, and the last one to close the database removes the log. */
function refuseDamagedLog(file: string): void {
  const damage = lookAtUnusedLog(file);
  if (damage === null) return;
  throw conflict(
    new OpenRefusal(
      `${damageText(damage)} Start a server on the data directory, or run "tutti doctor --repair": both keep the log beside ${file}.`,
    ),
  );
}

/** The log changes while a server uses it: then it is whole, or that server has found the damage. */
export function lookAtUnusedLog(file: string): ReturnType<typeof findLogDamage> {
  if (!existsSync(logOf(file)) && !existsSync(logIndexOf(file))) return null;
  const lock = takeLock(serverLockOf(file), 0);
  if (lock === null) return null;
  try {
    return findLogDamage(file);
  } finally {
    lock.release();
  }
}

function conflict(cause: OpenRefusal): OrchestratorError {
  return new OrchestratorError('Conflict', cause.message, { cause });
}

function lockAndPrepare(file: string, waitMs: number): OwnedDatabase {
  const lock = lockDatabase(file, waitMs);
  try {
    const keptLog = keepLogIfDamaged(file);
    const db = prepareDatabase(file);
    // Else the next start would find the part behind the damage again.
    if (keptLog !== null) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return {
      db,
      keptLog,
      close() {
        db.close();
        // Last: nobody else may open the database before it is closed.
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function keepLogIfDamaged(file: string): KeptLog | null {
  const damage = findLogDamage(file);
  return damage === null ? null : keepDamagedLog(file, damage);
}

/** Takes the data directory for this process until the lock is released. */
function lockDatabase(file: string, waitMs: number): FileLock {
  const lock = takeLock(serverLockOf(file), waitMs);
  if (lock !== null) return lock;
  throw new OpenRefusal(
    `Another server uses ${file}. Stop that server, or give this one a data directory of its own.`,
    'in-use',
  );
}

function prepareDatabase(file: string): DatabaseSync {
  // The other files of the database get the rights of this one. Logs and manifests are for the server's user alone. Before there are
  // connections. Where locks belong to processes, closing a file releases the locks of all its users.
  makePrivate(file);
  const db = openDatabase(file);
  try {
    refuseUnusable(db, file, MIGRATIONS.length);
    useWriteAheadLog(db, file);
    configureWriter(db);
    migrate(db, MIGRATIONS);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Lets readers go on during writes. The database remembers it. */
function useWriteAheadLog(db: DatabaseSync, file: string): void {
  const mode = db.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode;
  if (mode === 'wal') return;
  throw new OpenRefusal(
    `The file system of ${file} cannot share memory between connections. Put the data directory on a local disk.`,
  );
}

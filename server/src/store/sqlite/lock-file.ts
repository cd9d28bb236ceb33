/** Locks between processes. They are the operating system's, so that those of a killed process are gone with it. */
import { chownSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeDirectory } from '../../runtime/make-directory.ts';

const SQLITE_BUSY = 5;

export interface FileLock {
  release(): void;
}

/**
 * Takes the lock of a file, and makes a missing file. Null if another process still has the lock after `waitMs`. The thread does nothing
 * else meanwhile.
 */
export function takeLock(file: string, waitMs: number): FileLock | null {
  makeDirectory(dirname(file));
  makeLockFile(file);
  const lock = new DatabaseSync(file, { timeout: waitMs });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return { release: () => lock.close() };
  } catch (error) {
    lock.close();
    if (isBusy(error)) return null;
    throw error;
  }
}

/**
 * The lock of a file that all parts of this process share. The first part takes it, if no other process has it. The last one gives it back.
 */
export function sharedLock(file: string): () => FileLock | null {
  let lock: FileLock | null = null;
  let users = 0;
  const leave = () => {
    users -= 1;
    if (users > 0) return;
    lock?.release();
    lock = null;
  };
  return () => {
    lock ??= takeLock(file, 0);
    if (lock === null) return null;
    users += 1;
    return { release: leave };
  };
}

/** An administrator's lock beside the data of another account gets that account as owner. Its server could not take the lock otherwise. */
function makeLockFile(file: string): void {
  const isNew = !existsSync(file);
  makePrivate(file);
  if (!isNew || process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(file));
  try {
    chownSync(file, uid, gid);
  } catch {
    // Some file systems and containers give no files away; then it stays as it is.
  }
}

/** Makes the file, for its owner alone, if it is missing. */
export function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

/** Lock of the server that uses a database. */
export const serverLockOf = (databaseFile: string): string => `${databaseFile}.lock`;

/** Lock of a process that removes files of runs, or copies them. */
export const filesLockOf = (databaseFile: string): string => `${databaseFile}.files.lock`;

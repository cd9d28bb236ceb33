/** Changes of a file by several processes at the same time: each sees what the one before it wrote, so that none is lost. */
import { existsSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { takeLock } from '@tutti/server/lock-file';
import { UsageError } from '../terminal/problem.ts';

/** A change takes milliseconds; a whole queue of them is over by then. */
const PATIENCE_MS = 5_000;

/** What has the lock of a file while it is changed. It stays, as others may wait for it. */
export const lockOf = (file: string): string => `${file}.change-lock`;

/**
 * Writes what `contentOf` makes of the file as it is by then: as a whole or not at all, for its owner alone. Throws as the file system does,
 * and `UsageError` where another change does not end.
 */
export function changeFile(
  file: string,
  contentOf: () => string,
  patienceMs: number = PATIENCE_MS,
): void {
  // A link stays one.
  const target = existsSync(file) ? realpathSync(file) : file;
  const lock = takeLock(lockOf(target), patienceMs);
  if (lock === null) {
    throw new UsageError(
      `${file} is being changed by another command.`,
      'try again when that command has ended.',
    );
  }
  try {
    replace(target, contentOf());
  } finally {
    lock.release();
  }
}

/** The new file has another name before it is whole; what a killed change left there goes. */
function replace(target: string, content: string): void {
  const next = `${target}.next`;
  rmSync(next, { force: true });
  try {
    writeFileSync(next, content, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(next, target);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

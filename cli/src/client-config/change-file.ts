/** Changes a file safely while other processes change it, too: each sees the changes before it, so none is lost. */
import { existsSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { takeLock } from '@tutti/server/lock-file';
import { UsageError } from '../terminal/problem.ts';

/** A change takes milliseconds, so even a queue of them ends within this time. */
const PATIENCE_MS = 5_000;

/** Name of the lock file that guards changes of a file. It is never deleted, because others may wait for the lock. */
export const lockOf = (file: string): string => `${file}.change-lock`;

/**
 * Replaces the file with the result of `contentOf`, which sees the file as it is then. The new file is written whole or not at
 * all, for its owner only. Throws file system errors, and `UsageError` if another change does not end.
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

/** The new file has another name until it is complete; the leftover of a killed change is removed. */
function replace(target: string, content: string): void {
  const next = `${target}.next`;
  rmSync(next, { force: true });
  try {
    writeFileSync(next, content, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(next, target);
  } finally {
    rmSync(next, { force: true });
  }
}

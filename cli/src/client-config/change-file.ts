/** Changes of a file by several processes at the same time: each sees what the one before it wrote, so that none is lost. */
import {
  closeSync,
  existsSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '@tutti/agent/make-directory';
import { UsageError } from '../terminal/problem.ts';
import { LockHeldError, type LockHolder, takeFileLock } from './file-lock.ts';

const PRIVATE = 0o600;
/** A change takes milliseconds; a whole queue of them is over by then. */
export const PATIENCE_MS = 5_000;

/**
 * Writes what `contentOf` makes of the file as it is by then: as a whole or not at all, for its owner alone. Throws as the file system does,
 * and `UsageError` where another change does not end.
 */
export async function changeFile(
  file: string,
  contentOf: () => string,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  makeDirectory(dirname(file));
  // A link stays one.
  const target = existsSync(file) ? realpathSync(file) : file;
  const release = await lockOf(target, file, patienceMs);
  // Nothing is waited for from here on, so that others wait for as little as can be.
  try {
    replace(target, contentOf());
  } finally {
    release();
  }
}

async function lockOf(target: string, file: string, patienceMs: number): Promise<() => void> {
  const lock = `${target}.lock`;
  try {
    return await takeFileLock(lock, patienceMs);
  } catch (error) {
    throw error instanceof LockHeldError ? neverEnds(lock, file, error.holder) : error;
  }
}

/** The new file has another name before it is whole; what a killed change left there goes. */
function replace(target: string, content: string): void {
  const next = `${target}.next`;
  rmSync(next, { force: true });
  try {
    writeWhole(next, content);
    renameSync(next, target);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

function writeWhole(file: string, content: string): void {
  const descriptor = openSync(file, 'wx', PRIVATE);
  try {
    writeFileSync(descriptor, content, { flush: true });
  } finally {
    closeSync(descriptor);
  }
}

function neverEnds(lock: string, file: string, holder: LockHolder | null): UsageError {
  const [other, next] =
    holder === null
      ? ['another command, or one was ended while it did', 'no other command is at work']
      : [`process ${holder.pid} on ${holder.host}`, 'that process is no command, or none any more'];
  return new UsageError(
    `${file} is being changed by ${other}: there is a file ${lock}.`,
    `try again; if ${next}, remove that file.`,
  );
}

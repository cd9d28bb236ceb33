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
import { setTimeout as pause } from 'node:timers/promises';
import { makeDirectory } from '@tutti/agent/make-directory';
import { codeOf } from '../file-problem.ts';
import { UsageError } from '../problem.ts';

const PRIVATE = 0o600;
const RETRY_MS = 20;
/** A change takes milliseconds; a whole queue of them is over by then. */
export const PATIENCE_MS = 5_000;

/**
 * Writes what `contentOf` makes of the file as it is by then: as a whole or not at all, for its owner alone. The new file, under the name that
 * it has before it is whole, keeps others out. Throws as the file system does, and `UsageError` where another change does not end.
 */
export async function changeFile(
  file: string,
  contentOf: () => string,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  makeDirectory(dirname(file));
  // A link stays one.
  const target = existsSync(file) ? realpathSync(file) : file;
  const next = `${target}.lock`;
  const descriptor = await openAlone(next, file, patienceMs);
  // Nothing is waited for from here on, so that others wait for as little as can be.
  try {
    writeWhole(descriptor, contentOf);
    renameSync(next, target);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

function writeWhole(descriptor: number, contentOf: () => string): void {
  try {
    writeFileSync(descriptor, contentOf(), { flush: true });
  } finally {
    closeSync(descriptor);
  }
}

async function openAlone(next: string, file: string, patienceMs: number): Promise<number> {
  const giveUpAtMs = performance.now() + patienceMs;
  for (;;) {
    try {
      return openSync(next, 'wx', PRIVATE);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    if (performance.now() >= giveUpAtMs) throw neverEnds(next, file);
    await pause(RETRY_MS);
  }
}

const neverEnds = (next: string, file: string): UsageError =>
  new UsageError(
    `${file} is being changed by another command, or one was ended while it did: there is a file ${next}.`,
    'try again; if no other command is at work, remove that file.',
  );

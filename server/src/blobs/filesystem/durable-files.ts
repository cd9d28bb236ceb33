/** File operations that are finished only when they survive a power cut. */
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeDirectory } from '../../runtime/make-directory.ts';

/** Renames of a file into a folder that is removed at the same time; each try makes the folder anew. */
const RENAME_TRIES_MAX = 5;

/**
 * Moves a synced file to its place. The folder is made if it is missing. Removing a folder right after the move also removes the file, as
 * if the removal had come later.
 */
export async function moveDurably(from: string, to: string): Promise<void> {
  const folder = dirname(to);
  const made = await moveIntoFolder(from, to);
  await syncFolder(folder);
  if (made) await syncFolder(dirname(folder));
}

/** True when the folder had to be made. */
async function moveIntoFolder(from: string, to: string): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const made = makeDirectory(dirname(to));
    try {
      await rename(from, to);
      return made;
    } catch (error) {
      if (!isMissing(error) || tries === RENAME_TRIES_MAX) throw error;
    }
  }
}

/** Makes the names in a folder durable, unless it is gone. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and keeps names in a journal of its own.
  if (process.platform === 'win32') return;
  const handle = await openForReading(folder);
  await handle?.sync().finally(() => handle.close());
}

/** Null when there is no such file. */
export async function openForReading(file: string): Promise<FileHandle | null> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

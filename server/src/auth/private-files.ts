/** Small secret files: a reader sees the whole content or none, and only their owner may read them. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, link, open, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export const PRIVATE_FILE = 0o600;

/** Writes the file unless it exists; of several writers at once the first one wins. */
export async function createFile(file: string, content: () => string): Promise<void> {
  // A disk that can only be read has all that is needed then.
  if (existsSync(file)) return;
  const temporary = await writeTemporary(file, content());
  try {
    await link(temporary, file);
  } catch (error) {
    if (!isExisting(error)) throw error;
  } finally {
    await unlink(temporary);
  }
}

/** Removes the rights of all users but the owner on a file. */
export async function makePrivate(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & 0o777) !== PRIVATE_FILE) await chmod(file, PRIVATE_FILE);
}

export async function replaceFile(file: string, content: string): Promise<void> {
  await rename(await writeTemporary(file, content), file);
}

/** Makes sure that a failure of the machine does not bring back the file that was replaced. */
export async function syncDirectoryOf(file: string): Promise<void> {
  // Windows has no such thing, and needs none.
  if (process.platform === 'win32') return;
  const handle = await open(dirname(file), 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeTemporary(file: string, content: string): Promise<string> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  await writeFile(temporary, content, { mode: PRIVATE_FILE, flag: 'wx', flush: true });
  return temporary;
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

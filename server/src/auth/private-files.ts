/** Small secret files: a reader sees the whole content or none, and only their owner may read them. */
import { randomUUID } from 'node:crypto';
import { link, rename, unlink, writeFile } from 'node:fs/promises';

export const PRIVATE_FILE = 0o600;

/** Writes the file unless it exists; of several writers at once the first one wins. */
export async function createFile(file: string, content: () => string): Promise<void> {
  const temporary = await writeTemporary(file, content());
  try {
    await link(temporary, file);
  } catch (error) {
    if (!isExisting(error)) throw error;
  } finally {
    await unlink(temporary);
  }
}

export async function replaceFile(file: string, content: string): Promise<void> {
  await rename(await writeTemporary(file, content), file);
}

async function writeTemporary(file: string, content: string): Promise<string> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  await writeFile(temporary, content, { mode: PRIVATE_FILE, flag: 'wx', flush: true });
  return temporary;
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

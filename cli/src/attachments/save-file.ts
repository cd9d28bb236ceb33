/** Files appear whole or not at all: they are written under another name beside their place, then named. */
import { randomUUID } from 'node:crypto';
import { access, link, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory } from '@tutti/agent/make-directory';
import { codeOf } from '../terminal/file-problem.ts';

export interface SaveOptions {
  /** Replaces an existing file. */
  readonly force: boolean;
}

/** A file of that name exists, and the user did not allow to replace it. */
export class FileInTheWay extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`There is a file ${path} already.`);
    this.path = path;
  }
}

/** `openContent` is called when the file can be written. Rejects with its error or that of the file system, and leaves nothing. */
export async function saveFile(
  path: string,
  openContent: () => Promise<AsyncIterable<Uint8Array>>,
  { force }: SaveOptions,
): Promise<void> {
  const folder = dirname(path);
  makeDirectory(folder);
  if (!force && (await isThere(path))) throw new FileInTheWay(path);
  const part = join(folder, `.tutti-${randomUUID()}.part`);
  try {
    await write(part, await openContent());
    await (force ? rename(part, path) : nameNew(part, path));
  } finally {
    await rm(part, { force: true });
  }
}

async function write(part: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(part, 'wx');
  try {
    for await (const bytes of content) await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Error codes of file systems without links. Such a file system cannot say that another process was faster. */
const NO_LINKS: readonly (string | null)[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

async function nameNew(part: string, path: string): Promise<void> {
  try {
    await link(part, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new FileInTheWay(path);
    if (!NO_LINKS.includes(codeOf(error))) throw error;
    await rename(part, path);
  }
}

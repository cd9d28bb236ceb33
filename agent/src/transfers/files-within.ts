/**
 * Opens files and directories that must be below certain directories. Links are followed, and what counts is where the opened file
 * really is: a link that changes between a check and its use leads nowhere else.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';

/** A file that is no file, or is in no directory that counts: another attempt would find the same. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError';
}

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Linux has a path for each open file, which leads to the file itself. Elsewhere there is a moment between check and use. */
const HAS_FILE_PATHS = process.platform === 'linux';

/** A regular file, to be read. The caller closes it. */
export async function openFile(file: string, roots: readonly string[]): Promise<FileHandle> {
  // A pipe that nobody writes to would not open.
  const handle = await open(file, O_RDONLY | (O_NONBLOCK ?? 0));
  return await keepIf(handle, async () => {
    if (!(await handle.stat()).isFile()) {
      throw new UnusableFileError(`${file} is not a regular file.`);
    }
    refuseOutside(file, path.dirname(await realPathOf(handle, file)), roots);
  });
}

/** An open directory: names in it mean what is in this directory, whatever becomes of its path. */
export interface OpenDirectory {
  readonly pathOf: (name: string) => string;
  /** The same text with paths that a reader knows. */
  readonly readable: (text: string) => string;
  close(): Promise<void>;
}

/** The directory of a file that is to be written; it is made where it is missing. The caller closes it. */
export async function openFolderOf(file: string, roots: readonly string[]): Promise<OpenDirectory> {
  const missing: string[] = [];
  let at = path.dirname(file);
  let directory = await tryToOpen(at);
  while (directory === null) {
    missing.push(path.basename(at));
    at = path.dirname(at);
    directory = await tryToOpen(at);
  }
  const existing = directory;
  await keepIf(existing.handle, async () => {
    refuseOutside(file, existing.real, roots);
  });
  for (const name of missing.reverse()) directory = await makeBelow(directory, name);
  return openDirectory(directory);
}

interface Directory {
  readonly handle: FileHandle;
  readonly real: string;
}

/** Null where nothing is. */
async function tryToOpen(at: string): Promise<Directory | null> {
  try {
    return await withPath(await open(at, O_RDONLY | (O_DIRECTORY ?? 0)), at);
  } catch (error) {
    if (isMissing(error) && path.dirname(at) !== at) return null;
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

const withPath = async (handle: FileHandle, at: string): Promise<Directory> => ({
  handle,
  real: await realPathOf(handle, at),
});

/** Somebody else may have made it meanwhile; a link is no directory here. */
async function makeBelow(parent: Directory, name: string): Promise<Directory> {
  const { pathOf, readable } = openDirectory(parent);
  try {
    await mkdir(pathOf(name)).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
    const flags = O_RDONLY | (O_DIRECTORY ?? 0) | (O_NOFOLLOW ?? 0);
    return await withPath(await open(pathOf(name), flags), path.join(parent.real, name));
  } catch (error) {
    throw told(error, readable);
  } finally {
    await parent.handle.close();
  }
}

function openDirectory({ handle, real }: Directory): OpenDirectory {
  const start = HAS_FILE_PATHS ? `/proc/self/fd/${handle.fd}` : real;
  return {
    pathOf: (name) => `${start}/${name}`,
    readable: (text) => text.replaceAll(start, real),
    close: () => handle.close(),
  };
}

/** An error of the system in whose message paths are readable. */
export function told(error: unknown, readable: (text: string) => string): unknown {
  if (error instanceof Error) error.message = readable(error.message);
  return error;
}

async function realPathOf(handle: FileHandle, file: string): Promise<string> {
  if (HAS_FILE_PATHS) return await readlink(`/proc/self/fd/${handle.fd}`);
  const real = await realpath(file);
  const [opened, found] = [await handle.stat(), await lstat(real)];
  if (opened.dev === found.dev && opened.ino === found.ino) return real;
  throw new UnusableFileError(`${file} was replaced while it was opened.`);
}

/** `directory`: the real one of the file. */
function refuseOutside(file: string, directory: string, roots: readonly string[]): void {
  if (roots.some((root) => isWithin(directory, root))) return;
  throw new UnusableFileError(
    `${file} is outside of the workspace of its job. To allow it, start the agent with --allow-path ${directory}`,
  );
}

const isWithin = (at: string, root: string): boolean => {
  const way = path.relative(root, at);
  return way === '' || !(way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way));
};

async function keepIf(handle: FileHandle, check: () => Promise<void>): Promise<FileHandle> {
  try {
    await check();
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

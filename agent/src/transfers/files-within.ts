/**
 * Opens files and directories below given directories, with the rights of the job's user. Links are followed, and the real place
 * of the opened file counts. So a link that changes between check and use leads nowhere else.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { type FileOwner, withRightsOf } from '../jobs/rights.ts';

/** Not a regular file, or outside of allowed directories: a retry would find the same. */
export class UnusableFileError extends Error {
  override readonly name = 'UnusableFileError';
}

export interface Bounds {
  /** Real paths of the allowed directories. */
  readonly roots: readonly string[];
  readonly owner: FileOwner;
}

const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = constants;

/** Linux has a path for each open file, which leads to the file itself. Elsewhere the file may change between check and use. */
const HAS_FILE_PATHS = process.platform === 'linux';
const pathOfOpen = (opened: number): string => `/proc/self/fd/${opened}`;

/** The holder of a lease (`F_SETLEASE`) may keep others waiting for 45 s. */
const READ = O_RDONLY | O_NONBLOCK;

/**
 * Finds the file without opening it: opening a device or pipe may have effects. Node has no name for this Linux flag. Elsewhere
 * the file is opened for reading, without waiting for a pipe's writer.
 */
const FIND = HAS_FILE_PATHS ? 0o10000000 : READ;

/** A regular file, to be read. The caller closes it. */
export async function openFile(file: string, bounds: Bounds): Promise<FileHandle> {
  return await (HAS_FILE_PATHS ? openFound(file, bounds) : openPlainly(file, bounds));
}

async function openFound(file: string, bounds: Bounds): Promise<FileHandle> {
  const { owner } = bounds;
  const found = withRightsOf(owner, () => openSync(file, FIND));
  try {
    refuseUnusable(found, file, bounds);
    const itself = pathOfOpen(found);
    if (owner !== null) closeSync(withRightsOf(owner, () => openSync(itself, READ)));
    return await open(itself, READ);
  } finally {
    closeSync(found);
  }
}

async function openPlainly(file: string, bounds: Bounds): Promise<FileHandle> {
  const handle = await open(file, FIND);
  try {
    refuseUnusable(handle.fd, file, bounds);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function refuseUnusable(opened: number, file: string, { roots }: Bounds): void {
  if (!fstatSync(opened).isFile()) throw new UnusableFileError(`${file} is not a regular file.`);
  refuseOutside(file, path.dirname(realPathOf(opened, file)), roots);
}

/** An open directory: its names mean files in it, even if its path changes. */
export interface OpenDirectory {
  readonly pathOf: (name: string) => string;
  /** The text with readable paths. */
  readonly readable: (text: string) => string;
  close(): void;
}

/** The directory of a file to write; missing ones are made. The caller closes it. */
export function openFolderOf(file: string, { roots, owner }: Bounds): OpenDirectory {
  return withRightsOf(owner, () => {
    const missing: string[] = [];
    let at = path.dirname(file);
    let directory = tryToOpen(at);
    while (directory === null) {
      missing.push(path.basename(at));
      at = path.dirname(at);
      directory = tryToOpen(at);
    }
    const existing = directory;
    closeOnError(existing.opened, () => refuseOutside(file, existing.real, roots));
    for (const name of missing.reverse()) directory = makeBelow(directory, name);
    return openDirectory(directory);
  });
}

interface Directory {
  readonly opened: number;
  readonly real: string;
}

/** Null if it does not exist. */
function tryToOpen(at: string): Directory | null {
  try {
    const opened = openSync(at, FIND | O_DIRECTORY);
    return closeOnError(opened, () => ({ opened, real: realPathOf(opened, at) }));
  } catch (error) {
    if (hasCode(error, 'ENOENT') && path.dirname(at) !== at) return null;
    throw error;
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** Another process may have made it meanwhile; a link is no directory here. */
function makeBelow(parent: Directory, name: string): Directory {
  const { pathOf, readable, close } = openDirectory(parent);
  try {
    tryToMake(pathOf(name));
    const opened = openSync(pathOf(name), FIND | O_DIRECTORY | O_NOFOLLOW);
    return { opened, real: path.join(parent.real, name) };
  } catch (error) {
    throw explained(error, readable);
  } finally {
    close();
  }
}

function tryToMake(directory: string): void {
  try {
    mkdirSync(directory);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

function openDirectory({ opened, real }: Directory): OpenDirectory {
  const start = HAS_FILE_PATHS ? pathOfOpen(opened) : real;
  return {
    pathOf: (name) => `${start}/${name}`,
    readable: (text) => text.replaceAll(start, real),
    close: () => closeSync(opened),
  };
}

/** A system error whose message has readable paths. */
export function explained(error: unknown, readable: (text: string) => string): unknown {
  if (error instanceof Error) error.message = readable(error.message);
  return error;
}

/**
 * Throws if the path leads elsewhere. Either the file was replaced, so a retry may find it, or it was opened through another
 * process's mounts.
 */
function realPathOf(opened: number, file: string): string {
  const real = HAS_FILE_PATHS ? readlinkSync(pathOfOpen(opened)) : realpathSync(file);
  const own = fstatSync(opened);
  const found = lstatSync(real, { throwIfNoEntry: false });
  if (own.dev === found?.dev && own.ino === found.ino) return real;
  throw new Error(`${file} is not where its path says, or is being replaced.`);
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

function closeOnError<Result>(opened: number, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    closeSync(opened);
    throw error;
  }
}

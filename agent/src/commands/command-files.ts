/** The script of a command, the file of variables that it may leave, and the leftovers of its job. */
import {
  chownSync,
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { readdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { Removal, RunOrder } from '@tutti/manifests';
import type { JobSettings } from '../jobs/job-keeper.ts';
import type { AgentFolders } from '../jobs/job-places.ts';
import { removeTree } from '../jobs/remove-tree.ts';
import type { FileOwner } from '../jobs/rights.ts';
import { VARIABLES_BYTES_MAX } from '../limits.ts';
import { makeDirectory } from '../make-directory.ts';

/** Creates missing folders, for the agent's user alone unless jobs have users of their own; existing ones stay unchanged. */
export function createFolders(
  { workspaceDir, scriptPath }: AgentFolders,
  mode: number = OWNER_ONLY,
): void {
  makeDirectory(workspaceDir, mode);
  makeDirectory(scriptPath, mode);
}

const OWNER_ONLY = 0o700;
/** Other users may pass through it to their own files, and list nothing. */
export const PASSABLE = 0o711;

/**
 * Writes the script of a command. It is synchronous, as the file is small and the command waits for it. Only the executing user can read
 * the file, because it contains variables of the workflow, including secrets.
 */
export function writeScript(
  { filename, content, directory, workspace, variables_path: variables }: RunOrder,
  folders: AgentFolders,
  owner: FileOwner = null,
): void {
  createFolders(folders, owner === null ? OWNER_ONLY : PASSABLE);
  if (directory !== undefined) tryToMake(path.join(folders.workspaceDir, directory), owner);
  const makesVariables = directory !== undefined || workspace !== undefined;
  if (makesVariables && variables !== undefined) makeVariables(variables, folders, owner);
  writeNew(path.resolve(folders.scriptPath, filename), content, owner);
}

/** Makes a directory. If that fails, the script tries again and reports why. */
function tryToMake(directory: string, owner: FileOwner): void {
  try {
    mkdirSync(directory, { mode: OWNER_ONLY });
    // No process of this user has run since.
    if (owner !== null) chownSync(directory, owner.uid, owner.gid);
  } catch {
    return;
  }
}

/** Makes the file of variables. The script would make it readable for everybody. */
function makeVariables(variablesPath: string, folders: AgentFolders, owner: FileOwner): void {
  try {
    createFile(path.resolve(folders.workspaceDir, variablesPath), '', owner);
  } catch {
    // It exists, or the script reports why it cannot be made.
  }
}

/** Replaces anything in its place, such as a link. */
function writeNew(file: string, content: string, owner: FileOwner): void {
  try {
    createFile(file, content, owner);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    rmSync(file);
    createFile(file, content, owner);
  }
}

function createFile(file: string, content: string, owner: FileOwner): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    if (owner !== null) fchownSync(descriptor, owner.uid, owner.gid);
    writeFileSync(descriptor, content);
  } finally {
    closeSync(descriptor);
  }
}

/** Removes the script of a command whose shell has ended. */
export function removeScript({ filename }: RunOrder, { scriptPath }: AgentFolders): void {
  try {
    rmSync(path.resolve(scriptPath, filename), { force: true });
  } catch {
    // The release of the job tries again and reports the reason.
  }
}

const READ_PLAINLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * The lines of the file without line ends; null if it is missing. Throws if it is unreadable or too large. Steps may replace it
 * with anything: links are not followed, and only a regular file of theirs is read.
 */
export function readVariables(
  variablesPath: string,
  folders: AgentFolders,
  owner: FileOwner = null,
): string[] | null {
  const file = path.resolve(folders.workspaceDir, variablesPath);
  const descriptor = tryToOpen(file);
  if (descriptor === null) return null;
  try {
    refuseUnusable(descriptor, file, owner);
    const lines = readFileSync(descriptor, 'utf8').split(/\r?\n/);
    return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
  } finally {
    closeSync(descriptor);
  }
}

function refuseUnusable(descriptor: number, file: string, owner: FileOwner): void {
  const found = fstatSync(descriptor);
  if (!found.isFile()) throw new Error(`${file} is not a regular file.`);
  if (owner !== null && found.uid !== owner.uid) {
    throw new Error(`${file} belongs to another user than the job.`);
  }
  if (found.size > VARIABLES_BYTES_MAX) {
    throw new Error(
      `${file} has ${found.size} bytes, more than the ${VARIABLES_BYTES_MAX} allowed.`,
    );
  }
}

function tryToOpen(file: string): number | null {
  try {
    return openSync(file, READ_PLAINLY);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

type Settings = Pick<JobSettings, 'folders' | 'keepsWorkspaces' | 'users'>;

/** Files of a workspace that are removed at once. More of them, or directories, would hold up the other slots. */
const FEW_FILES = 32;

/** Removes leftovers at once, which is faster than in other threads. False if something remains, or if there is much. */
export function removeFew(removal: Removal, settings: Settings): boolean {
  const { folders, keepsWorkspaces, users } = settings;
  // Paths of another user may lead elsewhere.
  if (users !== null) return false;
  try {
    const scripts = readdirSync(folders.scriptPath).filter((name) => isScript(name, removal));
    if (!keepsWorkspaces) removeSmall(folders.workspaceDir, removal.directory);
    for (const name of scripts) unlinkSync(path.join(folders.scriptPath, name));
    return true;
  } catch {
    return false;
  }
}

/**
 * Removes the files at once, and the empty directory in another thread. Some disks discard freed blocks at once, which takes a millisecond.
 * Throws if it is no directory, or has more than a few files.
 */
function removeSmall(parent: string, name: string): void {
  const directory = path.join(parent, name);
  if (!existsSync(directory)) return;
  const files = readdirSync(directory);
  if (files.length > FEW_FILES) throw new Error('There are many files.');
  for (const file of files) unlinkSync(path.join(directory, file));
  const removal = rmdir(directory)
    // Something was added meanwhile.
    .catch(() => removePath(parent, name))
    // The job has ended, so nobody is left to tell. The directory stays, and no other job uses it.
    .catch(() => undefined)
    .finally(() => removals.delete(removal));
  removals.add(removal);
}

const removals = new Set<Promise<void>>();

/** Resolves when the directories of ended jobs are removed. */
export async function removalsEnded(): Promise<void> {
  await Promise.all(removals);
}

/** Removes leftovers without a shell, whose start would take longer. False if something remains; the command's script reports why. Never rejects. */
export async function removeLeftovers(removal: Removal, settings: Settings): Promise<boolean> {
  const { folders, keepsWorkspaces, users } = settings;
  const { workspaceDir, scriptPath } = folders;
  const remove = users === null ? removePath : removeTree;
  try {
    const names = await readdir(scriptPath);
    // Concurrently: a workspace may take long, and one refusal must not keep the others.
    const ends = await Promise.allSettled([
      ...(keepsWorkspaces ? [] : [remove(workspaceDir, removal.directory)]),
      ...names.filter((name) => isScript(name, removal)).map((name) => remove(scriptPath, name)),
    ]);
    return ends.every(({ status }) => status === 'fulfilled');
  } catch {
    return false;
  }
}

/** True for the names that the pattern `PREFIX*SUFFIX` of the removing script matches. */
const isScript = (name: string, { prefix, suffix }: Removal): boolean =>
  name.length >= prefix.length + suffix.length && name.startsWith(prefix) && name.endsWith(suffix);

const removePath = (directory: string, name: string): Promise<void> =>
  rm(path.join(directory, name), { recursive: true, force: true });

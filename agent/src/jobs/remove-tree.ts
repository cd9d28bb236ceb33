/**
 * Removes a tree that a user may still change. Removal by path can be diverted: a link may replace a directory between two steps.
 * Needs Linux, which has a path for each open directory.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';

const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_RDONLY } = constants;

/** Another process may add files, or replace a directory, during the removal. */
const TRIES_MAX = 16;

/**
 * Removes this name in a directory that only root changes, or whose sticky bit protects files of others. Inner directories are
 * moved up first, so neither depth nor path length matters. Throws if something remains.
 */
export async function removeTree(parent: string, name: string | Buffer): Promise<void> {
  const trees = [Buffer.concat([Buffer.from(`${parent}/`), Buffer.from(name)])];
  const moveUp = async (inner: Buffer) => {
    const moved = Buffer.from(`${parent}/.removed-${randomUUID()}`);
    await rename(inner, moved);
    trees.push(moved);
  };
  for (let next = trees.pop(); next !== undefined; next = trees.pop()) {
    await removeOne(next, moveUp);
  }
}

type MoveUp = (inner: Buffer) => Promise<void>;

async function removeOne(at: Buffer, moveUp: MoveUp): Promise<void> {
  for (let tries = 1; await isDirectoryLeft(at); tries += 1) {
    try {
      await empty(at, moveUp);
      await rmdir(at);
    } catch (error) {
      if (!isOfAChange(error) || tries === TRIES_MAX) throw error;
    }
  }
}

async function empty(at: Buffer, moveUp: MoveUp): Promise<void> {
  const directory: FileHandle = await open(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const opened = Buffer.from(`/proc/self/fd/${directory.fd}/`);
    // As bytes: a name need not be text.
    const names = await readdir(opened, { encoding: 'buffer' });
    const ends = await Promise.allSettled(
      names.map(async (name) => {
        const inner = Buffer.concat([opened, name]);
        if (await isDirectoryLeft(inner)) await moveUp(inner);
      }),
    );
    // After all have ended: before, the descriptor's number could be reused.
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  } finally {
    await directory.close();
  }
}

/** Removes anything but a directory. */
async function isDirectoryLeft(at: Buffer): Promise<boolean> {
  try {
    await unlink(at);
    return false;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    if (codeOf(error) === 'EISDIR') return true;
    throw error;
  }
}

const isOfAChange = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENOTEMPTY'].includes(codeOf(error));

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

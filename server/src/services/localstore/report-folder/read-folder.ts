/**
 * A report folder that can be read. Its files lie one after the other in one temporary file, without names. No path of the archive becomes
 * a path of this machine.
 */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { archiveError, type FolderLimits, folderEntries, isList, readList } from './unpack.ts';

/** Place of a file in the temporary one. */
export interface StoredFile {
  readonly offset: number;
  readonly size: number;
}

export interface ReportFolder {
  readonly files: ReadonlyMap<string, StoredFile>;
  /** Files that were too large for the archive. */
  readonly leftOut: readonly string[];
  /** Names of entries that were not taken: links, devices, and paths that lead out of the folder. */
  readonly refused: readonly string[];
  /** Bytes from `start` to `end`, both included. */
  content(file: StoredFile, start: number, end: number): Readable;
  close(): Promise<void>;
}

/** Rejects if the archive is none, or exceeds the limits. Nothing is left then. */
export async function readFolder(
  archive: AsyncIterable<Uint8Array>,
  limits?: FolderLimits,
): Promise<ReportFolder> {
  const directory = await mkdtemp(join(tmpdir(), 'tutti-report-'));
  const handle = await open(join(directory, 'files'), 'wx+', 0o600);
  const close = async () => {
    await handle.close();
    await rm(directory, { recursive: true, force: true });
  };
  const files = new Map<string, StoredFile>();
  const refused: string[] = [];
  let leftOut: readonly string[] = [];
  let end = 0;
  try {
    for await (const entry of folderEntries(archive, limits)) {
      if (entry.path === null) refused.push(entry.name);
      else if (isList(entry)) leftOut = (await readList(entry)).leftOut;
      else {
        const offset = end;
        for await (const chunk of entry.content) {
          await handle.write(chunk, 0, chunk.byteLength, end);
          end += chunk.byteLength;
        }
        files.set(entry.path, { offset, size: end - offset });
      }
    }
  } catch (error) {
    await close();
    throw archiveError(error);
  }
  return {
    files,
    leftOut,
    refused,
    content: ({ offset }, start, last) =>
      handle.createReadStream({ start: offset + start, end: offset + last, autoClose: false }),
    close,
  };
}

/** Folders of the file system as detectors read them. */
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Folder } from './finding.ts';

/** Limit in bytes. Files that name the tools of a project are small; programs generate larger ones. */
const TEXT_MAX = 1024 * 1024;
const ENTRIES_MAX = 10_000;

/** Files that cannot be read count as missing: the search is for tests, not for mistakes. */
export function openFolder(path: string): Folder {
  return {
    name: basename(path),
    entries: entriesOf(path),
    text: (file) => textOf(join(path, file)),
    list: (folder) => entriesOf(join(path, folder)),
  };
}

function entriesOf(path: string): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .slice(0, ENTRIES_MAX)
      .map((entry) => (isFolder(entry) ? `${entry.name}/` : entry.name))
      .toSorted();
  } catch {
    return [];
  }
}

/** True also for a link to a folder. */
function isFolder(entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  const path = join(entry.parentPath, entry.name);
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function textOf(file: string): string | null {
  try {
    return statSync(file).size > TEXT_MAX ? null : readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

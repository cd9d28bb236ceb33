/** Folders of the file system as detectors read them. */
import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Folder } from './finding.ts';

/** In bytes. What names the tools of a project is small; what is not was made by a program. */
const TEXT_MAX = 1024 * 1024;
const ENTRIES_MAX = 10_000;

/** What cannot be read is as if it were not there: somebody looks for tests, not for mistakes. */
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

/** Also one that a link leads to. */
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

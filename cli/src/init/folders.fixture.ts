/** Folders for tests of detectors: file systems in memory. */
import { findTests } from './find-tests.ts';
import type { Folder } from './finding.ts';

/** A folder with these files, by their paths. */
export function folderOf(files: Readonly<Record<string, string>>, name = 'shop'): Folder {
  const list = (path: string): readonly string[] => {
    const below = Object.keys(files).filter((file) => file.startsWith(path));
    const names = below.map((file) => /^[^/]*\/?/.exec(file.slice(path.length))?.[0] ?? '');
    return [...new Set(names)].toSorted();
  };
  return { name, entries: list(''), text: (path) => files[path] ?? null, list };
}

export function searched(files: Readonly<Record<string, string>>, isWindows = false) {
  const open = (name: string) => {
    const below = Object.entries(files).filter(([path]) => path.startsWith(`${name}/`));
    return folderOf(
      Object.fromEntries(below.map(([path, text]) => [path.slice(name.length + 1), text])),
      name,
    );
  };
  return findTests(folderOf(files), open, isWindows);
}

export const found = (files: Readonly<Record<string, string>>, isWindows = false) =>
  searched(files, isWindows).findings;

export const uses = (name: string) => JSON.stringify({ devDependencies: { [name]: '1' } });
export const script = (text: string) => JSON.stringify({ scripts: { test: text } });

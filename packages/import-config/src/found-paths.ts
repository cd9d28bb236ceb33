/** Finds the files that existing configurations name, by their paths on another machine or in an image. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

/** Paths that begin with `there` are found at `here`. */
export interface PathMapping {
  readonly there: string;
  readonly here: string;
}

/** Bytes of a file. Larger files are no configuration. */
const FILE_BYTES_MAX = 1024 * 1024;

export class PathFinder {
  readonly #used = new Set<string>();
  readonly #mappings: readonly PathMapping[];

  constructor(mappings: readonly PathMapping[]) {
    // The longest first: one path may be the beginning of another.
    this.#mappings = mappings.toSorted((one, other) => other.there.length - one.there.length);
  }

  /** True for a file that a setting named. */
  isUsed(file: string): boolean {
    return this.#used.has(resolve(file));
  }

  /** Path of the file here; null when it is missing. `folder`: the folder of the file with the setting. */
  find(path: string, folder: string): string | null {
    const candidates = path === '' ? [] : this.#candidates(path, folder);
    const found = candidates.find((candidate) => existsSync(candidate));
    if (found !== undefined) this.#used.add(resolve(found));
    return found ?? null;
  }

  /** A file, or the files of a directory, which may be written `directory/*`, without hidden ones. Null when the path is missing. */
  files(path: string, folder: string): readonly string[] | null {
    const found = this.find(path.replace(/\/\*$/, ''), folder);
    if (found === null || !statSync(found).isDirectory()) return found === null ? null : [found];
    const names = readdirSync(found).filter((name) => !name.startsWith('.'));
    const files = names.sort().map((name) => join(found, name));
    for (const file of files) this.#used.add(resolve(file));
    return files.filter((file) => statSync(file).isFile());
  }

  #candidates(path: string, folder: string): readonly string[] {
    const mapping = this.#mappings.find(
      ({ there }) => path === there || path.startsWith(`${there.replace(/\/$/, '')}/`),
    );
    if (mapping !== undefined) {
      return [join(mapping.here, path.slice(mapping.there.replace(/\/$/, '').length))];
    }
    // Services resolve paths from their working directory, which mostly is the folder above that of their configuration.
    return isAbsolute(path)
      ? [path]
      : [join(folder, path), join(dirname(folder), path), resolve(path)];
  }
}

/** Advice for a path that is missing on this machine. */
export const adviceForPath = (path: string): string =>
  `copy it to this machine, or say where it is with --map ${dirname(path)}=DIRECTORY`;

export type ReadText = { readonly text: string } | { readonly problem: string };

/** Throws errors of the file system. */
export function readText(path: string): ReadText {
  if (!statSync(path).isFile()) return { problem: 'is no file' };
  const content = readFileSync(path);
  if (content.length > FILE_BYTES_MAX) return { problem: `has more than ${FILE_BYTES_MAX} bytes` };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(content) };
  } catch {
    return { problem: 'is no UTF-8 text' };
  }
}

/** A name for a copy. */
export const copyName = (path: string): string => basename(path).replace(/[^\w.-]/g, '_');

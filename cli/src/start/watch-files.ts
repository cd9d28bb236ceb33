/**
 * Tells what changes below a directory: all files but those of `.git` and `node_modules`, those that git ignores, and those that somebody
 * leaves out. Each directory is watched by itself, since watching a tree as a whole would look at what is left out, too.
 */
import { type FSWatcher, fstatSync, type Stats, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { codeOf, fileReason } from '../terminal/file-problem.ts';
import { UsageError } from '../terminal/problem.ts';
import { ignoredAmong, ignoredBelow } from './git-ignored.ts';

export interface FileWatchOptions {
  readonly root: string;
  /** Files that count wherever they are. */
  readonly files: readonly string[];
  /** A directory whose changes do not count. */
  readonly except: string;
  /** Open files that this process writes: what it says of a run is no reason for the next one. */
  readonly outputs: readonly number[];
}

export interface FileWatch {
  /** Paths that changed since the last answer, relative to the root, once nothing changes any more for a moment. Rejects when aborted. */
  changes(signal: AbortSignal): Promise<readonly string[]>;
  /** Resolves when there are any, which `changes` then tells. Rejects when aborted. */
  untilChange(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Editors write a file in several steps, and checkouts write many files: what comes so soon after each other is one change. */
const QUIET_MS = 150;
/** As many as systems let one account watch at least. */
const DIRECTORIES_MAX = 8_000;
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules']);
/** What editors write beside the file that is edited. */
const OF_EDITORS = /~$|^\.#|\.sw[a-z]$|^4913$/;

export async function watchFiles(options: FileWatchOptions): Promise<FileWatch> {
  const watched = new WatchedTree(options);
  try {
    await watched.open();
    return watched;
  } catch (error) {
    watched.close();
    throw error;
  }
}

class WatchedTree implements FileWatch {
  readonly #root: string;
  readonly #except: string;
  readonly #files: ReadonlySet<string>;
  readonly #outputs: ReadonlySet<string>;
  readonly #watchers = new Map<string, FSWatcher>();
  /** What came, and is not looked at yet. */
  readonly #seen = new Set<string>();
  readonly #changed = new Set<string>();
  #quiet: NodeJS.Timeout | null = null;
  #tell: (() => void) | null = null;

  constructor({ root, files, except, outputs }: FileWatchOptions) {
    this.#root = resolve(root);
    this.#except = resolve(except);
    this.#files = new Set(files.map((file) => resolve(file)));
    this.#outputs = new Set(outputs.map((output) => identityOf(fstatSync(output))));
  }

  async open(): Promise<void> {
    await this.#watchBelow(this.#root, await ignoredBelow(this.#root));
    for (const file of this.#files) this.#watchDirectory(dirname(file));
  }

  async changes(signal: AbortSignal): Promise<readonly string[]> {
    await this.untilChange(signal);
    const changed = [...this.#changed].map((path) => relative(this.#root, path)).sort();
    this.#changed.clear();
    return changed;
  }

  async untilChange(signal: AbortSignal): Promise<void> {
    while (this.#changed.size === 0) {
      await this.#someChange(signal);
      await this.#judgeSeen();
    }
  }

  /** What git ignores does not count. */
  async #judgeSeen(): Promise<void> {
    const seen = [...this.#seen];
    this.#seen.clear();
    const ignored = await ignoredAmong(this.#root, seen);
    for (const path of seen) {
      if (ignored.has(path) && !this.#files.has(path)) continue;
      const found = await stat(path).catch(() => null);
      if (found !== null && this.#outputs.has(identityOf(found))) continue;
      this.#changed.add(path);
      // A new directory may have files already when it is seen.
      if (found?.isDirectory() === true) await this.#watchBelow(path, new Set());
    }
  }

  close(): void {
    if (this.#quiet !== null) clearTimeout(this.#quiet);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Resolves when something changed and nothing does any more. */
  #someChange(signal: AbortSignal): Promise<void> {
    return new Promise((done, reject) => {
      const abort = () => reject(signal.reason);
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      this.#tell = () => {
        signal.removeEventListener('abort', abort);
        done();
      };
      if (this.#seen.size > 0 && this.#quiet === null) this.#tell();
    });
  }

  #noteChange(directory: string, name: string | null): void {
    const path = name === null ? directory : join(directory, name);
    if (!this.#counts(path)) return;
    this.#seen.add(path);
    if (this.#quiet !== null) clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => {
      this.#quiet = null;
      this.#tell?.();
    }, QUIET_MS);
  }

  #counts(path: string): boolean {
    if (this.#files.has(path)) return true;
    const isBelow = path.startsWith(this.#root + sep);
    return isBelow && !this.#isLeftOut(path) && !OF_EDITORS.test(basename(path));
  }

  #isLeftOut(path: string): boolean {
    return LEFT_OUT.has(basename(path)) || path === this.#except;
  }

  async #watchBelow(directory: string, ignored: ReadonlySet<string>): Promise<void> {
    this.#watchDirectory(directory);
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(directory, entry.name);
      if (entry.isDirectory() && !this.#isLeftOut(path) && !ignored.has(path))
        await this.#watchBelow(path, ignored);
    }
  }

  #watchDirectory(directory: string): void {
    if (this.#watchers.has(directory)) return;
    if (this.#watchers.size >= DIRECTORIES_MAX) throw tooMany(this.#root);
    try {
      const watcher = watch(directory, (_kind, name) => this.#noteChange(directory, name));
      // It was removed: that is a change of the one above it.
      watcher.on('error', () => this.#forget(directory));
      this.#watchers.set(directory, watcher);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw notWatched(directory, error);
    }
  }

  #forget(directory: string): void {
    this.#watchers.get(directory)?.close();
    this.#watchers.delete(directory);
  }
}

/** Of a file, whatever its name. */
const identityOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`;

const tooMany = (root: string): UsageError =>
  new UsageError(
    `There are more than ${DIRECTORIES_MAX} directories below ${root} to be watched.`,
    'have git ignore what is not to be watched, or run in a directory below.',
  );

const notWatched = (directory: string, error: unknown): UsageError =>
  new UsageError(
    `Cannot watch ${directory}: ${codeOf(error) === 'ENOSPC' ? 'the system lets this account watch no more' : fileReason(error)}.`,
    'run in a directory with less below it, or let the system watch more (on Linux fs.inotify.max_user_watches).',
  );

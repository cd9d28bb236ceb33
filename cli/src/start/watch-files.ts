/**
 * Reports changes below a directory. It skips `.git`, `node_modules`, caches, files that git ignores, excluded ones, and what runs
 * write. Each directory has its own watch, because a recursive watch would include skipped ones.
 */
import { existsSync, type FSWatcher, fstatSync, type Stats, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { codeOf, fileReason } from '../terminal/file-problem.ts';
import { UsageError } from '../terminal/problem.ts';
import { ignoredAmong, ignoredBelow } from './git-ignored.ts';
import { RunWrites } from './run-writes.ts';

export interface FileWatchOptions {
  readonly root: string;
  /** Files that count wherever they are. */
  readonly files: readonly string[];
  /** A directory whose changes do not count. */
  readonly except: string;
  /** Open files that this process writes: its own output must not start another run. */
  readonly outputs: readonly number[];
}

export interface FileWatch {
  /** Paths that changed since the last call, relative to the root, after a moment of quiet. Rejects when aborted. */
  changes(signal: AbortSignal): Promise<readonly string[]>;
  /** Resolves when changes exist that a run must not outlive. `changes` returns them. Rejects when aborted. */
  untilChange(signal: AbortSignal): Promise<void>;
  /** From now on, a run may write files. */
  beginRun(): void;
  /** Returns the paths that this run was the first to write, relative to the root. Changes of them during runs do not count. */
  endRun(): Promise<readonly string[]>;
  close(): void;
}

/** Editors write in several steps, and checkouts write many files: changes in this interval are one. */
const QUIET_MS = 150;
/** Limit of watches that systems allow for one account. */
const DIRECTORIES_MAX = 8_000;
const LEFT_OUT = /^(?:\.git|node_modules|__pycache__|\.(?:[\w.]+[._-])?cache)$/;
/** Temporary files that editors write beside the edited file. */
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
  /** Paths that changed and are not yet checked, each with whether all its changes were made during a run. */
  readonly #seen = new Map<string, boolean>();
  readonly #changed = new Set<string>();
  readonly #writes: RunWrites;
  #isRunning = false;
  /** Whether a run must not outlive the changes. */
  #isUrgent = false;
  #quiet: NodeJS.Timeout | null = null;
  #notify: (() => void) | null = null;

  constructor({ root, files, except, outputs }: FileWatchOptions) {
    this.#root = resolve(root);
    this.#writes = new RunWrites(this.#root);
    this.#except = resolve(except);
    this.#files = new Set(files.map((file) => resolve(file)));
    this.#outputs = new Set(outputs.map((output) => identityOf(fstatSync(output))));
  }

  async open(): Promise<void> {
    await this.#watchBelow(this.#root, await ignoredBelow(this.#root));
    for (const file of this.#files) {
      this.#writes.exists(file);
      this.#watchDirectory(dirname(file));
    }
  }

  async changes(signal: AbortSignal): Promise<readonly string[]> {
    if (this.#changed.size === 0) await this.untilChange(signal);
    const changed = [...this.#changed].map((path) => relative(this.#root, path)).sort();
    this.#changed.clear();
    this.#isUrgent = false;
    return changed;
  }

  beginRun(): void {
    this.#isRunning = true;
  }

  async endRun(): Promise<readonly string[]> {
    this.#isRunning = false;
    await this.#judgeSeen();
    return this.#writes
      .endRun(existsSync)
      .map((path) => relative(this.#root, path))
      .sort();
  }

  async untilChange(signal: AbortSignal): Promise<void> {
    while (!this.#isUrgent) {
      await this.#someChange(signal);
      await this.#judgeSeen();
    }
  }

  /** Changes of files that git ignores do not count. */
  async #judgeSeen(): Promise<void> {
    const seen = [...this.#seen];
    this.#seen.clear();
    const ignored = await ignoredAmong(
      this.#root,
      seen.map(([path]) => path),
    );
    for (const [path, isOfRun] of seen) {
      if (ignored.has(path) && !this.#files.has(path)) continue;
      const found = await stat(path).catch(() => null);
      if (found !== null && this.#outputs.has(identityOf(found))) continue;
      this.#judge(path, isOfRun);
      // A new directory may already contain files.
      if (found?.isDirectory() === true) await this.#watchBelow(path, new Set(), isOfRun);
    }
  }

  #judge(path: string, isOfRun: boolean): void {
    if (!isOfRun) this.#writes.changedByOthers(path);
    const consequence = isOfRun ? this.#writes.changedInRun(path) : 'cancel';
    if (consequence === 'none') return;
    this.#changed.add(path);
    if (consequence === 'cancel') this.#isUrgent = true;
  }

  close(): void {
    if (this.#quiet !== null) clearTimeout(this.#quiet);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Resolves after a change, when no more follow. */
  #someChange(signal: AbortSignal): Promise<void> {
    return new Promise((done, reject) => {
      const abort = () => reject(signal.reason);
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      this.#notify = () => {
        signal.removeEventListener('abort', abort);
        done();
      };
      if (this.#seen.size > 0 && this.#quiet === null) this.#notify();
    });
  }

  #noteChange(directory: string, name: string | null): void {
    const path = name === null ? directory : join(directory, name);
    if (!this.#counts(path)) return;
    this.#seen.set(path, this.#isRunning && this.#seen.get(path) !== false);
    if (this.#quiet !== null) clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => {
      this.#quiet = null;
      this.#notify?.();
    }, QUIET_MS);
  }

  #counts(path: string): boolean {
    if (this.#files.has(path)) return true;
    const isBelow = path.startsWith(this.#root + sep);
    return isBelow && !this.#isLeftOut(path) && !OF_EDITORS.test(basename(path));
  }

  #isLeftOut(path: string): boolean {
    return LEFT_OUT.test(basename(path)) || path === this.#except;
  }

  async #watchBelow(
    directory: string,
    ignored: ReadonlySet<string>,
    isOfRun = false,
  ): Promise<void> {
    this.#watchDirectory(directory);
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(directory, entry.name);
      if (!isOfRun) this.#writes.exists(path);
      if (entry.isDirectory() && !this.#isLeftOut(path) && !ignored.has(path))
        await this.#watchBelow(path, ignored, isOfRun);
    }
  }

  #watchDirectory(directory: string): void {
    if (this.#watchers.has(directory)) return;
    if (this.#watchers.size >= DIRECTORIES_MAX) throw tooMany(this.#root);
    try {
      const watcher = watch(directory, (_kind, name) => this.#noteChange(directory, name));
      // The directory was removed, which is a change of its parent.
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

/** Identifies a file independently of its name. */
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

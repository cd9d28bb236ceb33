/** The descriptions that users of a server put into a folder of theirs. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type FunctionName, formatFunctionName } from '@tutti/sdk';
import { whyUnusable } from '../../http/definition-sources.ts';
import { fileMark } from '../../runtime/file-mark.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { ListedFunction, UserFunctions } from './provider-catalog.ts';
import { type DescribedProvider, providerOfFile } from './provider-document.ts';

/** Each call of a function looks whether one of them changed. */
const FILES_MAX = 256;

export interface ProviderDirectoryDeps {
  readonly logger: Logger;
  /** Whether the server has a function of that name itself. */
  isBuiltIn(name: FunctionName): Promise<boolean>;
}

interface ReadFile {
  readonly mark: string;
  /** The last version without mistakes; null if there never was one. */
  readonly good: DescribedProvider | null;
}

/**
 * Looks before each use whether the folder changed, and reads the changed files then. A mistake in a file goes to the log. Its last good
 * version stays in use, as do the other files.
 */
export class ProviderDirectory implements UserFunctions {
  readonly #path: string;
  readonly #isOptional: boolean;
  readonly #deps: ProviderDirectoryDeps;
  #files: ReadonlyMap<string, ReadFile> = new Map();
  #functions: readonly ListedFunction[] = [];
  /** Why the folder cannot be read, as it was last logged; null when it can. */
  #problem: string | null = null;
  #refreshing: Promise<void> = Promise.resolve();

  /** `isOptional`: nothing is said when the folder is not there. */
  constructor(path: string, isOptional: boolean, deps: ProviderDirectoryDeps) {
    this.#path = path;
    this.#isOptional = isOptional;
    this.#deps = deps;
  }

  /** In the order of the file names. Never rejects. */
  async functions(): Promise<readonly ListedFunction[]> {
    // One refresh after the other, so that an older read never replaces a newer one.
    this.#refreshing = this.#refreshing.then(() => this.#refresh());
    await this.#refreshing;
    return this.#functions;
  }

  async #refresh(): Promise<void> {
    const known = this.#files;
    const names = await this.#names();
    // Known files stay in use: the folder may be on a share that comes back.
    if (names === null) return;
    const files = new Map<string, ReadFile>();
    for (const name of names) {
      const path = join(this.#path, name);
      const mark = await fileMark(path);
      const before = known.get(name);
      files.set(name, before?.mark === mark ? before : await this.#read(path, mark, before));
    }
    this.#files = files;
    const isSame =
      known.size === files.size && [...files].every(([name, file]) => known.get(name) === file);
    if (!isSame) await this.#take(files);
  }

  /** Null when the folder cannot be read. */
  async #names(): Promise<readonly string[] | null> {
    try {
      const all = await readdir(this.#path);
      const names = all.filter((name) => /^[^.].*\.ya?ml$/i.test(name)).sort();
      if (names.length > FILES_MAX) this.#logTooMany(names.length);
      this.#problem = null;
      return names.slice(0, FILES_MAX);
    } catch (error) {
      if (this.#isOptional && isAbsence(error)) return [];
      this.#logUnreadable(whyUnusable(error));
      return null;
    }
  }

  #logUnreadable(why: string): void {
    if (why === this.#problem) return;
    this.#problem = why;
    const folder = this.#path;
    const what = `The directory of functions ${folder} is not usable, what was read of it before stays in use`;
    this.#deps.logger.error({ folder }, `${what}: ${why}`);
  }

  #logTooMany(count: number): void {
    const folder = this.#path;
    this.#deps.logger.error(
      { folder, count },
      'The folder has too many descriptions of providers.',
    );
  }

  async #read(path: string, mark: string, before: ReadFile | undefined): Promise<ReadFile> {
    const { logger } = this.#deps;
    try {
      const good = await providerOfFile(path);
      if (before !== undefined) logger.info({ file: path }, 'The provider was read anew.');
      return { mark, good };
    } catch (error) {
      const good = before?.good ?? null;
      const used = good === null ? 'it is not used' : 'its last good version stays in use';
      logger.error(
        { file: path },
        `The description of functions ${path} is not usable, ${used}: ${whyUnusable(error)}`,
      );
      return { mark, good };
    }
  }

  async #take(files: ReadonlyMap<string, ReadFile>): Promise<void> {
    const found = [...files].flatMap(([name, { good }]) =>
      good === null ? [] : listedOf(good, join(this.#path, name)),
    );
    const byName = new Map<string, ListedFunction>();
    for (const each of found) {
      const name = formatFunctionName(each.called);
      const other = byName.get(name);
      if (other !== undefined) this.#logDuplicate(name, other.file, each.file);
      byName.set(name, each);
    }
    this.#functions = [...byName.values()];
    await this.#logReplaced();
  }

  #logDuplicate(name: string, first: string | null, last: string | null): void {
    this.#deps.logger.warn(
      { first, last },
      `Two files describe the function "${name}", the last one is used.`,
    );
  }

  async #logReplaced(): Promise<void> {
    const { logger, isBuiltIn } = this.#deps;
    for (const { called, file } of this.#functions) {
      if (!(await isBuiltIn(called))) continue;
      logger.info({ file }, `The file replaces the function "${formatFunctionName(called)}".`);
    }
  }
}

const isAbsence = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

const listedOf = (
  { provider, manifest }: DescribedProvider,
  file: string,
): readonly ListedFunction[] =>
  provider.functions.map((called) => ({ called, origin: 'file', manifest, file }));

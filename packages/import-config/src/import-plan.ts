/** The result of an import: a configuration, files beside it, and a report on every setting. */
import { join } from 'node:path';
import type { FileChecks } from '@tutti/server';
import type { PathFinder } from './found-paths.ts';

/**
 * The result for a setting: `carried` as it was; `changed`, with a difference; `left-out`, though it meant something; `unneeded`,
 * as it would change nothing.
 */
export type Outcome = 'carried' | 'changed' | 'left-out' | 'unneeded';

export interface ImportItem {
  readonly file: string;
  readonly key: string;
  readonly outcome: Outcome;
  /** The new key of the configuration, or the new file. */
  readonly to: string | null;
  /** Sentences without secrets. */
  readonly why: string | null;
  readonly next: string | null;
}

export interface PlannedFile {
  /** Path below the directory of the import, with slashes. */
  readonly path: string;
  readonly content: string;
  /** Only its owner may read it. */
  readonly isSecret: boolean;
}

/** A path in a configuration, relative to the directory of the import, which is known later. */
export class PlannedPath {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }
}

type Config = Readonly<Record<string, unknown>>;

export class ImportPlan {
  readonly items: ImportItem[] = [];
  readonly #files = new Map<string, PlannedFile>();
  #config: Config = {};
  /** Finds the files that settings name. */
  readonly paths: PathFinder;
  /** The checks of a server. */
  readonly checks: FileChecks;

  constructor(paths: PathFinder, checks: FileChecks) {
    this.paths = paths;
    this.checks = checks;
  }

  get files(): readonly PlannedFile[] {
    return [...this.#files.values()];
  }

  /** False when the server would only have its defaults. */
  get hasConfig(): boolean {
    return Object.keys(this.#config).length > 0;
  }

  /** The configuration, with the paths of its files in a directory. */
  config(directory: string): Config {
    // A map stays one.
    return placed(this.#config, directory) as Config;
  }

  /** The new value of a key, such as `auth.trustedKeys`; undefined where the server has its default. */
  valueOf(key: string): unknown {
    return key
      .split('.')
      .reduce<unknown>((value, name) => (value as Config | undefined)?.[name], this.#config);
  }

  /** Sets a key of the configuration, as `retention.minutes`. */
  set(key: string, value: unknown): void {
    const [section = '', ...rest] = key.split('.');
    const [name] = rest;
    const before = this.#config[section];
    const inner = name === undefined ? value : { ...(before as Config | undefined), [name]: value };
    this.#config = { ...this.#config, [section]: inner };
  }

  /** Adds a file, and returns its path. A taken name is changed. */
  addFile(path: string, content: string, isSecret = false): PlannedPath {
    const free = this.#freePath(path);
    this.#files.set(free, { path: free, content, isSecret });
    return new PlannedPath(free);
  }

  #freePath(path: string): string {
    const [, stem = path, end = ''] = /^(.*?)(\.[^./]*)?$/.exec(path) ?? [];
    for (let count = 1; ; count++) {
      const name = count === 1 ? path : `${stem}-${count}${end}`;
      if (!this.#files.has(name)) return name;
    }
  }
}

function placed(value: unknown, directory: string): unknown {
  if (value instanceof PlannedPath) return join(directory, value.path);
  if (Array.isArray(value)) return value.map((item: unknown) => placed(item, directory));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, placed(item, directory)]),
  );
}

/** What an import makes: a configuration, files beside it, and an account of every setting that it met. */
import { join } from 'node:path';
import { textOf } from '@tutti/manifests/values';
import type { FileChecks } from '@tutti/server';
import { adviceForPath, type PathFinder, readText } from './found-paths.ts';
import type { Origin, Setting } from './settings.ts';

/**
 * What became of a setting: `carried` as it was; `changed`, with a difference; `left-out`, though it meant something; `unneeded`,
 * as there is nothing that it would change.
 */
export type Outcome = 'carried' | 'changed' | 'left-out' | 'unneeded';

export interface ImportItem extends Origin {
  readonly outcome: Outcome;
  /** The key of the configuration, or the file, that has it now. */
  readonly to: string | null;
  /** Sentences. No secret stands in them. */
  readonly why: string | null;
  readonly next: string | null;
}

export interface PlannedFile {
  /** Below the directory of the import, with slashes. */
  readonly path: string;
  readonly content: string;
  /** Only its owner may read it. */
  readonly isSecret: boolean;
}

/** A file that a setting names, and what is in it. */
export interface NamedFile {
  readonly file: string;
  readonly text: string;
}

/** Stands in a configuration for a path below the directory of the import, wherever that is. */
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

  /** False when the server would have its defaults in all. */
  get hasConfig(): boolean {
    return Object.keys(this.#config).length > 0;
  }

  /** The configuration with the paths that its files have in a directory. */
  config(directory: string): Config {
    // A map stays one.
    return placed(this.#config, directory) as Config;
  }

  /** What a key was set to, as `auth.trustedKeys`; undefined where the server has its default. */
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

  /** Adds a file, under another name if there is one of that name; answers its path. */
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

  /** The files of a path that a setting names, see `PathFinder`; what is not here is told. */
  filesAt(setting: Setting, path: string): readonly string[] {
    const files = this.paths.files(path, setting.folder);
    if (files === null) this.leftOut(setting, `There is no ${path} here.`, adviceForPath(path));
    return files ?? [];
  }

  /** The file that a setting names; null for what is not here, which is told. */
  readNamed(setting: Setting): NamedFile | null {
    const path = textOf(setting.value) ?? '';
    const file = this.paths.find(path, setting.folder);
    const read = file === null ? null : readText(file);
    if (file !== null && read !== null && 'text' in read) return { file, text: read.text };
    this.leftOut(setting, `There is no ${path} here that can be read.`, adviceForPath(path));
    return null;
  }

  /** Sets a key of the configuration to what a setting says. */
  carry(origin: Origin, key: string, value: unknown): void {
    this.set(key, value);
    this.carried(origin, key);
  }

  carried({ file, key }: Origin, to: string): void {
    this.items.push({ file, key, outcome: 'carried', to, why: null, next: null });
  }

  changed({ file, key }: Origin, to: string | null, why: string, next: string | null = null): void {
    this.items.push({ file, key, outcome: 'changed', to, why, next });
  }

  leftOut({ file, key }: Origin, why: string, next: string): void {
    this.items.push({ file, key, outcome: 'left-out', to: null, why, next });
  }

  unneeded({ file, key }: Origin, why: string): void {
    this.items.push({ file, key, outcome: 'unneeded', to: null, why, next: null });
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

/** The result of an import: a configuration, files beside it, and a report on every setting. */
import { basename, join } from 'node:path';
import { entriesOf } from '@tutti/manifests/values';
import type { FileChecks } from '@tutti/server';

/** The result for a setting. It is `left-out` though it meant something, or `unneeded` because it would change nothing. */
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

export interface ImportWishes {
  /** Paths that begin with `there` are found at `here`. */
  readonly mappings: readonly { readonly there: string; readonly here: string }[];
  /** Name of a context in the files of services; null for their current one. */
  readonly context: string | null;
  /** Options that services are started with, by their names with `_`. */
  readonly started: Readonly<Record<string, string | undefined>>;
}

type Config = Readonly<Record<string, unknown>>;

export class ImportPlan {
  readonly items: ImportItem[] = [];
  readonly files: PlannedFile[] = [];
  /** Absolute paths of files that settings name. */
  readonly used = new Set<string>();
  readonly wishes: ImportWishes;
  /** The checks of a server. */
  readonly checks: FileChecks;
  #config: Config = {};

  constructor(wishes: ImportWishes, checks: FileChecks) {
    const mappings = wishes.mappings
      .map(({ there, here }) => ({ there: there.replace(/\/$/, ''), here }))
      // The longest first: one path may be the beginning of another.
      .sort((one, other) => other.there.length - one.there.length);
    this.wishes = { ...wishes, mappings };
    this.checks = checks;
  }

  /** False when the server would only have its defaults. */
  get hasConfig(): boolean {
    return Object.keys(this.#config).length > 0;
  }

  /** The configuration, with the paths of its files in a directory. */
  config(directory: string): Config {
    const place = (_key: string, value: unknown) =>
      value instanceof PlannedPath ? join(directory, value.path) : value;
    return JSON.parse(JSON.stringify(this.#config, place));
  }

  /** Sets a key of the configuration, as `retention.minutes`. */
  set(key: string, value: unknown): void {
    const [section = '', name] = key.split('.');
    const inner = name && { ...entriesOf(this.#config[section]), [name]: value };
    this.#config = { ...this.#config, [section]: inner ?? value };
  }

  /** Adds a file, and returns its path: the first and the last part of the given one. A taken path is changed. */
  addFile(given: string, content: string, isSecret = false): PlannedPath {
    const wanted = `${given.split('/', 1)}/${basename(given).replace(/[^\w.-]/g, '_')}`;
    const [, stem = wanted, end = ''] = /^(.*?)(\.[^./]*)?$/.exec(wanted) ?? [];
    let path = wanted;
    for (let count = 2; this.files.some((file) => file.path === path); count++) {
      path = `${stem}-${count}${end}`;
    }
    this.files.push({ path, content, isSecret });
    return new PlannedPath(path);
  }
}

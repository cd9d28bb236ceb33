/** The settings of existing services, from files of services and from files of variables. */
import { textOf } from '@tutti/manifests/values';
import { adviceForPath, readText } from './found-paths.ts';
import { Origin } from './origin.ts';

interface SettingParts {
  /** Null for a setting of all services. */
  readonly service: string | null;
  /** Name as in files of services: `retention_period_minutes`. */
  readonly name: string;
  readonly value: unknown;
  /** Folder from which relative paths in the value may begin. */
  readonly folder: string;
}

/** A file that a setting names, with its content. */
export interface NamedFile {
  readonly file: string;
  readonly text: string;
}

export class Setting extends Origin implements SettingParts {
  readonly service: string | null;
  readonly name: string;
  readonly value: unknown;
  readonly folder: string;

  constructor({ plan, file, key }: Origin, { service, name, value, folder }: SettingParts) {
    super(plan, file, key);
    this.service = service;
    this.name = name;
    this.value = value;
    this.folder = folder;
  }

  get text(): string {
    return textOf(this.value) ?? '';
  }

  /** Files of a path in the value, see `PathFinder`; a missing path is reported. */
  files(path: string): readonly string[] {
    const files = this.plan.paths.files(path, this.folder);
    if (files === null) this.leftOut(`There is no ${path} here.`, adviceForPath(path));
    return files ?? [];
  }

  /** The file that the value names; null for a missing file, which is reported. */
  read(): NamedFile | null {
    const file = this.plan.paths.find(this.text, this.folder);
    const read = file === null ? null : readText(file);
    if (file !== null && read !== null && 'text' in read) return { file, text: read.text };
    const why = `There is no ${this.text} here that can be read.`;
    this.leftOut(why, adviceForPath(this.text));
    return null;
  }
}

/** Settings to import. Each part of the import takes its own. The report names those that no part took as unknown. */
export class Settings {
  readonly #all: readonly Setting[];
  readonly #taken = new Set<Setting>();
  /** Settings that lost against another one of the same service and name. */
  readonly overridden: readonly { readonly setting: Setting; readonly by: Setting }[];

  /** The first of the same service and name counts. */
  constructor(settings: readonly Setting[]) {
    const groups = Map.groupBy(settings, ({ service, name }) => `${service} ${name}`);
    this.#all = [...groups.values()].flatMap((group) => group.slice(0, 1));
    this.overridden = [...groups.values()].flatMap(([by, ...others]) =>
      by === undefined ? [] : others.map((setting) => ({ setting, by })),
    );
  }

  /** Settings with one of the names, of any service. */
  named(...names: readonly string[]): readonly Setting[] {
    return this.matching(({ name }) => names.includes(name));
  }

  of(service: string, ...names: readonly string[]): readonly Setting[] {
    return this.matching((each) => each.service === service && names.includes(each.name));
  }

  matching(fits: (setting: Setting) => boolean): readonly Setting[] {
    const found = this.rest().filter(fits);
    for (const setting of found) this.#taken.add(setting);
    return found;
  }

  /** True if any setting of the service was found. */
  has(service: string): boolean {
    return this.#all.some((setting) => setting.service === service);
  }

  rest(): readonly Setting[] {
    return this.#all.filter((setting) => !this.#taken.has(setting));
  }
}

/** The settings of existing services, wherever they stand: in files of services, and in files of variables. */
import { textOf } from '@tutti/manifests/values';
import { adviceForPath, readText } from './found-paths.ts';
import { Origin } from './origin.ts';

interface SettingParts {
  /** Null for those of all services. */
  readonly service: string | null;
  /** As in files of services: `retention_period_minutes`. */
  readonly name: string;
  readonly value: unknown;
  /** Where relative paths in it may begin. */
  readonly folder: string;
}

/** A file that a setting names, and what is in it. */
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

  /** The files of a path that it names, see `PathFinder`; what is not here is told. */
  files(path: string): readonly string[] {
    const files = this.plan.paths.files(path, this.folder);
    if (files === null) this.leftOut(`There is no ${path} here.`, adviceForPath(path));
    return files ?? [];
  }

  /** The file that it names; null for what is not here, which is told. */
  read(): NamedFile | null {
    const file = this.plan.paths.find(this.text, this.folder);
    const read = file === null ? null : readText(file);
    if (file !== null && read !== null && 'text' in read) return { file, text: read.text };
    const why = `There is no ${this.text} here that can be read.`;
    this.leftOut(why, adviceForPath(this.text));
    return null;
  }
}

/** Whoever carries a setting over takes it; what nobody took is told as what is not known. */
export class Settings {
  readonly #all: readonly Setting[];
  readonly #taken = new Set<Setting>();
  /** Those that another one wins over. */
  readonly overridden: readonly { readonly setting: Setting; readonly by: Setting }[];

  /** The first of the same service and name counts. */
  constructor(settings: readonly Setting[]) {
    const groups = Map.groupBy(settings, ({ service, name }) => `${service} ${name}`);
    this.#all = [...groups.values()].flatMap((group) => group.slice(0, 1));
    this.overridden = [...groups.values()].flatMap(([by, ...others]) =>
      by === undefined ? [] : others.map((setting) => ({ setting, by })),
    );
  }

  /** Those with a name, of whatever service. */
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

  /** True where something is known of a service, whoever takes it. */
  has(service: string): boolean {
    return this.#all.some((setting) => setting.service === service);
  }

  rest(): readonly Setting[] {
    return this.#all.filter((setting) => !this.#taken.has(setting));
  }
}

/** The settings of existing services, wherever they stand: in files of services, and in files of variables. */

/** Where a setting stands. */
export interface Origin {
  readonly file: string;
  /** With dots, as `contexts.default.port`; the name of a variable in a file of variables. */
  readonly key: string;
}

export interface Setting extends Origin {
  /** Null for those of all services. */
  readonly service: string | null;
  /** As in files of services: `retention_period_minutes`. */
  readonly name: string;
  readonly value: unknown;
  /** Where relative paths in it may begin. */
  readonly folder: string;
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

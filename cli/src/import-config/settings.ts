/** The settings of existing services, wherever they stand: in files of services, and in files of variables. */
import type { Origin } from './import-plan.ts';

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
    const first = new Map<string, Setting>();
    const overridden: { setting: Setting; by: Setting }[] = [];
    for (const setting of settings) {
      const key = `${setting.service} ${setting.name}`;
      const by = first.get(key);
      if (by === undefined) first.set(key, setting);
      else overridden.push({ setting, by });
    }
    this.#all = [...first.values()];
    this.overridden = overridden;
  }

  /** Those with a name, of whatever service. */
  named(...names: readonly string[]): readonly Setting[] {
    return this.#take(({ name }) => names.includes(name));
  }

  of(service: string, ...names: readonly string[]): readonly Setting[] {
    return this.#take((setting) => setting.service === service && names.includes(setting.name));
  }

  matching(fits: (setting: Setting) => boolean): readonly Setting[] {
    return this.#take(fits);
  }

  /** True where something is known of a service, whoever takes it. */
  has(service: string): boolean {
    return this.#all.some((setting) => setting.service === service);
  }

  rest(): readonly Setting[] {
    return this.#all.filter((setting) => !this.#taken.has(setting));
  }

  #take(fits: (setting: Setting) => boolean): readonly Setting[] {
    const found = this.#all.filter((setting) => !this.#taken.has(setting) && fits(setting));
    for (const setting of found) this.#taken.add(setting);
    return found;
  }
}

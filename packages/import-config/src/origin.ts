/** A place in existing configurations, and reports about it. */
import { didYouMean } from '@tutti/manifests/documents';
import { type Entries, isEntries, textOf } from '@tutti/manifests/values';
import type { ImportPlan, Outcome } from './import-plan.ts';

/** Advice for a setting that the import does not understand. */
export const MEND = 'correct it and import it again';

/** An item of a list that has a name, and a map below a key. */
export interface NamedEntries {
  readonly name: string;
  readonly origin: Origin;
  readonly entries: Entries;
}

export class Origin {
  readonly plan: ImportPlan;
  readonly file: string;
  /** Key with dots, as `contexts.default.port`; the name of a variable in a file of variables; empty for a whole file. */
  readonly key: string;

  constructor(plan: ImportPlan, file: string, key: string) {
    this.plan = plan;
    this.file = file;
    this.key = key;
  }

  /** The place of a key or of an item below this place. */
  at(part: string | number): Origin {
    const below = typeof part === 'number' ? `${this.key}[${part}]` : `${this.key}.${part}`;
    return new Origin(this.plan, this.file, this.key === '' ? String(part) : below);
  }

  /** Copies the value of this place to a key of the configuration. */
  carry(key: string, value: unknown): void {
    this.plan.set(key, value);
    this.carried(key);
  }

  carried(to: string): void {
    this.#tell('carried', to, null, null);
  }

  changed(to: string | null, why: string, next: string | null = null): void {
    this.#tell('changed', to, why, next);
  }

  leftOut(why: string, next: string): void {
    this.#tell('left-out', null, why, next);
  }

  unneeded(why: string): void {
    this.#tell('unneeded', null, why, null);
  }

  #tell(outcome: Outcome, to: string | null, why: string | null, next: string | null): void {
    this.plan.items.push({ file: this.file, key: this.key, outcome, to, why, next });
  }

  tellUnknownKeys(entries: Entries, known: readonly string[]): void {
    for (const name of Object.keys(entries).filter((each) => !known.includes(each))) {
      const meant = didYouMean(name, known);
      const next =
        meant === '' ? 'see whether docs/reference/settings.md has what it was for' : MEND;
      this.at(name).leftOut(`It is no key that is known${meant || '.'}`, next);
    }
  }

  /** Reads a map, which may be absent. */
  map(value: unknown): Entries {
    if (isEntries(value)) return value;
    if (value !== undefined && value !== null) this.leftOut('It is no map.', MEND);
    return {};
  }

  /** Reads the items of a list, which may be absent. */
  named(list: unknown, below: string): readonly NamedEntries[] {
    if (Array.isArray(list)) {
      return list.flatMap((item: unknown, index): readonly NamedEntries[] => {
        const name = isEntries(item) ? textOf(item.name) : null;
        if (isEntries(item) && name !== null) {
          const entries = this.at(index).at(below).map(item[below]);
          return [{ name, origin: this.at(name), entries }];
        }
        this.at(index).leftOut('It is no entry with a name.', MEND);
        return [];
      });
    }
    const isThere = list !== undefined && list !== null;
    if (isThere) this.leftOut('It is no list of entries with a name each.', MEND);
    return [];
  }
}

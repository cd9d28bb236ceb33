/** A place in existing configurations: its value, and reports about it. */
import { existsSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { didYouMean } from '@tutti/manifests/documents';
import { type Entries, entriesOf, isEntries, textOf } from '@tutti/manifests/values';
import type { ImportPlan } from './import-plan.ts';
import { readText, visibleIn } from './source-documents.ts';

/** Advice for a value that the import does not understand. */
export const MEND = 'correct it and import it again';

/** The cells of a table in a text. */
export const rowsOf = (table: string): readonly (readonly string[])[] =>
  table.split('\n').flatMap((row) => (row === '' ? [] : [row.split(' | ')]));

type Parts = Pick<Place, 'file' | 'key'> & Partial<Pick<Place, 'value' | 'name' | 'service'>>;

export class Place {
  readonly plan: ImportPlan;
  readonly file: string;
  /** Key with dots, as `contexts.default.port`; the name of a variable in a file of variables; empty for a whole file. */
  readonly key: string;
  readonly value: unknown;
  /** The last part of the key, or the name of a setting as files of services have it: `retention_period_minutes`. */
  readonly name: string;
  /** The service that a setting is for; null for a setting of all services. */
  readonly service: string | null;

  constructor(plan: ImportPlan, { file, key, value, name = key, service = null }: Parts) {
    this.plan = plan;
    this.file = file;
    this.key = key;
    this.value = value;
    this.name = name;
    this.service = service;
  }

  /** The place of a key or of an item below this place. */
  at(part: string | number, value: unknown = entriesOf(this.value)[part]): Place {
    const below = typeof part === 'number' ? `${this.key}[${part}]` : `${this.key}.${part}`;
    const key = this.key === '' ? String(part) : below;
    return new Place(this.plan, { file: this.file, key, value, name: String(part) });
  }

  get text(): string {
    return textOf(this.value) ?? '';
  }

  /** The places below a map, which may be absent. */
  get children(): readonly Place[] {
    return Object.keys(entriesOf(this.value)).map((key) => this.at(key));
  }

  /** Copies a value to a key of the configuration. */
  carry(key: string, value: unknown): void {
    this.plan.set(key, value);
    this.carried(key);
  }

  /** Reports a value that has a new key or a new file; with the difference, if there is one. */
  carried(to: string | null, why: string | null = null, next: string | null = null): void {
    const outcome = why === null ? 'carried' : 'changed';
    this.plan.items.push({ file: this.file, key: this.key, outcome, to, why, next });
  }

  /** Reports a value that is left out; without anything to do, it is not needed. Returns no items, for lists of what is carried over. */
  leftOut(why: string, next: string | null = null): readonly never[] {
    const outcome = next === null ? 'unneeded' : 'left-out';
    this.plan.items.push({ file: this.file, key: this.key, outcome, to: null, why, next });
    return [];
  }

  /** The same, written as tell`Why. | what to do`. */
  report(texts: TemplateStringsArray, ...values: readonly unknown[]): readonly never[] {
    // Values are of users, and may have bars, too.
    const raw = texts.map((text) => text.replace(' | ', '\0'));
    const clean = values.map((value) => String(value).replaceAll('\0', ''));
    const [why = '', next] = String.raw({ raw }, ...clean).split('\0');
    return this.leftOut(why, next);
  }

  /** Reports unknown keys of a map, and `told` ones: rows of keys, why, and what to do. `silent` has further known keys. */
  reportKeys(silent: string, reported = ''): void {
    const rows = rowsOf(reported).flatMap(([keys = '', why = '', next]) =>
      keys.split(' ').map((key) => ({ key, why, next })),
    );
    const known = [...silent.split(' '), ...rows.map(({ key }) => key)];
    for (const place of this.children.filter(({ name }) => !known.includes(name))) {
      const meant = didYouMean(place.name, known);
      const next = meant ? MEND : 'see whether "tutti docs reference/settings" has what it was for';
      place.report`It is no key that is known${meant || '.'} | ${next}`;
    }
    for (const { key, why, next } of rows) {
      if (Object.hasOwn(entriesOf(this.value), key)) this.at(key).leftOut(why, next);
    }
  }

  /** The value, which is a map or absent. */
  map(): Entries {
    const isAbsent = (this.value ?? null) === null;
    if (!isAbsent && !isEntries(this.value)) this.report`It is no map. | ${MEND}`;
    return entriesOf(this.value);
  }

  /** Items of a list, which may be absent. Their values are the maps below a key beside their names. */
  named(below: string): readonly Place[] {
    if ((this.value ?? null) === null) return [];
    if (!Array.isArray(this.value)) {
      return this.report`It is no list of entries with a name each. | ${MEND}`;
    }
    return this.value.flatMap((item: unknown, index): readonly Place[] => {
      const name = textOf(entriesOf(item).name);
      const place = this.at(index, item);
      if (name !== null) return [this.at(name, place.at(below).map())];
      return place.report`It is no entry with a name. | ${MEND}`;
    });
  }

  /** Path here of a file that the value names, by its path on another machine or in an image. Null when it is missing. */
  find(path: string = this.text): string | null {
    const { wishes, used } = this.plan;
    const mapping = wishes.mappings.find(({ there }) => `${path}/`.startsWith(`${there}/`));
    const folder = dirname(this.file);
    // Services resolve paths from their working directory, which mostly is the folder above that of their configuration.
    const relative = [join(folder, path), join(dirname(folder), path), resolve(path)];
    const usual = isAbsolute(path) ? [path] : relative;
    const places = mapping ? [join(mapping.here, path.slice(mapping.there.length))] : usual;
    const found = path === '' ? undefined : places.find((place) => existsSync(place));
    if (found !== undefined) used.add(resolve(found));
    return found ?? null;
  }

  /** A file, or the visible files of a directory, which may be written `directory/*`. A missing path is reported. */
  files(path: string = this.text): readonly string[] {
    const found = this.find(path.replace(/\/\*$/, ''));
    if (found === null) return this.missing('', path);
    if (!statSync(found).isDirectory()) return [found];
    const files = visibleIn(found);
    for (const file of files) this.plan.used.add(resolve(file));
    return files.filter((file) => statSync(file).isFile());
  }

  /** The file that the value names, as a place with its text; null for a missing file, which is reported. */
  read(): Place | null {
    const file = this.find();
    const { text, problem } = file === null ? { text: '', problem: '' } : readText(file);
    if (file !== null && problem === null) {
      return new Place(this.plan, { file, key: '', value: text });
    }
    this.missing(' that can be read');
    return null;
  }

  /** Reports a path that is missing on this machine. */
  missing(form = '', path: string = this.text): readonly never[] {
    return this
      .report`There is no ${path} here${form}. | copy it to this machine, or say where it is with --map ${dirname(path)}=DIRECTORY`;
  }
}

/** Parts of existing configurations with the form that they should have: whatever else they say is lost, so it is told. */
import { didYouMean } from '@tutti/manifests/documents';
import { type Entries, isEntries, textOf } from '@tutti/manifests/values';
import type { ImportPlan } from './import-plan.ts';
import type { Origin } from './settings.ts';

/** What can be done about what is not understood. */
export const MEND = 'correct it and import it again';

/** `key` of the origin: the way to the entries, empty for those of the whole file. */
export function tellUnknownKeys(
  { file, key }: Origin,
  entries: Entries,
  known: readonly string[],
  plan: ImportPlan,
): void {
  for (const name of Object.keys(entries)) {
    if (known.includes(name)) continue;
    const meant = didYouMean(name, known);
    plan.leftOut(
      { file, key: key === '' ? name : `${key}.${name}` },
      `It is no key that is known${meant || '.'}`,
      meant === '' ? 'see whether docs/server.md has what it was for' : MEND,
    );
  }
}

/** A map, which may be absent. */
export function knownMap(origin: Origin, value: unknown, plan: ImportPlan): Entries {
  if (isEntries(value)) return value;
  if (value !== undefined && value !== null) plan.leftOut(origin, 'It is no map.', MEND);
  return {};
}

export interface NamedEntries {
  readonly name: string;
  readonly entries: Entries;
}

/** Items of a list that have a name, and a map below a key. The list may be absent. */
export function namedEntries(
  { file, key }: Origin,
  list: unknown,
  below: string,
  plan: ImportPlan,
): readonly NamedEntries[] {
  if (!Array.isArray(list)) {
    const isThere = list !== undefined && list !== null;
    if (isThere) plan.leftOut({ file, key }, 'It is no list of entries with a name each.', MEND);
    return [];
  }
  return list.flatMap((item: unknown, index) => {
    const origin = { file, key: `${key}[${index}]` };
    const name = isEntries(item) ? textOf(item.name) : null;
    if (!isEntries(item) || name === null) {
      plan.leftOut(origin, 'It is no entry with a name.', MEND);
      return [];
    }
    const place = { file, key: `${origin.key}.${below}` };
    return [{ name, entries: knownMap(place, item[below], plan) }];
  });
}

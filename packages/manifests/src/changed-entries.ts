/** Changes parts of documents. An unchanged part is the same object, so that callers see whether anything changed. */

export type Entries = Readonly<Record<string, unknown>>;

export const isEntries = (value: unknown): value is Entries =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Changes the entries of a map. `change` returns undefined to drop an entry. */
export function changedEntries(
  entries: Entries,
  change: (name: string, value: unknown) => unknown,
): Entries {
  const changed = new Map<string, unknown>();
  for (const name of Object.keys(entries)) {
    const value = entries[name];
    const next = change(name, value);
    if (next !== value) changed.set(name, next);
  }
  return replaced(entries, changed);
}

/** Changes only the entries with these names. */
export function changedAt<Change>(
  entries: Entries,
  changes: ReadonlyMap<string, Change>,
  apply: (change: Change, value: unknown) => unknown,
): Entries {
  let changed: Map<string, unknown> | null = null;
  for (const [name, change] of changes) {
    const value = entries[name];
    if (value === undefined) continue;
    const next = apply(change, value);
    if (next === value) continue;
    changed ??= new Map();
    changed.set(name, next);
  }
  return changed === null ? entries : replaced(entries, changed);
}

/** The entries in their order, without those whose new value is undefined. */
function replaced(entries: Entries, changed: ReadonlyMap<string, unknown>): Entries {
  if (changed.size === 0) return entries;
  return Object.fromEntries(
    Object.entries(entries).flatMap(([name, value]) => {
      const next = changed.has(name) ? changed.get(name) : value;
      return next === undefined ? [] : [[name, next]];
    }),
  );
}

/** Changes the items of a list. */
export function changedItems(
  items: readonly unknown[],
  change: (item: unknown) => unknown,
): readonly unknown[] {
  const changed = items.map(change);
  if (changed.every((item, index) => item === items[index])) return items;
  return changed.filter((item) => item !== undefined);
}

/** A map with one more entry, where a run has a thousand jobs and a decision changes each: to copy all of them each time takes seconds. */

/** Smaller maps are copied. */
const COPIED_MAX = 64;
/** Changes that are looked through before the map; then both become one. */
const CHANGES_MAX = 32;

export function withEntry<Key, Value>(
  map: ReadonlyMap<Key, Value>,
  key: Key,
  value: Value,
): ReadonlyMap<Key, Value> {
  if (map.size < COPIED_MAX) return new Map(map).set(key, value);
  const { base, changes } = map instanceof ChangedMap ? map : { base: map, changes: new Map() };
  const changed = new Map(changes).set(key, value);
  const all = new ChangedMap<Key, Value>(base, changed);
  return changed.size <= CHANGES_MAX ? all : new Map(all);
}

/** Entries keep their places, and new ones come last, as in other maps. */
class ChangedMap<Key, Value> implements ReadonlyMap<Key, Value> {
  readonly base: ReadonlyMap<Key, Value>;
  readonly changes: ReadonlyMap<Key, Value>;
  readonly size: number;

  constructor(base: ReadonlyMap<Key, Value>, changes: ReadonlyMap<Key, Value>) {
    this.base = base;
    this.changes = changes;
    this.size = base.size + this.#added().length;
  }

  get(key: Key): Value | undefined {
    return this.changes.has(key) ? this.changes.get(key) : this.base.get(key);
  }

  has(key: Key): boolean {
    return this.changes.has(key) || this.base.has(key);
  }

  *entries(): MapIterator<[Key, Value]> {
    for (const [key, value] of this.base) {
      yield this.changes.has(key) ? [key, this.changes.get(key) as Value] : [key, value];
    }
    yield* this.#added();
  }

  *keys(): MapIterator<Key> {
    yield* this.base.keys();
    for (const [key] of this.#added()) yield key;
  }

  *values(): MapIterator<Value> {
    for (const [, value] of this.entries()) yield value;
  }

  forEach(call: (value: Value, key: Key, map: ReadonlyMap<Key, Value>) => void): void {
    for (const [key, value] of this.entries()) call(value, key, this);
  }

  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.entries();
  }

  #added(): [Key, Value][] {
    return [...this.changes].filter(([key]) => !this.base.has(key));
  }
}

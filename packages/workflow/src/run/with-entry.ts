/**
 * Adds an entry to a map without copying it. One decision may change each of a thousand jobs, and copying all of them each time would take
 * seconds.
 */

/** Smaller maps are copied. */
const COPIED_MAX = 64;
/** Values that are copied for one that changes, and about as many lists of them where there are a thousand. */
export const LIST_LENGTH = 32;

export function withEntry<Key, Value>(
  map: ReadonlyMap<Key, Value>,
  key: Key,
  value: Value,
): ReadonlyMap<Key, Value> {
  if (map.size < COPIED_MAX) return new Map(map).set(key, value);
  return (map instanceof ChunkedMap ? map : chunked(map)).with(key, value);
}

/** An object that the versions of a large map share while their keys have the same places. Null for a small map. */
export const placesOf = <Key>(map: ReadonlyMap<Key, unknown>): object | null =>
  map instanceof ChunkedMap ? map.places : null;

/** The values of a map in lists, in their order. Versions of a large map share the lists that did not change. */
export const listsOf = <Value>(map: ReadonlyMap<unknown, Value>): readonly (readonly Value[])[] =>
  map instanceof ChunkedMap ? map.chunks : [[...map.values()]];

/** Values of a map, without the lists that it shares with an earlier version. */
export function valuesSince<Value>(
  map: ReadonlyMap<unknown, Value>,
  before: ReadonlyMap<unknown, Value>,
): readonly Value[] {
  const known = new Set(listsOf(before));
  return listsOf(map)
    .filter((list) => !known.has(list))
    .flat();
}

/** Remembers what a function says of each list of values. So a change of one value costs as much as its list, however large the map is. */
export function rememberedByList<Value, Result>(
  of: (values: readonly Value[]) => Result,
): (values: readonly Value[]) => Result {
  const known = new WeakMap<readonly Value[], Result>();
  return (values) => {
    const found = known.get(values);
    if (found !== undefined) return found;
    const result = of(values);
    known.set(values, result);
    return result;
  };
}

function chunked<Key, Value>(map: ReadonlyMap<Key, Value>): ChunkedMap<Key, Value> {
  const places = new Map([...map.keys()].map((key, place) => [key, place]));
  const values = [...map.values()];
  const chunks = Array.from({ length: Math.ceil(values.length / LIST_LENGTH) }, (_, index) =>
    values.slice(index * LIST_LENGTH, (index + 1) * LIST_LENGTH),
  );
  return new ChunkedMap(places, chunks, values.length);
}

/**
 * Values in lists of the same length, at the places of their keys. All versions of a map share the places, which only grow: a version has
 * those below its own size. Entries keep their places, and new ones come last, as in other maps.
 */
class ChunkedMap<Key, Value> implements ReadonlyMap<Key, Value> {
  readonly places: Map<Key, number>;
  readonly chunks: readonly (readonly Value[])[];
  readonly size: number;

  constructor(
    places: Map<Key, number>,
    chunks: readonly (readonly Value[])[],
    size: number = places.size,
  ) {
    this.places = places;
    this.chunks = chunks;
    this.size = size;
  }

  with(key: Key, value: Value): ChunkedMap<Key, Value> {
    const place = this.#placeOf(key);
    if (place !== null)
      return new ChunkedMap(this.places, this.#chunksWith(place, value), this.size);
    const places = this.#ownPlaces();
    places.set(key, this.size);
    return new ChunkedMap(places, this.#chunksWith(this.size, value), this.size + 1);
  }

  get(key: Key): Value | undefined {
    const place = this.#placeOf(key);
    return place === null ? undefined : this.#valueAt(place);
  }

  has(key: Key): boolean {
    return this.#placeOf(key) !== null;
  }

  *entries(): MapIterator<[Key, Value]> {
    for (const [key, place] of this.places) {
      if (place >= this.size) return;
      // There is a value at each place.
      yield [key, this.#valueAt(place) as Value];
    }
  }

  *keys(): MapIterator<Key> {
    for (const [key, place] of this.places) {
      if (place >= this.size) return;
      yield key;
    }
  }

  values(): MapIterator<Value> {
    return this.chunks.flat().values();
  }

  forEach(call: (value: Value, key: Key, map: ReadonlyMap<Key, Value>) => void): void {
    for (const [key, value] of this.entries()) call(value, key, this);
  }

  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.entries();
  }

  #placeOf(key: Key): number | null {
    const place = this.places.get(key);
    return place === undefined || place >= this.size ? null : place;
  }

  #valueAt(place: number): Value | undefined {
    return this.chunks[Math.floor(place / LIST_LENGTH)]?.[place % LIST_LENGTH];
  }

  #chunksWith(place: number, value: Value): readonly (readonly Value[])[] {
    const chunks = [...this.chunks];
    const chunk = [...(chunks[Math.floor(place / LIST_LENGTH)] ?? [])];
    chunk[place % LIST_LENGTH] = value;
    chunks[Math.floor(place / LIST_LENGTH)] = chunk;
    return chunks;
  }

  /** Another version that was made of the same one may have taken the next place. */
  #ownPlaces(): Map<Key, number> {
    if (this.places.size === this.size) return this.places;
    return new Map([...this.places].slice(0, this.size));
  }
}

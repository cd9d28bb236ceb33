/** Makes a value unchangeable all the way down, maps and sets included. So a forbidden change throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (value instanceof Map || value instanceof Set) return freezeCollection(value);
  Object.freeze(value);
  for (const name of Object.keys(value)) {
    deepFreeze(Object.getOwnPropertyDescriptor(value, name)?.value);
  }
  return value;
}

function freezeCollection<T extends Map<unknown, unknown> | Set<unknown>>(collection: T): T {
  collection.forEach((item, key) => {
    deepFreeze(key);
    deepFreeze(item);
  });
  const refuse = () => {
    throw new TypeError('This collection is frozen.');
  };
  for (const name of ['set', 'add', 'delete', 'clear']) {
    if (name in collection) Object.defineProperty(collection, name, { value: refuse });
  }
  return Object.freeze(collection);
}

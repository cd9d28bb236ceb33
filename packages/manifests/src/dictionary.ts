/**
 * A table with keys that come from outside. It has no prototype. `constructor`, `toString` and other names of every object are in it only
 * if somebody put them there. Small tables are easier to read as objects than as maps.
 */
export function dictionary<Value>(
  entries: Readonly<Record<string, Value>> = {},
): Record<string, Value> {
  return Object.assign(Object.create(null), entries);
}

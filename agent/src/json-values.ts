/** Reading documents that came over the wire, where any value may be of any type. */

/** An own entry of an object; undefined when there is none or the container is no object. */
export function valueAt(container: unknown, key: string): unknown {
  if (typeof container !== 'object' || container === null) return undefined;
  return Object.hasOwn(container, key) ? Reflect.get(container, key) : undefined;
}

/** The same for texts; null for everything that is no text. */
export function stringAt(container: unknown, key: string): string | null {
  const value = valueAt(container, key);
  return typeof value === 'string' ? value : null;
}

/** In characters. */
const LENGTH_MAX = 100;

/**
 * A value that a message speaks of: whole, or not at all. It may be a secret, and those who mask it find neither a piece of it nor
 * what became another text by an escape.
 */
export function shownValue(value: unknown): string {
  if (typeof value === 'string') {
    return value.length <= LENGTH_MAX ? `"${value}"` : `a text of ${value.length} characters`;
  }
  const json = JSON.stringify(value) ?? 'nothing';
  if (json.length <= LENGTH_MAX && !json.includes('\\')) return json;
  return Array.isArray(value) ? 'a list' : 'a map';
}

/** Characters of a value in a message. */
const LENGTH_MAX = 100;

/**
 * A value in a message: whole, or not at all. It may be a secret, and masking finds neither a part of it nor
 * its escaped form.
 */
export function shownValue(value: unknown): string {
  if (typeof value === 'string') {
    return value.length <= LENGTH_MAX ? `"${value}"` : `a text of ${value.length} characters`;
  }
  const json = JSON.stringify(value) ?? 'nothing';
  if (json.length <= LENGTH_MAX && !json.includes('\\')) return json;
  return Array.isArray(value) ? 'a list' : 'a map';
}

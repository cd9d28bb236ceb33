/** Values of existing configurations: as YAML has them, or as text of the environment. */

export type Entries = Readonly<Record<string, unknown>>;

export const isEntries = (value: unknown): value is Entries =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const entriesOf = (value: unknown): Entries => (isEntries(value) ? value : {});

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A text; null for an empty one, and for any other value. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** A number; null for any other value. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

const YES: readonly string[] = ['true', 'on', 'yes', '1'];
const NO: readonly string[] = ['false', 'off', 'no', '0'];

/** A boolean; null for any other value. */
export function booleanOf(value: unknown): boolean | null {
  const word = String(value).trim().toLowerCase();
  if (YES.includes(word)) return true;
  return NO.includes(word) ? false : null;
}

/** A list, or a text with commas; null for anything else. */
export function namesOf(value: unknown): readonly string[] | null {
  const parts = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(parts)) return null;
  const texts = parts.filter((part: unknown) => typeof part === 'string');
  const names = texts.map((text) => text.trim()).filter((name) => name !== '');
  return names.length === 0 || texts.length < parts.length ? null : names;
}

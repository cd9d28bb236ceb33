/**
 * Names and keys as the database takes them: `text` refuses U+0000. It is escaped by U+0001, which stands for itself twice. The order of
 * texts stays the same. JSON texts need none of this: they have no such character.
 */

const ESCAPE = '\x01';

export const toPlain = (text: string): string =>
  text.includes('\0') || text.includes(ESCAPE)
    ? text.replaceAll(ESCAPE, '\x01\x03').replaceAll('\0', '\x01\x02')
    : text;

export const fromPlain = (text: string): string =>
  text.includes(ESCAPE) ? text.replaceAll('\x01\x02', '\0').replaceAll('\x01\x03', ESCAPE) : text;

export const toPlainOrNull = (text: string | null): string | null =>
  text === null ? null : toPlain(text);
export const fromPlainOrNull = (text: string | null): string | null =>
  text === null ? null : fromPlain(text);

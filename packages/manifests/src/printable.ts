/** Control characters, those that turn the direction of a text, and line separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text of others for one line of a log: whatever a terminal would act on is escaped. */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);

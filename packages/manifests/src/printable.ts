/** Control characters, those that turn the direction of a text, and line separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const ASCII = /^[ -~]*$/;

/** A text of others for one line of a log: whatever a terminal would act on is escaped. */
export const printable = (text: string): string =>
  // Most texts have nothing else, which is found out faster.
  ASCII.test(text)
    ? text
    : text.replace(UNPRINTABLE, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);

/** Control characters, characters that change the direction of a text, and line separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const ASCII = /^[ -~]*$/;

/** A foreign text for one line of a log: characters with an effect on a terminal are escaped. */
export const printable = (text: string): string =>
  // Most texts are plain ASCII, and this test is faster.
  ASCII.test(text)
    ? text
    : text.replace(UNPRINTABLE, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);

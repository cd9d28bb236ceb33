/**
 * Other forms of a text. Messages quote it as JSON; scripts and variables quote it for shells. It may be the name of a file. A text that
 * must not be shown must not be shown so either.
 */

/** Signs that mean themselves wherever they stand. */
const PLAIN = /^[\w@+=.-]*$/;

/** The forms of a text, each once, the text itself first. Most texts have one. */
export function writtenForms(text: string): readonly string[] {
  if (PLAIN.test(text)) return [text];
  const argument = argumentOfCmd(text);
  return [
    ...new Set([
      text,
      jsonForm(text),
      text.replaceAll("'", String.raw`'\''`).replaceAll('${{', () => "$''{{"),
      text.replaceAll("'", `'"'"'`),
      backslashForm(text),
      ansiForm(text, CONTROL_OR_QUOTE),
      ansiForm(text, CONTROL_QUOTE_OR_LETTER),
      text.replaceAll('%', '%%'),
      verbatimOfCmd(text),
      echoOfCmd(text),
      echoOfCmd(verbatimOfCmd(text)),
      echoOfCmd(text.replaceAll('%', '%%')),
      argument,
      ...formsInNames(text),
    ]),
  ];
}

/** Shorter ones, or a line without a letter, would be found in names of all kinds. */
const IN_NAME = /(?=.{3}).*[\p{L}\p{N}]/su;

const formsInNames = (text: string): readonly string[] =>
  [
    withoutSeparators(text),
    withoutSeparators(text.trim()),
    nameInParameter(text),
    text.replaceAll('/', '\\'),
  ].filter((form) => IN_NAME.test(form));

/** Replaces signs that a piece of a path cannot contain. */
export const withoutSeparators = (text: string): string => text.replace(/[/\\\p{Cc}]/gu, '_');

/** Replaces signs that a parameter of a workflow command cannot contain. */
export const nameInParameter = (text: string): string => text.replace(/[\s,:\p{Cc}]/gu, '_');

/** The form within the quotes of JSON, as in messages and `toJSON`. */
export const jsonForm = (text: string): string => JSON.stringify(text).slice(1, -1);

/** `printf %q` of bash, for a text without control characters. */
const backslashForm = (text: string): string =>
  text.replace(/[ !"$&'()*,;<>?[\\\]^`{|}]|(?<=[:=])~/g, '\\$&');

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROL_OR_QUOTE = /[\x00-\x1f\x7f'\\]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROL_QUOTE_OR_LETTER = /[\x00-\x1f\x7f'\\]|[^\x00-\x7f]+/g;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ...[...'abtnvfr'].map((letter, index): [string, string] => [
    String.fromCharCode(7 + index),
    `\\${letter}`,
  ]),
  ['\x1b', '\\E'],
  ["'", "\\'"],
  ['\\', '\\\\'],
]);

/** Form within `$'..'`, which bash uses for control characters, and for letters that its locale does not have. */
const ansiForm = (text: string, escaped: RegExp): string =>
  text.replace(escaped, (signs) => ESCAPES.get(signs) ?? octal(signs));

const octal = (signs: string): string =>
  [...new TextEncoder().encode(signs)]
    .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('');

/** A verbatim variable on Windows. */
const verbatimOfCmd = (text: string): string =>
  text.replace(/[\^&<>]/g, '^$&').replaceAll('%', '%%');

/** Escapes a text so that `echo` of cmd prints it unchanged. */
const echoOfCmd = (text: string): string =>
  text.replace(/[\^&<>|(){}"]/g, '^$&').replaceAll('%', '%%');

/** An argument of a program, quoted for it and then for cmd. */
const argumentOfCmd = (text: string): string =>
  text
    .replace(/(?<!\\)(\\*)"/g, '$1$1\\"')
    .replace(/[()!^"<>&|{}]/g, '^$&')
    .replaceAll('%', '%%');

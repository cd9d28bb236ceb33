/** Quotes texts in scripts, so that the shell of the environment reads them as meant (wire facts 3.6). */

/** A variable of a manifest. The shell may expand its text, or must keep it as it is. */
export interface ScriptVariable {
  readonly name: string;
  readonly value: string;
  readonly verbatim: boolean;
  /** One of the run's secrets, which arrives as it is. */
  readonly secret?: boolean;
}

const SAFE_WORD = /^[\w@%+=:,./-]+$/;

/** One word that no POSIX shell changes. */
export function quotePosix(text: string): string {
  return SAFE_WORD.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

/**
 * Existing manifests rely on `"` being literal and on everything else being the shell's. A backslash is added only where that cannot be
 * parsed. An odd number of backslashes before a quote or the end cannot. A run of them is looked at once, from its begin: values may be
 * long.
 */
function escapeDoubleQuotes(text: string): string {
  return text
    .replace(/(?<!\\)(\\*)"/g, (_match, slashes: string) => `${evenBackslashes(slashes)}\\"`)
    .replace(/(?<!\\)\\+$/, evenBackslashes);
}

function evenBackslashes(slashes: string): string {
  return slashes.length % 2 === 0 ? slashes : `${slashes}\\`;
}

/** Blanks end a word; the others end a command or start a subshell, and no existing manifest can mean that. */
const WORD_ENDS = /[\s&;|<>()]/;

/** True for a brace expansion: bash makes several words of it, even after `export`. JSON without blanks is such a text. */
function hasBraces(text: string): boolean {
  const begin = text.search(/(?<!\$)\{/);
  return begin >= 0 && (text.includes(',', begin) || text.includes('..', begin));
}

/** One word in which `$x`, `~` and backquotes still expand. */
export function quoteExpanding(text: string): string {
  const escaped = escapeDoubleQuotes(text);
  const oddApostrophes = text.split("'").length % 2 === 0;
  const isTorn = hasBraces(text.replace(/'[^']*'/g, ''));
  return WORD_ENDS.test(text) || oddApostrophes || isTorn ? `"${escaped}"` : escaped;
}

/** A variable may expand to a text with blanks, so it needs quotes. A tilde, a pattern or the author's quotes must stay without. */
function hasUnquotedVariable(path: string): boolean {
  const begin = path.search(/[$`]/);
  return begin >= 0 && !path.slice(0, begin).includes('~') && !/[*?['"\\]/.test(path);
}

/** A directory to enter, in which the same expands. One that begins with a dash is no option, with a number sign no comment. */
export function quoteDirectory(path: string): string {
  const operand = /^[-#]/.test(path) ? `./${path}` : path;
  return hasUnquotedVariable(operand) ? `"${operand}"` : quoteExpanding(operand);
}

export function exportPosix({ name, value, verbatim }: ScriptVariable): string {
  return `export ${name}=${verbatim ? quotePosix(value) : quoteExpanding(value)}`;
}

/** cmd has no way to write a line break inside a value: each becomes a blank. */
export function setWindows({ name, value, verbatim, secret = false }: ScriptVariable): string {
  const line = value.replace(/\r\n|\r|\n/g, ' ');
  return `@set "${name}=${secret ? exactWindows(line) : verbatim ? verbatimWindows(line) : line}"`;
}

/** In quotes cmd keeps the carets, which is how existing orchestrators hand verbatim variables over. */
const verbatimWindows = (line: string): string =>
  line.replace(/[\^&<>]/g, '^$&').replaceAll('%', '%%');

/** Escapes a value exactly. Signs need carets only where quotes of the value itself end the quotes around it. */
function exactWindows(line: string): string {
  let isInQuotes = true;
  return line.replace(/["%^&<>|]/g, (sign) => {
    if (sign === '%') return '%%';
    if (sign === '"') isInQuotes = !isInQuotes;
    return isInQuotes || sign === '"' ? sign : `^${sign}`;
  });
}

/** Inside the quotes of a command line that the system shell of an agent reads. */
export function quoteCommandLinePath(path: string, isWindows: boolean): string {
  return isWindows ? `"${path}"` : `"${path.replace(/["$`\\]/g, '\\$&')}"`;
}

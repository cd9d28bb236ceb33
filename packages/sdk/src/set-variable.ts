/** A script line that leaves a variable for later steps of the job (wire facts 3.6 and 3.7). */
import { type ChannelOs, OrchestratorError, type Variables } from '@tutti/manifests';
import { escapeEcho, quoteSh, refuse } from './quoting.ts';

/** Longest value, in characters: it travels inside a script. */
const VALUE_LENGTH_MAX = 64 * 1024;
/** Longest line that cmd reads, in characters. */
const CMD_LINE_LENGTH_MAX = 8191;

/**
 * The shell of each later step expands a plain text, as in a workflow. A provider writes such a text itself. Texts of users must be
 * `{value, verbatim: true}`. These arrive unchanged; on Windows with the carets that verbatim values have there. Throws `Invalid` for names
 * that shells do not take and for values that are too long. Line breaks need a verbatim value on Linux or macOS. Windows allows no double
 * quotes.
 */
export function setVariable(os: ChannelOs, name: string, variable: Variables[string]): string {
  const { value, verbatim = false } = typeof variable === 'string' ? { value: variable } : variable;
  if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) {
    throw new OrchestratorError('Invalid', `${JSON.stringify(name)} is no name of a variable.`);
  }
  if (value.length > VALUE_LENGTH_MAX) throw tooLong(name, VALUE_LENGTH_MAX);
  if (os === 'windows') return setWindows(name, value, verbatim);
  return verbatim ? setVerbatim(name, value) : setExpanding(name, value);
}

/**
 * `%q` keeps all of it on one line. Otherwise a part of the value could be read as another assignment. It is not encoded: masks would not
 * find an encoded secret.
 */
function setVerbatim(name: string, value: string): string {
  return `printf 'export ${name}=%q\\n' ${quoteSh(value)} >> "$OPENTF_VARIABLES"`;
}

function setExpanding(name: string, value: string): string {
  refuse(value, /[\0\r\n]/, 'a line break or a NUL character');
  const line = `export ${name}=${quoteExpanding(value)}`;
  return `printf '%s\\n' ${quoteSh(line)} >> "$OPENTF_VARIABLES"`;
}

/** A value that needs no quotes gets none: results keep quotes as part of the value. */
const BARE = /^(?:[\w@%+=:,./~-]|\$\w+|\$\{\w+\})*$/;

function quoteExpanding(text: string): string {
  if (BARE.test(text)) return text;
  // A backslash too many before a quote would let that end the value.
  const even = (slashes: string) => (slashes.length % 2 === 0 ? slashes : `${slashes}\\`);
  const escaped = text
    .replace(/(?<!\\)(\\*)"/g, (_match, slashes: string) => `${even(slashes)}\\"`)
    .replace(/(?<!\\)\\+$/, even);
  return `"${escaped}"`;
}

function setWindows(name: string, value: string, verbatim: boolean): string {
  refuse(value, /[\0\r\n"]/, 'a line break, a double quote or a NUL character');
  const kept = verbatim ? value.replace(/[\^&<>]/g, '^$&').replaceAll('%', '%%') : value;
  // The redirection comes first: a digit before it would name a stream.
  const line = `@>> "%OPENTF_VARIABLES%" echo ${escapeEcho(`set "${name}=${kept}"`)}`;
  if (line.length > CMD_LINE_LENGTH_MAX) throw tooLong(name, CMD_LINE_LENGTH_MAX);
  return line;
}

function tooLong(name: string, lengthMax: number): OrchestratorError {
  const message = `The value of ${name} is longer than ${lengthMax} characters, as a script has it.`;
  return new OrchestratorError('Invalid', message);
}

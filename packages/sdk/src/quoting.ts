/**
 * Words of command lines in scripts. A provider puts texts of users into scripts that run on their environments. These texts must not
 * become syntax of the shell or of the orchestrator. Expressions in scripts of steps are evaluated, so a `${{` in a text is broken up.
 */
import { type ChannelOs, OrchestratorError } from '@tutti/manifests';

const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** Stands for the workspace in a text until it becomes a word of a script. Only the shell knows the path. No document contains it. */
export const WORKSPACE = '\uFDD0';
/** A step may have set another workspace, or none. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: a parameter of the shell.
const WORKSPACE_SH = '"${OPENTF_WORKSPACE:-$PWD}"';
const WORKSPACE_CMD = '%OPENTF_WORKSPACE%';

/** A text as one word for sh, bash and similar shells. It may have all characters but NUL. */
export function quoteSh(text: string): string {
  refuse(text, /\0/, 'a NUL character');
  if (!text.includes(WORKSPACE)) return quotePiece(text);
  const pieces = text.split(WORKSPACE);
  return pieces.map((piece) => (piece === '' ? '' : quotePiece(piece))).join(WORKSPACE_SH);
}

function quotePiece(text: string): string {
  if (PLAIN_WORD.test(text)) return text;
  // The quotes end and begin anew in the middle of `${{`.
  return `'${text.replaceAll("'", `'\\''`).replaceAll('${{', () => "$''{{")}'`;
}

const CMD_SYNTAX = /[()!^"<>&|{}]/g;

/**
 * One argument of a program for a cmd script without delayed expansion. The program reads it by the usual rules of C runtimes, as `git`,
 * `node` and most others do. Scripts (`.cmd`, `.bat`) read it twice and need another form.
 */
export function quoteCmd(text: string): string {
  refuse(text, /[\0\r\n]/, 'a line break or a NUL character');
  // The path may have any character: cmd must be within quotes where it stands.
  if (text.includes(WORKSPACE)) return quoteCmdScriptWord(text);
  if (/^[\w@+=:./\\-]+$/.test(text)) return text;
  const argument = `"${text.replace(/(?<!\\)(\\*)"/g, '$1$1\\"').replace(/(?<!\\)(\\+)$/, '$1$1')}"`;
  // Every quote is escaped as well, so that cmd is never inside quotes and honours the other carets.
  return argument.replace(CMD_SYNTAX, '^$&').replaceAll('%', '%%');
}

/**
 * One argument of a script that is called (`.cmd`, `.bat`). `call` reads the line, and the script reads it again. Characters that would
 * change are refused. Within quotes, the others stay.
 */
export function quoteCmdScriptWord(text: string): string {
  refuse(
    text,
    /[\0\r\n"%^!]/,
    'a line break, a double quote or one of % ^ !, which scripts of cmd cannot get,',
  );
  if (text.includes('${{')) throw unfit(text, 'an expression');
  return /^[\w@+:./\\-]+$/.test(text) ? text : `"${text.replaceAll(WORKSPACE, WORKSPACE_CMD)}"`;
}

export function quoteFor(os: ChannelOs, text: string): string {
  return os === 'windows' ? quoteCmd(text) : quoteSh(text);
}

/** A command line that passes these arguments as they are. */
export function commandLine(os: ChannelOs, words: readonly string[]): string {
  return words.map((word) => quoteFor(os, word)).join(' ');
}

/** A path in double quotes for cmd's own commands and redirections, which do not know carets within quotes. */
export function quoteCmdPath(path: string): string {
  refuse(path, /[\0\r\n"<>|*?]/, 'a character that paths on Windows cannot have');
  if (path.includes('${{')) throw unfit(path, 'an expression');
  const escaped = path.replaceAll('/', '\\').replaceAll('%', '%%');
  return `"${escaped.replaceAll(WORKSPACE, WORKSPACE_CMD)}"`;
}

/** Escapes a text so that `echo` of a cmd script prints it unchanged. */
export function escapeEcho(text: string): string {
  return text.replace(/[\^&<>|(){}"]/g, '^$&').replaceAll('%', '%%');
}

export function refuse(text: string, forbidden: RegExp, what: string): void {
  if (forbidden.test(text)) throw unfit(text, what);
}

function unfit(text: string, what: string): OrchestratorError {
  const shown = JSON.stringify(text.slice(0, 100));
  return new OrchestratorError('Invalid', `${shown} has ${what} and cannot be part of a script.`);
}

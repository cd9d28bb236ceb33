/**
 * Reads scripts in a rehearsal instead of running them (wire facts 10.5). It finds the files that were prepared with their names, and the
 * attachments that the scripts would make. Only lines without shell logic count; values that a shell would compute are not known here.
 */
import { REPORT_FOLDER_TYPE } from '@tutti/manifests';
import { createOutputState, type OutputRequest, readOutput } from '@tutti/workflow';

export interface Preparation {
  /** The name under which scripts attach it. */
  readonly name: string;
  /** The resource file. */
  readonly file: string;
}

/** An attachment that a script would make. */
export interface WantedAttachment {
  /** The request, with the path as its author knows it: in a loop, the pattern. */
  readonly request: OutputRequest;
  /** The last part of the path. */
  readonly name: string;
  /** Whether more than the file of that name may be meant. */
  readonly isPattern: boolean;
  /** Whether the script says nothing where there is no such file. */
  readonly isOptional: boolean;
}

export const linesOf = (scripts: readonly string[]): readonly string[] =>
  scripts.flatMap((script) => script.split(/\r?\n/));

const PREPARATION = /^\s*(?:#|@?rem)\s+::inception file=([^,:]+)::(.+?)\s*$/i;

export function preparationsOf(lines: readonly string[]): readonly Preparation[] {
  return lines.flatMap((line) => {
    const [, file, name] = PREPARATION.exec(line) ?? [];
    return file === undefined || name === undefined ? [] : [{ file, name }];
  });
}

export function attachmentsOf(
  lines: readonly string[],
  isWindows: boolean,
): readonly WantedAttachment[] {
  const wanted: WantedAttachment[] = [];
  let loop: string | null = null;
  for (const [index, line] of lines.entries()) {
    loop = patternOfLoop(line) ?? loop;
    const text = commandIn(line, isWindows);
    const [request] = text === null ? [] : readOutput(OUTPUT, [stdout(text)]).requests;
    // A rehearsal has no folder to pack.
    if (request?.kind !== 'attach' || request.parameters.type === REPORT_FOLDER_TYPE) continue;
    const isOfLoop = /%~fF|\$tutti_report$/.test(request.path);
    const pattern = isOfLoop ? loop : isListed(line) ? request.path : null;
    const path = pattern ?? request.path;
    const name = baseName(path);
    const missed = isOfLoop ? missedIn(lines.slice(index + 1), isWindows) : null;
    const isOptional = isOfLoop && missed === null;
    const shown = { ...request, path: missed ?? path };
    wanted.push({ request: shown, name, isPattern: isWild(pattern), isOptional });
  }
  return wanted;
}

const isWild = (pattern: string | null): boolean => pattern !== null && /[*?]/.test(pattern);

const OUTPUT = createOutputState();

const stdout = (line: string) => ({ stream: 'stdout', lines: [line] }) as const;

/** Functions that attach all files of a pattern loop over them, or have the pattern in a comment. */
const LOOP_UNIX = /^\s*for tutti_report in (.+); do$/;
const FOLDERS_WINDOWS = String.raw`(?:for /r "[^"]*" %%D in \(\.\) do @(?:for /d %%E in \("[^"]*"\) do @)?)?`;
const LOOP_WINDOWS = new RegExp(String.raw`^\s*@?${FOLDERS_WINDOWS}for %%F in \("([^"]+)"\) do `);
const LISTED = /^\s*(?:#|@?rem)\s+::attach/i;

const isListed = (line: string): boolean => LISTED.test(line);

function patternOfLoop(line: string): string | null {
  const [, words] = LOOP_UNIX.exec(line) ?? [];
  if (words !== undefined) return unquoted(words).replace(/^\$tutti_folder\//, '**/');
  const [, path] = LOOP_WINDOWS.exec(line) ?? [];
  return path?.replace(/^%%[DE]\\/, '**\\').replaceAll('%%', '%') ?? null;
}

/** The path in the line about its absence, which comes behind the loop and before the next one. Null without such a line. */
function missedIn(rest: readonly string[], isWindows: boolean): string | null {
  const next = rest.findIndex((line) => patternOfLoop(line) !== null);
  for (const line of rest.slice(0, next === -1 ? undefined : next)) {
    const [, words] = MISSED.exec(line) ?? [];
    if (words === undefined) continue;
    const text = isWindows ? unescaped(words) : unquoted(words);
    return /There is no report (.*) to attach\.$/.exec(text)?.[1] ?? null;
  }
  return null;
}

const MISSED = /^(?:\[ -n|@if not ).* echo ('?::warning::There is no report .*)$/;

const BEFORE = /^\s*(?:(?:#|@?rem)\s+|@?echo\s+)?(?=['"]?::attach)/i;
const BEFORE_UNIX = String.raw`if \[ -f "\$tutti_report" \]; then tutti_found=1; echo `;
const BEFORE_WINDOWS = String.raw`@?${FOLDERS_WINDOWS}for %%F in \("[^"]+"\) do @if exist "%%~fF" echo `;
const BEFORE_IN_LOOP = new RegExp(String.raw`^\s*(?:${BEFORE_UNIX}|${BEFORE_WINDOWS})`);

/** The workflow command that the line prints; null for other lines. */
function commandIn(line: string, isWindows: boolean): string | null {
  const before = BEFORE_IN_LOOP.exec(line) ?? BEFORE.exec(line);
  if (before === null) return null;
  const text = line.slice(before[0].length).replace(/; fi$/, '');
  if (isListed(line)) return text;
  return isWindows ? unescaped(text) : unquoted(text);
}

const unescaped = (text: string): string => text.replace(/\^(.)/g, '$1').replaceAll('%%', '%');

/** One word of a shell, as far as it is written out. */
function unquoted(word: string): string {
  let text = '';
  let quote = '';
  for (let at = 0; at < word.length; at += 1) {
    const sign = word.charAt(at);
    if (sign === quote) quote = '';
    else if (quote === '' && (sign === "'" || sign === '"')) quote = sign;
    else if (sign === '\\' && quote !== "'") {
      at += 1;
      text += word.charAt(at);
    } else text += sign;
  }
  return text;
}

const baseName = (path: string): string => path.slice(path.search(/[^\\/]*$/));

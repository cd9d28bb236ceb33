/** Lines of YAML that authors get wrong in ways of which its reader tells consequences alone. */
import { stepKeys } from '../reference/step-keys.ts';

export type Range = readonly [start: number, end: number];

export interface MistakenLine {
  readonly message: string;
  /** Whether blanks are what it is about. */
  readonly isExact?: boolean;
  /** Offsets in the text. */
  readonly range: Range;
}

/** A longer condition is not repeated. */
const CORRECTED_LENGTH_MAX = 120;
/** A line may be a whole document, with a mistake at each of its words. */
const LOOKED_AT_MAX = 1000;
const CONDITION_KEY = /(?:^|[\s{,-])(["']?)if\1\s*:\s+(?=!(?!!))/g;

/** The condition that begins with "!" and has the place in it. `isWithin` tells whether a place is within [ ] or { }. Null for none. */
export function negatedCondition(
  text: string,
  at: number,
  isWithin: (at: number) => boolean,
): MistakenLine | null {
  const before = text.slice(Math.max(0, at - LOOKED_AT_MAX), at);
  const lineStart = at - before.length + before.lastIndexOf('\n') + 1;
  const line = lineAt(text.slice(lineStart, at + LOOKED_AT_MAX), 0);
  const start = [...line.matchAll(CONDITION_KEY)]
    .map(({ 0: key, index }) => lineStart + index + key.length)
    .findLast((each) => each <= at);
  if (start === undefined) return null;
  const rest = line.slice(start - lineStart);
  const inBrackets = isWithin(start);
  const condition = inBrackets ? upToDelimiter(rest) : rest.replace(/\s#.*$/, '').trimEnd();
  if (at >= start + condition.length) return null;
  const written = `if: ${inBrackets ? quoted(condition) : `\${{ ${condition} }}`}`;
  const advice =
    written.length > CORRECTED_LENGTH_MAX ? 'put the condition in quotes' : `write ${written}`;
  return {
    message: `"!" begins a tag in YAML, ${advice}`,
    range: [start, start + condition.length],
  };
}

/** What stands before the comma or the bracket behind it. */
function upToDelimiter(text: string): string {
  let depth = 0;
  for (const { 0: sign, index } of text.matchAll(/'[^']*'|"[^"]*"|[()[\]{},]/g)) {
    const isEnd = depth === 0 && /^[\]},]/.test(sign);
    if (isEnd) return text.slice(0, index).trimEnd();
    if (/^[([{]/.test(sign)) depth += 1;
    if (/^[)\]}]/.test(sign)) depth -= 1;
  }
  return text.trimEnd();
}

const quoted = (text: string): string =>
  text.includes('"') ? `'${text.replaceAll("'", "''")}'` : `"${text}"`;

const BLOCK_TEXT = 'must be indented deeper than the line with its "|" or ">"';
const AS_FIRST_LINE = 'must be indented as deep as its first line';
const TAB = 'tabs are not allowed as indentation, use spaces';
const MORE_LINES =
  'a text of several lines is a block: write "run: |", and all its lines below that, indented deeper';
const SCRIPT = /(?:^|\s)run\s*:\s+[^|>\s]/;
const BLOCK_HEADER = /(?:([\w-]+)\s*:|-)\s+[|>][-+0-9]*\s*(?:#.*)?$/;

/**
 * The line as one that should have been indented as the text of a block, or that lacks the colon of its key, or the blank behind that.
 * `at` is where its first word may begin. Null where neither is likely.
 */
export function lineWithoutKey(text: string, at: number): MistakenLine | null {
  const blanks = /^[^\S\n]*(?:-[^\S\n]+)*/.exec(text.slice(at))?.[0] ?? '';
  const start = at + blanks.length;
  const line = lineAt(text, start).trimEnd();
  if (line === '') return null;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const [spaces, tabs] = /^( *)(\t\s*)/.exec(text.slice(lineStart, start))?.slice(1) ?? [];
  if (spaces !== undefined && tabs !== undefined) {
    const tab = lineStart + spaces.length;
    return { message: TAB, range: [tab, tab + tabs.length], isExact: true };
  }
  const [, key, behind] = /^([\w-]+)(:\S|\s|$)/.exec(line) ?? [];
  const isOfText = key === undefined || !Object.hasOwn(stepKeys, key);
  const range = [start, start + line.length] as const;
  const ofBlock = isOfText ? blockWith(text, start) : null;
  if (ofBlock !== null) return { message: ofBlock, range };
  if (key === undefined) return null;
  if (isOfText && SCRIPT.test(lineBefore(text, start))) return { message: MORE_LINES, range };
  const what = behind?.startsWith(':') === true ? 'a blank' : '":"';
  const message = `${what} is missing behind the key "${key}"`;
  return { message, range: [start, start + key.length] };
}

/** What is wrong with the line as one of a block that began before it; null where there is none. */
function blockWith(text: string, start: number): string | null {
  const indentation = start - text.lastIndexOf('\n', start - 1) - 1;
  const previous = lineBefore(text, start);
  const header = BLOCK_HEADER.test(previous)
    ? previous
    : lineBefore(text, start, (line) => indentationOf(line) <= indentation);
  const found = BLOCK_HEADER.exec(header);
  if (found === null) return null;
  const [, key] = found;
  const column = key === undefined ? header.indexOf('-') : header.indexOf(key, found.index);
  const whose = key === undefined ? 'a block' : `"${key}"`;
  return `the text of ${whose} ${indentation > column ? AS_FIRST_LINE : BLOCK_TEXT}`;
}

const indentationOf = (line: string): number => line.length - line.trimStart().length;

/** Whether a mistake is about a text that should have been indented as that of a block. */
export const isOfBlock = ({ message }: Pick<MistakenLine, 'message'>): boolean =>
  message.endsWith(BLOCK_TEXT) || message.endsWith(AS_FIRST_LINE) || message === TAB;

/** Up to its end, from the place on. */
export function lineAt(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  return text.slice(start, end === -1 ? text.length : end).replace(/\r$/, '');
}

/** The last line before that of the place which has anything and is wanted; empty for none. */
function lineBefore(
  text: string,
  at: number,
  isWanted: (line: string) => boolean = () => true,
): string {
  let end = text.lastIndexOf('\n', at - 1);
  while (end > 0) {
    const previous = text.lastIndexOf('\n', end - 1);
    const line = text.slice(previous + 1, end).trimEnd();
    if (line !== '' && isWanted(line)) return line;
    end = previous;
  }
  return '';
}

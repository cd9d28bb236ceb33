/** Finds common mistakes in lines of YAML, for which the library only reports consequences. */
import { stepKeys } from '../reference/step-keys.ts';

export type Range = readonly [start: number, end: number];

export interface MistakenLine {
  readonly message: string;
  /** True if the mistake is about blanks. */
  readonly isExact?: boolean;
  /** Offsets in the text. */
  readonly range: Range;
}

/** A longer condition is not repeated in a message. */
const CORRECTED_LENGTH_MAX = 120;
/** Characters of a line that are checked. A line may be a whole document, with a mistake at each word. */
const LOOKED_AT_MAX = 1000;
const CONDITION_KEY = /(?:^|[\s{,-])(["']?)if\1\s*:\s+(?=!(?!!))/g;

/** The condition with "!" around a place; null for none. `isWithin` is true for a place within [ ] or { }. */
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

/** The text before the next comma or closing bracket. */
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
 * A line that probably lacks the indentation of a block, the colon of its key, or the next blank. `at` is the place where its first word
 * may begin. Null where neither is likely.
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

/** The message for a line that probably belongs to a block above it; null if there is no block. */
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

/** True for a mistake about a text that should be indented as the text of a block. */
export const isOfBlock = ({ message }: Pick<MistakenLine, 'message'>): boolean =>
  message.endsWith(BLOCK_TEXT) || message.endsWith(AS_FIRST_LINE) || message === TAB;

/** The rest of the line, from the place on. */
export function lineAt(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  return text.slice(start, end === -1 ? text.length : end).replace(/\r$/, '');
}

/** The last line before the place that is not blank and that `isWanted` accepts; empty for none. */
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

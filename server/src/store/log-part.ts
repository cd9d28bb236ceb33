/**
 * Parts of an execution log whose text is not stored: it is made of the lines of a stored event. A part has all else that its text needs.
 * So later versions show the same text.
 */
import { Buffer } from 'node:buffer';

/** Lines of an event, each behind the prefix and ended by a line feed. */
export interface LogPart {
  /** Where the JSON text of the event has the list of the lines: characters, without the brackets. */
  readonly from: number;
  readonly to: number;
  readonly prefix: string;
  /** Length of the text in UTF-8. */
  readonly bytes: number;
}

/** A part with the number of its lines. */
export interface CountedPart extends LogPart {
  readonly lines: number;
}

/** A shorter list costs about as much as a part as its text does. */
export const LOG_PART_LENGTH_MIN = 2 * 1024;

const LINE_BREAK = /[\r\n]/;
/** Stands between two lines, if no character of them is escaped. */
const BETWEEN_LINES = /","/g;
/** Characters of a list whose text is made at a time. V8 gives texts of more than 128 KiB memory of their own, which costs three times as much. */
const STRETCH_LENGTH = 48 * 1024;

export interface PrintedLines {
  readonly event: object;
  readonly json: string;
  readonly prefix: string;
  /** A list somewhere in the event. */
  readonly lines: readonly string[];
}

/**
 * The part for these lines. Null where their text is not of the form, or so short that it had better be
 * stored.
 */
export function logPartOf({ event, json, prefix, lines }: PrintedLines): CountedPart | null {
  if (json.length < LOG_PART_LENGTH_MIN || lines.length === 0) return null;
  const place = placeOf({ event, json, lines });
  if (place === null || place.to - place.from < LOG_PART_LENGTH_MIN) return null;
  const list = json.slice(place.from, place.to);
  const isEscaped = list.includes('\\');
  if (isEscaped && lines.some((line) => LINE_BREAK.test(line))) return null;
  const bytes = isEscaped
    ? Buffer.byteLength(renderLines(prefix, lines))
    : plainBytes(list, lines.length, prefix);
  return { ...place, prefix, bytes, lines: lines.length };
}

/** Both texts are the same up to the list, and behind it. */
function placeOf({
  event,
  json,
  lines,
}: Omit<PrintedLines, 'prefix'>): Pick<LogPart, 'from' | 'to'> | null {
  const without = JSON.stringify(event, (_key, value) => (value === lines ? [] : value));
  let from = 0;
  while (from < without.length && without.charCodeAt(from) === json.charCodeAt(from)) from += 1;
  const to = json.length - (without.length - from);
  return to > from && json.endsWith(without.slice(from)) ? { from, to } : null;
}

function plainBytes(list: string, lines: number, prefix: string): number {
  const quotesAndCommas = 3 * lines - 1;
  return Buffer.byteLength(list) - quotesAndCommas + lines * (Buffer.byteLength(prefix) + 1);
}

/** Room behind the text, so that a longer text shows: for one character more. */
const ROOM_BEHIND = 4;

/** Memory for texts of so many bytes together. */
export const roomForLog = (bytes: number): Buffer => Buffer.allocUnsafeSlow(bytes + ROOM_BEHIND);

/** Writes the text of a part, made of the JSON text of its event. False if the text is not as long as the log was told. */
export function writeLogPart(target: Buffer, json: string, part: LogPart): boolean {
  return writeLines(target, json.slice(part.from, part.to), part.prefix) === part.bytes;
}

function writeLines(target: Buffer, list: string, prefix: string): number {
  if (list.includes('\\')) return target.write(renderLines(prefix, JSON.parse(`[${list}]`)));
  const between = `\n${prefix.replaceAll('$', '$$$$')}`;
  let written = target.write(prefix);
  for (let start = 1; start < list.length - 1; ) {
    const end = endOfStretch(list, start);
    const text = list.slice(start, end).replace(BETWEEN_LINES, between);
    written += target.write(text, written);
    start = end;
  }
  return written + target.write('\n', written);
}

/** Behind a whole line, or at the last quote. */
function endOfStretch(list: string, start: number): number {
  let at = list.indexOf('","', start + STRETCH_LENGTH);
  // Behind a comma, the first quote may begin a line that is a comma.
  while (at !== -1 && list[at - 1] === ',') at = list.indexOf('","', at + 1);
  return at === -1 ? list.length - 1 : at + 3;
}

const renderLines = (prefix: string, lines: readonly string[]): string =>
  `${prefix}${lines.join(`\n${prefix}`)}\n`;

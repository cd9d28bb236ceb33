/**
 * Decodes a text that hides another one: JSON escapes, URL and XML encoding, hexadecimal digits, Base64, colour codes in between. Each
 * result is a view: the decoded text, with the place of each of its code units in the original. All of it takes linear time.
 */
import type { TextRange } from './text-finder.ts';

export interface TextView {
  readonly text: string;
  /** Begin of the code unit in the original. */
  startOf(index: number): number;
  /** End of the code unit in the original; exclusive. */
  endOf(index: number): number;
}

/** Range in the original text of a range in the view. */
export const rangeIn = (view: TextView, { start, end }: TextRange): TextRange => ({
  start: view.startOf(start),
  end: view.endOf(end - 1),
});

const JSON_ESCAPE = /\\(?:u[0-9a-f]{4}|[^u])/gi;
const JSON_LETTERS: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** A view without one level of JSON escapes; null when the text has none. */
export function jsonView(text: string): TextView | null {
  return text.includes('\\') ? replacedView(text, JSON_ESCAPE, unescapeJson) : null;
}

function unescapeJson(escaped: string): string {
  const sign = escaped.slice(1);
  return sign.length > 1 ? unitOf(sign.slice(1), 16) : (JSON_LETTERS.get(sign) ?? sign);
}

/** A number may begin with zeros. */
const XML_REFERENCE = /&(?:amp|lt|gt|quot|apos|#\d{1,32}|#x[0-9a-f]{1,32});/gi;
const XML_NAMES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** A view without references of XML and HTML; null when the text has none. */
export function xmlView(text: string): TextView | null {
  return text.includes('&') ? replacedView(text, XML_REFERENCE, characterOf) : null;
}

function characterOf(reference: string): string {
  const name = reference.slice(1, -1).toLowerCase();
  if (name.startsWith('#x')) return codePoint(name.slice(2), 16) ?? reference;
  if (name.startsWith('#')) return codePoint(name.slice(1), 10) ?? reference;
  return XML_NAMES.get(name) ?? reference;
}

const CODE_POINT_MAX = 0x10ffff;

function codePoint(digits: string, radix: number): string | null {
  const code = Number.parseInt(digits, radix);
  return code <= CODE_POINT_MAX ? String.fromCodePoint(code) : null;
}

const URL_SIGN = /%[0-9a-f]{2}|\+/gi;

/** The bytes of a part of a URL or of a form, where `+` may be a blank. Null when nothing is encoded. */
export function urlView(text: string, hasBlanks: boolean): TextView | null {
  const isEncoded = text.includes('%') || (hasBlanks && text.includes('+'));
  if (!isEncoded) return null;
  return replacedView(text, URL_SIGN, (sign) => {
    if (sign === '+') return hasBlanks ? ' ' : '+';
    return unitOf(sign.slice(1), 16);
  });
}

const NO_SIGN = -1;
/** Sign of a character that may separate two digits. */
const BETWEEN = -2;
/** The four bits of each hexadecimal digit, by code unit. */
const HEX_BITS = Int8Array.from({ length: 0x80 }, (_, code) => {
  const sign = String.fromCharCode(code);
  return ' :-\\x,'.includes(sign) ? BETWEEN : '0123456789abcdef'.indexOf(sign.toLowerCase());
});
/** Separators between bytes: `50 61`, `50:61`, `50-61`, `0x50, 0x61`, `\x50\x61`. */
export const BETWEEN_BYTES: readonly string[] = ['', ' ', ':', '-', '\\x', ' 0x', ',0x', ', 0x'];

const ZERO = 0x30;
const LETTER_X = 0x78;

/** The bits of a digit, or a negative number. The zero of `0x` is none. */
export function hexAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code === ZERO && text.charCodeAt(at + 1) === LETTER_X
    ? BETWEEN
    : (HEX_BITS[code] ?? NO_SIGN);
}

export const isOfHex = (text: string, at: number): boolean =>
  (HEX_BITS[text.charCodeAt(at)] ?? NO_SIGN) !== NO_SIGN;

/** The run of hexadecimal digits around a place, with what stands between bytes. */
export const hexRunAt = (text: string, at: number): TextRange => runAt(text, at, isOfHex);

/** The places of the digits of such a run. */
export function hexPlaces(text: string, { start, end }: TextRange): Int32Array {
  const places = new Int32Array(end - start);
  let count = 0;
  for (let at = start; at < end; at += 1) {
    if (hexAt(text, at) < 0) continue;
    places[count] = at;
    count += 1;
  }
  return places.subarray(0, count);
}

/** The bytes of digits at these places. The `first` one, from 0, begins a byte; a digit before it may belong to something else. */
export function hexView(text: string, places: Int32Array, first: number): TextView {
  const placeOf = (digit: number): number => places[first + digit] ?? 0;
  const bytes = new Uint8Array(Math.max(0, (places.length - first) >> 1));
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = (hexAt(text, placeOf(2 * index)) << 4) | hexAt(text, placeOf(2 * index + 1));
  }
  return {
    text: textOfBytes(bytes),
    startOf: (index) => placeOf(2 * index),
    endOf: (index) => placeOf(2 * index + 1) + 1,
  };
}

const unitOf = (digits: string, radix: number): string =>
  String.fromCharCode(Number.parseInt(digits, radix));

const BASE64_SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** By code unit: the six bits of a sign, in the usual alphabet or in that of URLs. */
const BASE64_BITS = Int8Array.from({ length: 0x80 }, (_, code) => {
  const sign = String.fromCharCode(code).replace('-', '+').replace('_', '/');
  return BASE64_SIGNS.indexOf(sign);
});

const bitsAt = (text: string, at: number): number => BASE64_BITS[text.charCodeAt(at)] ?? NO_SIGN;

/** True for a Base64 sign of the usual alphabet, or of that of URLs. */
export const isOfBase64 = (text: string, at: number): boolean => bitsAt(text, at) !== NO_SIGN;

/** The run of Base64 signs around a place. */
export const base64RunAt = (text: string, at: number): TextRange => runAt(text, at, isOfBase64);

function runAt(
  text: string,
  at: number,
  belongs: (text: string, at: number) => boolean,
): TextRange {
  let start = at;
  let end = at;
  while (start > 0 && belongs(text, start - 1)) start -= 1;
  while (end < text.length && belongs(text, end)) end += 1;
  return { start, end };
}

const UNITS_PER_CALL = 8192;

/** The bytes of a run of Base64. A group of four signs begins with its `first` one, from 0. */
export function base64View(text: string, run: TextRange, first: number): TextView {
  const begin = run.start + first;
  const bytes = new Uint8Array(Math.max(0, Math.floor(((run.end - begin) * 6) / 8)));
  let bits = 0;
  let held = 0;
  let count = 0;
  for (let at = begin; at < run.end && count < bytes.length; at += 1) {
    bits = ((bits << 6) | bitsAt(text, at)) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[count] = (bits >> held) & 0xff;
    count += 1;
  }
  return {
    text: textOfBytes(bytes),
    startOf: (index) => begin + Math.floor((index * 8) / 6),
    endOf: (index) => begin + Math.ceil(((index + 1) * 8) / 6),
  };
}

/** One code unit for each byte. */
function textOfBytes(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += UNITS_PER_CALL) {
    // Faster than arguments that are spread.
    text += Reflect.apply(String.fromCharCode, null, bytes.subarray(at, at + UNITS_PER_CALL));
  }
  return text;
}

const ENCODER = new TextEncoder();
const ASCII = /^[\0-\x7f]*$/;

/** The text of a text that is written in UTF-8, one code unit for each byte. */
export const bytesOf = (text: string): string =>
  ASCII.test(text) ? text : textOfBytes(ENCODER.encode(text));

/** The text with each match replaced, or null when nothing changes. */
export function replacedView(
  text: string,
  pattern: RegExp,
  replace: (match: string) => string,
): TextView | null {
  const replaced = text.replace(pattern, replace);
  if (replaced === text) return null;
  // Most views hide no masked text, and nobody asks for the places of their code units.
  let changes: readonly Change[] | null = null;
  const changeAt = (index: number): Change => {
    changes ??= changesOf(text, pattern, replace);
    return lastBefore(changes, index);
  };
  return {
    text: replaced,
    startOf: (index) => {
      const { from, to, end } = changeAt(index);
      return index < end ? from : to + index - end;
    },
    endOf: (index) => {
      const { to, end } = changeAt(index);
      return index < end ? to : to + index - end + 1;
    },
  };
}

/** A piece that was replaced. */
interface Change {
  /** Range of the piece in the original text. */
  readonly from: number;
  readonly to: number;
  /** Range of the piece in the view. */
  readonly start: number;
  readonly end: number;
}

const NO_CHANGE: Change = { from: 0, to: 0, start: 0, end: 0 };

function changesOf(
  text: string,
  pattern: RegExp,
  replace: (match: string) => string,
): readonly Change[] {
  let last = NO_CHANGE;
  return Array.from(text.matchAll(pattern), ({ 0: match, index }) => {
    const start = last.end + index - last.to;
    const end = start + replace(match).length;
    last = { from: index, to: index + match.length, start, end };
    return last;
  });
}

/** The last change that begins at or before a code unit of the view. */
function lastBefore(changes: readonly Change[], index: number): Change {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle]?.start ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return changes[low - 1] ?? NO_CHANGE;
}

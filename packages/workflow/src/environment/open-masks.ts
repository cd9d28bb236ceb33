/**
 * Masked texts that end in another line than they begin in: encoders and terminals break long texts into lines. A line that ends with the
 * beginning of a masked text gives the expected beginning of the next. Comparing that takes linear time, however long the masked text is.
 */
import { hexAt, isOfBase64, isOfHex, type TextView } from './decoded-views.ts';
import type { OpenEnd } from './text-finder.ts';

/** From this many bytes on, the end of a line counts as the beginning of a masked text. The next line may continue it. */
export const OPEN_BYTES_MIN = 8;

type Form = 'text' | 'base64' | 'hex';

export interface EncodedView {
  readonly form: 'base64' | 'hex';
  readonly view: TextView;
}

/** The part of a masked text that the next lines must contain to complete it. It is plain JSON. */
export interface ExpectedRest {
  readonly form: Form;
  /** The missing part of the masked text; for an encoded text, one code unit for each byte. */
  readonly rest: string;
  /** So many signs of the first group of its encoding were there. */
  readonly read: number;
}

export interface OpenMask extends ExpectedRest {
  /** Begin of the masked text in the text that ends with it. */
  readonly start: number;
}

interface Encoding {
  /** So many signs of a group mean so many code units. */
  readonly signs: number;
  readonly units: number;
  encode(units: string): string;
}

/** Hexadecimal digits are small, and Base64 has the usual alphabet. */
const ENCODINGS: Readonly<Record<Form, Encoding>> = {
  text: { signs: 1, units: 1, encode: (text) => text },
  hex: { signs: 2, units: 1, encode: hexOf },
  // The last sign is left out: it depends on the next bytes.
  base64: { signs: 4, units: 3, encode: (bytes) => btoa(bytes).slice(0, (bytes.length * 8) / 6) },
};

export const openTexts = ({ start, texts }: OpenEnd, length: number): readonly OpenMask[] =>
  texts.map((text) => ({ form: 'text', start, rest: text.slice(length - start), read: 0 }));

/** None where the encoded text does not reach the end. `found`: in the bytes of the view. */
export function openEncoded(
  { form, view }: EncodedView,
  found: OpenEnd,
  text: string,
): readonly OpenMask[] {
  const end = view.endOf(view.text.length - 1);
  const start = view.startOf(found.start);
  if (form === 'hex') {
    const digits = digitsIn(text, end);
    const whole = view.text.length - found.start;
    if (digits === null) return [];
    return found.texts.map((bytes) => ({ form, start, rest: bytes.slice(whole), read: digits }));
  }
  if (text.length - end > 1 || (text.length > end && !isOfBase64(text, end))) return [];
  const before = found.start % ENCODINGS.base64.units;
  const signs = text.length - view.startOf(found.start - before);
  return found.texts.map((bytes) => ({ start, ...behind(form, bytes, signs, before) }));
}

/** At most one, behind the last whole byte; null where something else is there. */
function digitsIn(text: string, from: number): number | null {
  let digits = 0;
  for (let at = from; at < text.length; at += 1) {
    if (!isOfHex(text, at)) return null;
    if (hexAt(text, at) >= 0) digits += 1;
  }
  return digits;
}

/** `before`: of the first group, so many code units that are not of the text. */
function behind(form: Form, text: string, signs: number, before = 0): ExpectedRest {
  const { signs: perGroup, units } = ENCODINGS[form];
  const rest = text.slice(Math.floor(signs / perGroup) * units - before);
  return { form, rest, read: signs % perGroup };
}

/** At most `count` of the expected signs: a line cannot have more of a long text. */
function signsToCome({ form, rest, read }: ExpectedRest, count: number): string {
  const { signs, units, encode } = ENCODINGS[form];
  return encode(rest.slice(0, Math.ceil((read + count) / signs) * units)).slice(read, read + count);
}

const HEX_OF_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function hexOf(bytes: string): string {
  let digits = '';
  for (let at = 0; at < bytes.length; at += 1) digits += HEX_OF_BYTES[bytes.charCodeAt(at)];
  return digits;
}

export interface Continuation {
  /** Behind what belongs to the masked text. */
  readonly end: number;
  /** The part that the next lines must contain; null where the masked text is complete. */
  readonly expected: ExpectedRest | null;
}

/** Continues a masked text in a line, from a place on; null where the line has other text there. */
export function goOn(open: ExpectedRest, line: string, from: number): Continuation | null {
  const { form, rest, read } = open;
  const signs = signsToCome(open, line.length - from);
  let at = from;
  let count = 0;
  for (; at < line.length && count < signs.length; at += 1) {
    const sign = signAt(form, line, at);
    if (sign === null) continue;
    if (sign !== signs[count]) return null;
    count += 1;
  }
  const expected = behind(form, rest, read + count);
  return { end: at, expected: signsToCome(expected, 1) === '' ? null : expected };
}

/** Null for a separator between bytes. */
function signAt(form: Form, line: string, at: number): string | null {
  const sign = line[at] ?? '';
  if (form === 'text') return sign;
  if (form === 'base64') return sign === '-' ? '+' : sign === '_' ? '/' : sign;
  return isOfHex(line, at) && hexAt(line, at) < 0 ? null : sign.toLowerCase();
}

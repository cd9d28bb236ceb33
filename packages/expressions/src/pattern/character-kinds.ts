/** Which characters are letters and digits, in all scripts. */

/** Bits. */
const KNOWN = 1;
const WORD = 2;
const DIGIT = 4;

/** Word characters (`\w`), digits (`\d`), and the complement of each. */
export type CharacterClass = 'word' | 'other' | 'digit' | 'no-digit';

const WORDS = /^[\p{L}\p{M}\p{N}_]$/u;
const DIGITS = /^\p{Nd}$/u;
const CODE_UNITS = 0x10000;

/** By code unit, as far as any was asked for; made when the first one is. */
let kinds: Uint8Array | null = null;

/** The kind of the character at a position; 0 outside the text. Both code units of a surrogate pair have the kind of their letter. */
export function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  // Outside the text it is NaN.
  if (!(code >= 0)) return 0;
  if (isSurrogate(code)) return kindOf(characterAround(text, at, code));
  kinds ??= new Uint8Array(CODE_UNITS);
  const known = kinds[code] ?? 0;
  if (known !== 0) return known;
  const kind = kindOf(String.fromCharCode(code));
  kinds[code] = kind;
  return kind;
}

export const isWord = (kind: number): boolean => (kind & WORD) !== 0;

export function isOfClass(kind: number, wanted: CharacterClass): boolean {
  switch (wanted) {
    case 'word':
      return (kind & WORD) !== 0;
    case 'other':
      return (kind & WORD) === 0;
    case 'digit':
      return (kind & DIGIT) !== 0;
    case 'no-digit':
      return (kind & DIGIT) === 0;
  }
}

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;
const isLow = (code: number): boolean => code >= 0xdc00;

/** Half of a pair alone is a character of no kind. */
function characterAround(text: string, at: number, code: number): string {
  const start = isLow(code) ? at - 1 : at;
  return start < 0 ? '' : String.fromCodePoint(text.codePointAt(start) ?? 0);
}

function kindOf(character: string): number {
  return KNOWN | (WORDS.test(character) ? WORD : 0) | (DIGITS.test(character) ? DIGIT : 0);
}

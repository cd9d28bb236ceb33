/** The syntax tree of a pattern, and sets of characters. */
import type { CharacterClass } from './character-kinds.ts';

export type Assertion = 'start' | 'end' | 'line-start' | 'line-end' | 'boundary' | 'inside';

export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | {
      readonly kind: 'repetition';
      readonly item: PatternNode;
      readonly min: number;
      /** Infinity for no upper bound. */
      readonly max: number;
    };

/** First and last code unit. */
export type CharacterRange = readonly [first: number, last: number];

/** A range of characters, or all characters of a kind. */
export type CharacterItem = CharacterRange | CharacterClass;

export interface CharacterSet {
  readonly ranges: readonly CharacterRange[];
  readonly classes: readonly CharacterClass[];
  readonly negated: boolean;
}

const LAST_CODE_UNIT = 0xffff;

const isClass = (item: CharacterItem): item is CharacterClass => typeof item === 'string';
const isRange = (item: CharacterItem): item is CharacterRange => typeof item !== 'string';

export const setOf = (items: readonly CharacterItem[], negated = false): CharacterSet => ({
  ranges: items.filter(isRange),
  classes: items.filter(isClass),
  negated,
});

export const SPACES: readonly CharacterRange[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

export const LINE_ENDS: readonly CharacterRange[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/** The gaps between the ranges, which must be in ascending order. */
export function complementOf(ranges: readonly CharacterRange[]): readonly CharacterRange[] {
  const edges = [-1, ...ranges.flat(), LAST_CODE_UNIT + 1];
  const complement: CharacterRange[] = [];
  for (let index = 0; index < edges.length; index += 2) {
    const first = (edges[index] ?? 0) + 1;
    const last = (edges[index + 1] ?? 0) - 1;
    if (first <= last) complement.push([first, last]);
  }
  return complement;
}

export function isInRanges(ranges: readonly CharacterRange[], code: number): boolean {
  for (const [first, last] of ranges) {
    if (code >= first && code <= last) return true;
  }
  return false;
}

/** The letter in the other case; the code unit itself if it has none. */
export function otherCaseOf(code: number): number {
  if (code < 0x80) return asciiOtherCaseOf(code);
  const character = String.fromCharCode(code);
  const lower = character.toLowerCase();
  const other = lower === character ? character.toUpperCase() : lower;
  return other.length === 1 ? other.charCodeAt(0) : code;
}

function asciiOtherCaseOf(code: number): number {
  if (code >= 0x41 && code <= 0x5a) return code + 0x20;
  if (code >= 0x61 && code <= 0x7a) return code - 0x20;
  return code;
}

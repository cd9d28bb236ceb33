/**
 * Finds the places of a text where one of many texts may begin. Nearly every place begins none, and the first few code units show that
 * much faster than an automaton does.
 */
export interface StartFilter {
  /** The next place from `from` on where a text may begin; the length of `text` if there is none. */
  next(text: string, from: number): number;
}

const CODE_UNITS = 0x10000;
/** Each run with masks has a few filters, so a filter takes few bytes. At most one place in sixteen is taken. */
const SIZE_MIN = 256;
const PLACES_PER_TEXT = 16;

/** With four, the filter lets one place in sixteen through, whatever letters the texts share; with few texts far less. */
const HEAD_LENGTH_MAX = 4;

/** None of the texts may be empty. */
export function createStartFilter(texts: readonly string[]): StartFilter {
  const headLength = texts.reduce((least, { length }) => Math.min(least, length), HEAD_LENGTH_MAX);
  const size = sizeFor(texts.length);
  const mask = size - 1;
  /** The second code unit counts where each text has one. */
  const second = headLength > 1 ? CODE_UNITS - 1 : 0;
  const pairs = new Uint8Array(size);
  const heads = new Uint8Array(size);
  for (const text of texts) {
    pairs[hashOfPair(text.charCodeAt(0), text.charCodeAt(1) & second) & mask] = 1;
    heads[hashOf(text, 0, headLength) & mask] = 1;
  }
  return {
    next: (text, from) => {
      const last = text.length - headLength;
      let code = text.charCodeAt(from);
      for (let at = from; at <= last; at += 1) {
        const next = text.charCodeAt(at + 1);
        const mayBegin = pairs[hashOfPair(code, next & second) & mask] === 1;
        if (mayBegin && heads[hashOf(text, at, headLength) & mask] === 1) return at;
        code = next;
      }
      return text.length;
    },
  };
}

function sizeFor(count: number): number {
  let size = SIZE_MIN;
  while (size < CODE_UNITS && size < count * PLACES_PER_TEXT) size *= 2;
  return size;
}

const hashOfPair = (first: number, second: number): number => Math.imul(first, 31) ^ second;

function hashOf(text: string, at: number, length: number): number {
  let hash = 0;
  for (let index = 0; index < length; index += 1) {
    hash = Math.imul(hash, 31) ^ text.charCodeAt(at + index);
  }
  return hash ^ (hash >>> 13);
}

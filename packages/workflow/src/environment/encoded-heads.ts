/** The first bytes of each mask, encoded in Base64 and as hexadecimal digits. Nearly every line has none of them and is not decoded. */
import {
  BETWEEN_BYTES,
  base64RunAt,
  base64View,
  hexPlaces,
  hexRunAt,
  hexView,
} from './decoded-views.ts';
import type { EncodedView } from './open-masks.ts';
import { createStartFilter, type StartFilter } from './start-filter.ts';
import type { TextRange } from './text-finder.ts';

/** Shorter masks are looked for as they are alone: their digits, or signs of Base64, stand in many other texts. */
export const ENCODED_BYTES_MIN = 4;
const HEAD_LENGTH = 4;
const GROUP_SIGNS = 4;
const BASE64_SIGNS_PER_BYTE = 4 / 3;
const HEX_DIGITS_PER_BYTE = 2;
/** A head of digits has no more bytes in it. */
const HEX_HEAD_BYTES = 2;

export class EncodedHeads {
  /** By the head: how many signs of Base64 stand before it in its group of four. */
  readonly #base64 = new Map<string, Set<number>>();
  readonly #hex: ReadonlySet<string>;
  /** Bytes of the shortest mask: what decodes to fewer has none. */
  readonly #shortest: number;
  readonly #filter: StartFilter;

  /** Each mask has one code unit for each of its bytes, and at least `ENCODED_BYTES_MIN` of them. */
  constructor(masks: readonly string[]) {
    // Many forms of a mask begin alike.
    const begins = new Set(masks.map((mask) => mask.slice(0, ENCODED_BYTES_MIN)));
    for (const begin of begins) this.#addBase64(begin);
    const firstTwo = new Set(masks.map((mask) => mask.slice(0, HEX_HEAD_BYTES)));
    this.#hex = new Set([...firstTwo].flatMap(hexHeads));
    this.#shortest = masks.reduce((least, { length }) => Math.min(least, length), Infinity);
    this.#filter = createStartFilter([...this.#base64.keys(), ...this.#hex]);
  }

  #addBase64(begin: string): void {
    for (const { before, signs } of OFFSETS) {
      const head = btoa(before + begin).slice(signs, signs + HEAD_LENGTH);
      for (const each of [head, forUrls(head)]) {
        const known = this.#base64.get(each) ?? new Set();
        this.#base64.set(each, known.add(signs));
      }
    }
  }

  /** Decodes text parts that may contain a mask, or that end with at least `openMin` bytes of one. */
  *views(text: string, openMin: number): Iterable<EncodedView> {
    if (this.#base64.size === 0) return;
    const bytesMin = Math.min(this.#shortest, openMin);
    let base64: Base64Run | null = null;
    let hex: HexRun | null = null;
    let at = this.#filter.next(text, 0);
    for (; at < text.length; at = this.#filter.next(text, at + 1)) {
      const head = text.slice(at, at + HEAD_LENGTH);
      const signsBefore = this.#base64.get(head);
      if (signsBefore !== undefined) {
        base64 = base64 !== null && at < base64.end ? base64 : new Base64Run(text, at);
        if (lengthOf(base64) >= bytesMin * BASE64_SIGNS_PER_BYTE) {
          yield* base64.views(at, signsBefore);
        }
      }
      if (this.#hex.has(head)) {
        hex = hex !== null && at < hex.end ? hex : new HexRun(text, at);
        if (lengthOf(hex) >= bytesMin * HEX_DIGITS_PER_BYTE) yield* hex.views(at);
      }
    }
  }
}

const lengthOf = ({ start, end }: TextRange): number => end - start;

/** Signs of Base64 without anything in between. The first one need not begin a group of four. */
class Base64Run implements TextRange {
  readonly start: number;
  readonly end: number;
  readonly #text: string;
  readonly #decoded = new Set<number>();

  constructor(text: string, at: number) {
    ({ start: this.start, end: this.end } = base64RunAt(text, at));
    this.#text = text;
  }

  /** The bytes of the run where a group begins so many signs before this place, each way once. */
  *views(at: number, signsBefore: Iterable<number>): Iterable<EncodedView> {
    for (const signs of signsBefore) {
      const first = (at - signs - this.start + GROUP_SIGNS) % GROUP_SIGNS;
      if (this.#decoded.has(first)) continue;
      this.#decoded.add(first);
      yield { form: 'base64', view: base64View(this.#text, this, first) };
    }
  }
}

/** Hexadecimal digits, with what stands between bytes. The first one need not begin a byte. */
class HexRun implements TextRange {
  readonly start: number;
  readonly end: number;
  readonly #text: string;
  readonly #places: Int32Array;
  readonly #decoded = new Set<number>();
  /** The place that was last asked for, as an index into `#places`. */
  #digit = 0;

  constructor(text: string, at: number) {
    ({ start: this.start, end: this.end } = hexRunAt(text, at));
    this.#text = text;
    this.#places = hexPlaces(text, this);
  }

  /** The bytes of the run where one begins at this place, each way once. Places are asked for in their order. */
  *views(at: number): Iterable<EncodedView> {
    while ((this.#places[this.#digit] ?? at) < at) this.#digit += 1;
    const first = this.#digit % HEX_DIGITS_PER_BYTE;
    if (this.#decoded.has(first)) return;
    this.#decoded.add(first);
    yield { form: 'hex', view: hexView(this.#text, this.#places, first) };
  }
}

/** The number of signs that do not depend on the mask alone. It is listed by the number of bytes before the mask in its group of three. */
const OFFSETS = [
  { before: '', signs: 0 },
  { before: '\0', signs: 2 },
  { before: '\0\0', signs: 3 },
];

const forUrls = (head: string): string => head.replaceAll('+', '-').replaceAll('/', '_');

/** `mask`: its first bytes, one code unit for each. */
function hexHeads(mask: string): readonly string[] {
  const [first = '', second = ''] = [0, 1].map((at) =>
    mask.charCodeAt(at).toString(16).padStart(2, '0'),
  );
  const heads = BETWEEN_BYTES.map((between) => `${first}${between}${second}`.slice(0, HEAD_LENGTH));
  const large = BETWEEN_BYTES.map((between) =>
    `${first.toUpperCase()}${between}${second.toUpperCase()}`.slice(0, HEAD_LENGTH),
  );
  return [...heads, ...large];
}

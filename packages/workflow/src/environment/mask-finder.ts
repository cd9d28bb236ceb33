/**
 * Finds masked texts in a line, also in other forms. Shells and JSON quote them (`writtenForms`); URLs, XML and JSON within JSON encode
 * them. They may be hexadecimal digits or Base64, or have colour codes in between. The time is linear in the line.
 */
import { atOnce, type Steps } from '@tutti/manifests';
import { bytesOf, jsonView, rangeIn, type TextView, urlView, xmlView } from './decoded-views.ts';
import { ENCODED_BYTES_MIN, EncodedHeads } from './encoded-heads.ts';
import { OPEN_BYTES_MIN, type OpenMask, openEncoded, openTexts } from './open-masks.ts';
import { type TextFinder, type TextRange, textFinderSteps } from './text-finder.ts';
import { visibleView } from './visible-view.ts';
import { writtenForms } from './written-forms.ts';

/** Maximum depth of JSON texts inside JSON texts. */
const JSON_LEVELS = 2;

/** Ranges may overlap, and come in no order. */
export interface MaskFinder extends Pick<TextFinder, 'find' | 'findBeginnings'> {
  /** Length of the longest form in which a mask is written; 0 where there is none. */
  readonly longest: number;
  /** Also finds the end of the text that may begin masked texts, with `openMin` bytes or more of them. */
  search(text: string, openMin: number): FoundMasks;
  /** Searches a text for the next `search` or `find` of it: 80 KiB take longer than a turn. */
  searchAhead(text: string): Steps<void>;
}

export interface FoundMasks {
  readonly ranges: readonly TextRange[];
  readonly open: readonly OpenMask[];
}

export const createMaskFinder = (masks: readonly string[]): MaskFinder =>
  atOnce(maskFinderSteps(masks));

/** Masks of one step: less than a millisecond, unless they are long. */
const STEP_MASKS = 16;

export function* maskFinderSteps(masks: readonly string[]): Steps<MaskFinder> {
  const forms: string[] = [];
  const long: string[] = [];
  for (const [index, mask] of masks.entries()) {
    if (index % STEP_MASKS === 0) yield;
    for (const form of writtenForms(mask)) {
      forms.push(form);
      const bytes = bytesOf(form);
      if (bytes.length >= ENCODED_BYTES_MIN) long.push(bytes);
    }
  }
  const texts = yield* textFinderSteps(forms);
  const isSame = long.length === forms.length && long.every((form, at) => form === forms[at]);
  return new FormsFinder(masks, {
    longest: forms.reduce((longest, { length }) => Math.max(longest, length), 0),
    texts,
    bytes: isSame ? texts : yield* textFinderSteps(long),
    encodedHeads: new EncodedHeads(long),
  });
}

interface Finders {
  readonly longest: number;
  readonly texts: TextFinder;
  readonly bytes: TextFinder;
  readonly encodedHeads: EncodedHeads;
}

class FormsFinder implements MaskFinder {
  readonly longest: number;
  readonly #texts: TextFinder;
  /** Finder for texts of which each code unit is a byte. */
  readonly #bytes: TextFinder;
  readonly #hasBlanks: boolean;
  readonly #encodedHeads: EncodedHeads;
  #ahead: { readonly text: string; readonly found: FoundMasks } | null = null;

  constructor(masks: readonly string[], { longest, texts, bytes, encodedHeads }: Finders) {
    this.longest = longest;
    this.#texts = texts;
    this.#bytes = bytes;
    this.#encodedHeads = encodedHeads;
    this.#hasBlanks = masks.some((mask) => mask.includes(' '));
  }

  find(text: string): readonly TextRange[] {
    return this.search(text, Infinity).ranges;
  }

  findBeginnings(...[text, mark, lengthMin]: Parameters<TextFinder['findBeginnings']>) {
    return this.#texts.findBeginnings(text, mark, lengthMin);
  }

  search(text: string, openMin: number): FoundMasks {
    const found = this.#ahead?.text === text ? this.#ahead.found : null;
    if (found === null) return atOnce(this.#search(text, openMin, JSON_LEVELS));
    this.#ahead = null;
    // Ranges are the same with any `openMin`.
    return openMin === OPEN_BYTES_MIN ? found : { ...found, open: [] };
  }

  *searchAhead(text: string): Steps<void> {
    this.#ahead = { text, found: yield* this.#search(text, OPEN_BYTES_MIN, JSON_LEVELS) };
  }

  #search(text: string, openMin: number, jsonLevels: number): Steps<FoundMasks> {
    const visible = visibleView(text);
    const steps = this.#searchVisible(visible?.text ?? text, openMin, jsonLevels);
    return visible === null ? steps : this.#searchAll(text, visible, steps);
  }

  *#searchAll(text: string, visible: TextView, steps: Steps<FoundMasks>): Steps<FoundMasks> {
    const { ranges, open } = yield* steps;
    return {
      ranges: [...this.#texts.find(text), ...ranges.map((range) => rangeIn(visible, range))],
      open: open.map((each) => ({ ...each, start: visible.startOf(each.start) })),
    };
  }

  *#searchVisible(text: string, openMin: number, jsonLevels: number): Steps<FoundMasks> {
    const plain = this.#texts.search(text, openMin);
    const ranges = [...plain.ranges];
    const open = plain.open === null ? [] : [...openTexts(plain.open, text.length)];
    for (const encoded of this.#encodedHeads.views(text, openMin)) {
      yield;
      const inner = this.#bytes.search(encoded.view.text, openMin);
      ranges.push(...inner.ranges.map((range) => rangeIn(encoded.view, range)));
      if (inner.open !== null) open.push(...openEncoded(encoded, inner.open, text));
    }
    yield;
    const json = jsonLevels === 0 ? null : jsonView(text);
    if (json !== null) {
      const inner = yield* this.#search(json.text, Infinity, jsonLevels - 1);
      ranges.push(...inner.ranges.map((range) => rangeIn(json, range)));
    }
    ranges.push(
      ...findIn(xmlView(text), (inner) => this.#texts.find(inner)),
      ...findIn(urlView(text, this.#hasBlanks), (inner) => this.#bytes.find(inner)),
    );
    return { ranges, open };
  }
}

function findIn(
  view: TextView | null,
  find: (text: string) => readonly TextRange[],
): readonly TextRange[] {
  return view === null ? [] : find(view.text).map((range) => rangeIn(view, range));
}

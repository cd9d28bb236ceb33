/** Texts that must not be shown, such as passwords that a step was given. */
import type { Steps } from '@tutti/manifests';
import { CUT_MARK } from './cut-text.ts';
import {
  byStart,
  extendSearch,
  findersOf,
  longestForm,
  rangesOf,
  searchSteps,
} from './mask-search.ts';
import { OPEN_BYTES_MIN } from './open-masks.ts';
import type { TextRange } from './text-finder.ts';
import { visibleView } from './visible-view.ts';
import { jsonForm, writtenForms } from './written-forms.ts';

export const MASK = '***';

/**
 * Adds texts to the masks. A text of several lines adds each line, since output is shown line by line, and its JSON form. Their other forms
 * (`writtenForms`) are searched for as well.
 */
export function addMasks(masks: readonly string[], texts: readonly string[]): readonly string[] {
  const all = new Set(masks);
  for (const line of texts.flatMap(linesToMask)) if (line !== '') all.add(line);
  if (all.size === masks.length) return masks;
  const more = [...all];
  const fresh = more.slice(masks.length);
  lengths.set(more, masksLength(masks) + lengthOf(fresh));
  extendSearch(masks, more, fresh);
  return more;
}

/** Shorter lines of a longer text, such as a brace alone, are not masked: they tell nothing and occur everywhere. */
const PART_LENGTH_MIN = 3;

function linesToMask(text: string): readonly string[] {
  if (!/[\r\n]/.test(text)) return [text];
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return [...lines, jsonForm(text.trim())].filter(({ length }) => length >= PART_LENGTH_MIN);
}

const lengths = new WeakMap<readonly string[], number>();

/** Characters of all masks, in all the forms in which they are written: the cost of searching for them. */
export function masksLength(masks: readonly string[]): number {
  const known = lengths.get(masks);
  if (known !== undefined) return known;
  const length = lengthOf(masks);
  lengths.set(masks, length);
  return length;
}

const lengthOf = (masks: readonly string[]): number =>
  masks.flatMap(writtenForms).reduce((sum, { length }) => sum + length, 0);

/** Replaces each masked text by `***`. Where masked texts overlap, their union is replaced, so that no end of one shows. */
export function maskLine(masks: readonly string[], line: string): string {
  if (masks.length === 0 || line === '') return line;
  const ranges = rangesOf(masks, line);
  return ranges.length === 0 ? line : replaceRanges(line, ranges);
}

/** True when the text has a masked text in it. JSON escapes in it are read, so that the JSON of a document may be asked, too. */
export const hasMasked = (masks: readonly string[], text: string): boolean =>
  masks.length > 0 && rangesOf(masks, text).length > 0;

/** Makes a function that masks names. A mask of one or two characters hides a name only if it is the whole name. */
export function nameMask(masks: readonly string[]): (name: string) => string {
  const parts = masksOfParts(masks);
  return (name) => (masks.includes(name) ? MASK : maskLine(parts, name));
}

/** Fewer characters of a cut mask do not count as its beginning: they occur in most words. */
const BEGINNING_LENGTH_MIN = 3;

/** Masks a text that may have been cut. Also hides the beginning of a masked text right before a mark of a cut. */
export function maskCutText(masks: readonly string[], text: string): string {
  if (masks.length === 0 || !text.includes(CUT_MARK)) return maskLine(masks, text);
  const ranges = [...rangesOf(masks, text), ...beginningsOf(masks, text)];
  return replaceRanges(text, ranges.sort(byStart));
}

/** Masks a line whose end may be missing. */
export function maskUnfinished(masks: readonly string[], line: string): string {
  if (masks.length === 0) return line;
  const text = line + CUT_MARK;
  const open = findersOf(masks).flatMap((finder) => finder.search(line, OPEN_BYTES_MIN).open);
  const ranges = [
    ...rangesOf(masks, text),
    ...beginningsOf(masks, text),
    ...open.map(({ start }) => ({ start, end: line.length })),
  ];
  const shown = replaceRanges(text, ranges.sort(byStart));
  return shown.endsWith(CUT_MARK) ? shown.slice(0, -CUT_MARK.length) : shown;
}

/** Shorter masks hide only whole texts, except in output: `a` or `1` would leave nothing of a document. */
const FIELD_PART_LENGTH_MIN = 3;

/** Masks that are long enough to be searched for inside texts other than lines of output. */
export function masksOfParts(masks: readonly string[]): readonly string[] {
  const known = partsOfMasks.get(masks);
  if (known !== undefined) return known;
  const parts = masks.filter(({ length }) => length >= FIELD_PART_LENGTH_MIN);
  // Keeps the same list where it can, since finders are cached by list.
  const kept = parts.length === masks.length ? masks : parts;
  partsOfMasks.set(masks, kept);
  return kept;
}

const partsOfMasks = new WeakMap<readonly string[], readonly string[]>();

/** An encoded text is mostly not longer than so many times: `0xNN, ` for each of three bytes of a character. */
const ENCODED_LENGTH_FACTOR = 18;
/** So much may stand between the signs of a masked text, such as colour codes. */
const UNSEEN_LENGTH_MAX = 64 * 1024;

/**
 * Masks the beginning of a text of which more is to come. A possible beginning of a masked text is left for later, and no masked text is
 * cut in two.
 *
 * @returns the shown text, up to `length`. `length` is null if a masked text does not end; then the rest must not be shown
 */
export function maskBeginning(
  masks: readonly string[],
  text: string,
): { readonly shown: string; readonly length: number | null } {
  if (masks.length === 0) return { shown: text, length: text.length };
  const ranges = rangesOf(masks, text);
  const kept = ENCODED_LENGTH_FACTOR * longestForm(masks) - 1;
  // The last first: to leave out one that is torn may tear one that overlaps it.
  const length = ranges.reduceRight(
    (before, { start, end }) => (start < before && end > before ? start : before),
    lengthWithout(text, kept),
  );
  if (text.length - length > kept + 2 * UNSEEN_LENGTH_MAX) {
    return { shown: replaceRanges(text, ranges), length: null };
  }
  const inside = ranges.filter(({ end }) => end <= length);
  return { shown: replaceRanges(text.slice(0, length), inside), length };
}

/** The length of a text without so many signs at its end that a reader sees. */
function lengthWithout(text: string, kept: number): number {
  const visible = visibleView(text);
  const seen = visible?.text.length ?? text.length;
  const from = Math.max(0, seen - kept);
  return Math.max(visible?.startOf(from) ?? from, text.length - kept - UNSEEN_LENGTH_MAX);
}

/** Prepares the search for these masks. Otherwise the first search does that, and takes long for many masks. */
export function* maskSteps(masks: readonly string[]): Steps<void> {
  for (const each of new Set([masks, masksOfParts(masks)])) yield* searchSteps(each);
}

const beginningsOf = (masks: readonly string[], text: string): readonly TextRange[] =>
  findersOf(masks).flatMap((finder) => finder.findBeginnings(text, CUT_MARK, BEGINNING_LENGTH_MIN));

/** `ranges`: in the order in which they begin. */
export function replaceRanges(line: string, ranges: readonly TextRange[]): string {
  const pieces: string[] = [];
  let end = 0;
  for (const range of ranges) {
    if (range.start >= end) pieces.push(line.slice(end, range.start), MASK);
    end = Math.max(end, range.end);
  }
  return pieces.join('') + line.slice(end);
}

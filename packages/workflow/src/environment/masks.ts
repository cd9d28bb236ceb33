/** Texts that must not be shown, such as passwords that a step was given. */
import { CUT_MARK } from './cut-text.ts';
import { createMaskFinder } from './mask-finder.ts';
import type { TextFinder, TextRange } from './text-finder.ts';
import { jsonForm, writtenForms } from './written-forms.ts';

export const MASK = '***';

/**
 * Adds a text to the masks; of a text of several lines each line, since output is shown line by line, and what JSON makes one line
 * of. How else they are written (`writtenForms`) is looked for as well.
 */
export function addMask(masks: readonly string[], text: string): readonly string[] {
  return linesToMask(text).reduce(addLine, masks);
}

/** Lines of a longer text that are shorter than this, such as a brace alone, tell nothing and would hide much. */
const PART_LENGTH_MIN = 3;

function linesToMask(text: string): readonly string[] {
  if (!/[\r\n]/.test(text)) return [text];
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return [...lines, jsonForm(text.trim())].filter(({ length }) => length >= PART_LENGTH_MIN);
}

function addLine(masks: readonly string[], text: string): readonly string[] {
  if (text === '' || masks.includes(text)) return masks;
  const more = [...masks, text];
  lengths.set(more, masksLength(masks) + lengthOf(text));
  const known = searches.get(masks);
  if (known !== undefined && known.recent.length < RECENT_MAX) {
    const recent = [...known.recent, text];
    const longest = Math.max(known.longest, longestForm([text]));
    searches.set(more, { ...known, longest, recent, recentFinder: null });
  }
  return more;
}

const lengths = new WeakMap<readonly string[], number>();

/** Characters of all masks, in all the forms in which they are written: what it takes to look for them. */
export function masksLength(masks: readonly string[]): number {
  const known = lengths.get(masks);
  if (known !== undefined) return known;
  const length = masks.reduce((sum, mask) => sum + lengthOf(mask), 0);
  lengths.set(masks, length);
  return length;
}

const lengthOf = (mask: string): number =>
  writtenForms(mask).reduce((sum, { length }) => sum + length, 0);

/** Replaces each masked text by `***`. Where masked texts overlap, their union is replaced, so that no end of one shows. */
export function maskLine(masks: readonly string[], line: string): string {
  if (masks.length === 0 || line === '') return line;
  const ranges = rangesOf(masks, line);
  return ranges.length === 0 ? line : replaceRanges(line, ranges);
}

/** True when the text has a masked text in it. JSON escapes in it are read, so that the JSON of a document may be asked, too. */
export const hasMasked = (masks: readonly string[], text: string): boolean =>
  masks.length > 0 && rangesOf(masks, text).length > 0;

/** For names, which stay as they are when they are shown: a mask of one or two characters hides only what it is the whole of. */
export function nameMask(masks: readonly string[]): (name: string) => string {
  const parts = masksOfParts(masks);
  return (name) => (masks.includes(name) ? MASK : maskLine(parts, name));
}

/** Of what was cut away from a mask, this much is left at least where it counts as one: less would be found in most words. */
const BEGINNING_LENGTH_MIN = 3;

/** The same for a text of which parts may have been cut: the beginning of a masked text is replaced, too, where a mark of a cut follows. */
export function maskCutText(masks: readonly string[], text: string): string {
  if (masks.length === 0 || !text.includes(CUT_MARK)) return maskLine(masks, text);
  const ranges = [...rangesOf(masks, text), ...beginningsOf(masks, text)];
  return replaceRanges(text, ranges.sort(byStart));
}

/** The same for a line whose end may be missing. */
export function maskUnfinished(masks: readonly string[], line: string): string {
  if (masks.length === 0) return line;
  const shown = maskCutText(masks, line + CUT_MARK);
  return shown.endsWith(CUT_MARK) ? shown.slice(0, -CUT_MARK.length) : shown;
}

/** Shorter masks hide only what they are the whole of, but for output: `a` or `1` would leave nothing of a document. */
const FIELD_PART_LENGTH_MIN = 3;

/** Those that are looked for within texts that are no lines of output. */
export const masksOfParts = (masks: readonly string[]): readonly string[] =>
  masks.filter(({ length }) => length >= FIELD_PART_LENGTH_MIN);

/** An encoded text is at most so many times as long: `%XX` for each of three bytes of a character. */
const ENCODED_LENGTH_FACTOR = 9;

function lengthBefore(
  masks: readonly string[],
  text: string,
  ranges: readonly TextRange[],
): number {
  const length = Math.max(0, text.length - ENCODED_LENGTH_FACTOR * searchOf(masks).longest + 1);
  // The last first: to leave out one that is torn may tear one that overlaps it.
  return ranges.reduceRight(
    (before, { start, end }) => (start < before && end > before ? start : before),
    length,
  );
}

/**
 * Masks a text up to where it can be masked though more of it is to come: what may be the beginning of a masked text stays, and
 * what is masked is not torn.
 */
export function maskBeginning(
  masks: readonly string[],
  text: string,
): { readonly shown: string; readonly length: number } {
  if (masks.length === 0) return { shown: text, length: text.length };
  const ranges = rangesOf(masks, text);
  const length = lengthBefore(masks, text, ranges);
  const inside = ranges.filter(({ end }) => end <= length);
  return { shown: replaceRanges(text.slice(0, length), inside), length };
}

interface Search {
  readonly finder: TextFinder;
  /** Length of the longest form of a mask; at least 1. */
  readonly longest: number;
  /** The few masks that came since, which have a finder of their own: building the large one anew for each would be quadratic. */
  readonly recent: readonly string[];
  /** Made when it is needed first. */
  recentFinder: TextFinder | null;
}

const RECENT_MAX = 16;

const searches = new WeakMap<readonly string[], Search>();

function searchOf(masks: readonly string[]): Search {
  const known = searches.get(masks);
  if (known !== undefined) return known;
  const search: Search = {
    finder: createMaskFinder(masks),
    longest: longestForm(masks),
    recent: [],
    recentFinder: null,
  };
  searches.set(masks, search);
  return search;
}

const longestForm = (masks: readonly string[]): number =>
  masks.flatMap(writtenForms).reduce((longest, { length }) => Math.max(longest, length), 1);

function rangesOf(masks: readonly string[], line: string): readonly TextRange[] {
  const search = searchOf(masks);
  const found = search.finder.find(line);
  if (search.recent.length > 0) search.recentFinder ??= createMaskFinder(search.recent);
  const more = search.recentFinder?.find(line) ?? [];
  return [...found, ...more].sort(byStart);
}

function beginningsOf(masks: readonly string[], text: string): readonly TextRange[] {
  const search = searchOf(masks);
  if (search.recent.length > 0) search.recentFinder ??= createMaskFinder(search.recent);
  return [search.finder, search.recentFinder].flatMap(
    (finder) => finder?.findBeginnings(text, CUT_MARK, BEGINNING_LENGTH_MIN) ?? [],
  );
}

const byStart = (one: TextRange, other: TextRange): number => one.start - other.start;

function replaceRanges(line: string, ranges: readonly TextRange[]): string {
  const pieces: string[] = [];
  let end = 0;
  for (const range of ranges) {
    if (range.start >= end) pieces.push(line.slice(end, range.start), MASK);
    end = Math.max(end, range.end);
  }
  return pieces.join('') + line.slice(end);
}

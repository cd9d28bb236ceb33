/** Texts that must not be shown, such as passwords that a step was given. */
import type { Steps } from '@tutti/manifests';
import { CUT_MARK } from './cut-text.ts';
import { createMaskFinder, type MaskFinder, maskFinderSteps } from './mask-finder.ts';
import type { TextRange } from './text-finder.ts';
import { jsonForm, writtenForms } from './written-forms.ts';

export const MASK = '***';

/**
 * Adds texts to the masks; of a text of several lines each line, since output is shown line by line, and what JSON makes one line
 * of. How else they are written (`writtenForms`) is looked for as well.
 */
export function addMasks(masks: readonly string[], texts: readonly string[]): readonly string[] {
  const all = new Set(masks);
  for (const line of texts.flatMap(linesToMask)) if (line !== '') all.add(line);
  if (all.size === masks.length) return masks;
  const more = [...all];
  const fresh = more.slice(masks.length);
  lengths.set(more, masksLength(masks) + lengthOf(fresh));
  const known = searches.get(masks);
  if (known !== undefined && known.recent.length + fresh.length <= RECENT_MAX) {
    searches.set(more, { ...known, recent: [...known.recent, ...fresh], recentFinder: null });
  }
  return more;
}

/** Lines of a longer text that are shorter than this, such as a brace alone, tell nothing and would hide much. */
const PART_LENGTH_MIN = 3;

function linesToMask(text: string): readonly string[] {
  if (!/[\r\n]/.test(text)) return [text];
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return [...lines, jsonForm(text.trim())].filter(({ length }) => length >= PART_LENGTH_MIN);
}

const lengths = new WeakMap<readonly string[], number>();

/** Characters of all masks, in all the forms in which they are written: what it takes to look for them. */
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
export function masksOfParts(masks: readonly string[]): readonly string[] {
  const known = partsOfMasks.get(masks);
  if (known !== undefined) return known;
  const parts = masks.filter(({ length }) => length >= FIELD_PART_LENGTH_MIN);
  // The same list, so that it is looked for by the same finder.
  const kept = parts.length === masks.length ? masks : parts;
  partsOfMasks.set(masks, kept);
  return kept;
}

const partsOfMasks = new WeakMap<readonly string[], readonly string[]>();

/** An encoded text is at most so many times as long: `%XX` for each of three bytes of a character. */
const ENCODED_LENGTH_FACTOR = 9;

function lengthBefore(
  masks: readonly string[],
  text: string,
  ranges: readonly TextRange[],
): number {
  const length = Math.max(0, text.length - ENCODED_LENGTH_FACTOR * longestForm(masks) + 1);
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
  readonly finder: MaskFinder;
  /** The few masks that came since, which have a finder of their own: building the large one anew for each would be quadratic. */
  readonly recent: readonly string[];
  /** Made when it is needed first. */
  recentFinder: MaskFinder | null;
}

const RECENT_MAX = 16;

const searches = new WeakMap<readonly string[], Search>();

function searchOf(masks: readonly string[]): Search {
  const known = searches.get(masks) ?? {
    finder: createMaskFinder(masks),
    recent: [],
    recentFinder: null,
  };
  if (known.recent.length > 0) known.recentFinder ??= createMaskFinder(known.recent);
  searches.set(masks, known);
  return known;
}

/** Makes ready to look for these masks: else that is done when they are looked for first, which takes long for many of them. */
export function* maskSteps(masks: readonly string[]): Steps<void> {
  for (const each of new Set([masks, masksOfParts(masks)])) {
    if (each.length === 0 || searches.has(each)) continue;
    searches.set(each, { finder: yield* maskFinderSteps(each), recent: [], recentFinder: null });
  }
}

/** Length of the longest form of a mask; at least 1. */
function longestForm(masks: readonly string[]): number {
  const { finder, recentFinder } = searchOf(masks);
  return Math.max(1, finder.longest, recentFinder?.longest ?? 0);
}

function rangesOf(masks: readonly string[], line: string): readonly TextRange[] {
  const { finder, recentFinder } = searchOf(masks);
  const found = finder.find(line);
  return recentFinder === null
    ? found.toSorted(byStart)
    : [...found, ...recentFinder.find(line)].sort(byStart);
}

function beginningsOf(masks: readonly string[], text: string): readonly TextRange[] {
  const { finder, recentFinder } = searchOf(masks);
  return [finder, recentFinder].flatMap(
    (each) => each?.findBeginnings(text, CUT_MARK, BEGINNING_LENGTH_MIN) ?? [],
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

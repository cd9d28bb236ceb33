/** Masks texts that continue from earlier lines: encoders and dumps break their output into lines, terminals break words. */
import { isOfHex } from './decoded-views.ts';
import type { FoundMasks } from './mask-finder.ts';
import { byStart, findersOf, rangesOf } from './mask-search.ts';
import { maskLine, replaceRanges } from './masks.ts';
import { type ExpectedRest, goOn, OPEN_BYTES_MIN, type OpenMask } from './open-masks.ts';
import type { TextRange } from './text-finder.ts';
import { BYTES_BEFORE_BREAK, BYTES_LENGTH_MAX } from './visible-view.ts';

/** The ends of earlier lines, where the next line may continue a masked text. It is plain JSON. */
export interface OpenLines {
  /** The end of earlier lines, in any encoding: too few bytes of a masked text to count as its beginning. */
  readonly tail: string;
  readonly expected: readonly ExpectedRest[];
}

/** Open masked texts that are kept for one line: texts that begin alike, or within each other. A text of one letter has many. */
const EXPECTED_MAX = 8;

/**
 * Masks a line that may continue a masked text of earlier lines. Its end may also begin a masked text. Both may be encoded.
 *
 * @param before how earlier lines ended; null where nothing goes on
 */
export function maskWrapped(
  masks: readonly string[],
  before: OpenLines | null,
  line: string,
): { readonly shown: string; readonly open: OpenLines | null } {
  if (masks.length === 0) return { shown: line, open: null };
  const dump = dumpedIn(line);
  const tailLength = lengthBeforeBreak(dump === null ? line : line.slice(dump.start, dump.end));
  if (before === null && tailLength === 0) return { shown: maskLine(masks, line), open: null };
  const { start, end } = dump ?? textIn(line, before !== null);
  const tail = before?.tail ?? '';
  const text = tail + line.slice(start, end);
  const openMin = tailLength === 0 ? Infinity : OPEN_BYTES_MIN;
  const found = findersOf(masks).map((finder) => finder.search(text, openMin));
  const continued = (before?.expected ?? []).flatMap(
    (rest) => goOn(rest, line.slice(0, end), start) ?? [],
  );
  const nextTail = tailLength === 0 ? '' : text.slice(-tailLength);
  if (continued.length === 0 && found.every(isNothing)) {
    const shown = dump === null ? line : maskLine(masks, line);
    return { shown, open: tailLength === 0 ? null : { tail: nextTail, expected: [] } };
  }
  const opened = found.flatMap(({ open }) => open);
  const placeOf = (at: number): number => Math.max(0, at - tail.length) + start;
  const ranges = [
    ...continued.map((each) => ({ start, end: each.end })),
    ...[...found.flatMap((each) => each.ranges), ...opened.map(toEnd(text))].map((range) => ({
      start: placeOf(range.start),
      end: placeOf(range.end),
    })),
  ].filter((range) => range.end > start);
  const expected = [
    ...continued.flatMap((each) => each.expected ?? []),
    ...opened.map(({ start: _, ...rest }) => rest),
  ].slice(0, EXPECTED_MAX);
  const shownRanges = dump === null ? ranges.sort(byStart) : ofDump(masks, line, start, ranges);
  const goesOn = tailLength > 0 || expected.length > 0;
  return {
    shown: replaceRanges(line, shownRanges),
    open: goesOn ? { tail: nextTail, expected } : null,
  };
}

const isNothing = ({ ranges, open }: FoundMasks): boolean =>
  ranges.length === 0 && open.length === 0;

const toEnd =
  ({ length }: string) =>
  ({ start }: OpenMask): TextRange => ({ start, end: length });

/** The text of a line without the blanks that encoders and formatters begin lines with. */
const textIn = (line: string, goesOn: boolean): TextRange => ({
  start: goesOn ? line.length - line.trimStart().length : 0,
  end: line.length,
});

const DUMP =
  /^([\da-f]{7,8}:? {1,2})((?:[\da-f]{2}){1,2}(?: {1,2}(?:[\da-f]{2}){1,2})*)(?= {2,}\S|$)/i;

/** The bytes in a line of `xxd`, `od` or `hexdump`, behind their address and before the characters. */
function dumpedIn(line: string): TextRange | null {
  const [, address = '', bytes = ''] = DUMP.exec(line) ?? [];
  return bytes === '' ? null : { start: address.length, end: address.length + bytes.length };
}

/** Where the bytes of a dump line are hidden, the characters beside them are hidden, too. `ranges`: in the bytes. */
const ofDump = (
  masks: readonly string[],
  line: string,
  start: number,
  ranges: readonly TextRange[],
): readonly TextRange[] =>
  ranges.length > 0 ? [{ start, end: line.length }] : rangesOf(masks, line);

/**
 * Terminals and encoders break a text behind so many signs without a blank. The same holds for so many bytes that are written one by one.
 */
const WORD_SIGNS_MIN = 16;
const BYTES_END = new RegExp(`${BYTES_BEFORE_BREAK}$`);
const BLANK = 0x20;

/** Length of the end of a line that may continue in the next one; else 0. */
function lengthBeforeBreak(line: string): number {
  let signs = 0;
  while (signs < WORD_SIGNS_MIN && line.charCodeAt(line.length - 1 - signs) > BLANK) signs += 1;
  if (signs === WORD_SIGNS_MIN) return WORD_SIGNS_MIN;
  if (!isOfHex(line, line.length - 1)) return 0;
  const end = line.slice(-BYTES_LENGTH_MAX);
  return BYTES_END.test(end) ? end.length : 0;
}

/** Texts that must not be shown, such as passwords that a step was given. */

export const MASK = '***';

/** Adds a text to the masks, the longest first; an empty one changes nothing. */
export function addMask(masks: readonly string[], text: string): readonly string[] {
  if (text === '' || masks.includes(text)) return masks;
  const position = masks.findIndex((mask) => mask.length < text.length);
  return position < 0 ? [...masks, text] : masks.toSpliced(position, 0, text);
}

/** Replaces each masked text by `***`. Where masked texts overlap, their union is replaced, so that no end of one shows. */
export function maskLine(masks: readonly string[], line: string): string {
  if (masks.length === 0 || !anyOf(masks).test(line)) return line;
  return replaceRanges(line, rangesOf(masks, line));
}

const patterns = new WeakMap<readonly string[], RegExp>();

/** One pattern for all masks: nearly every line has none, and looking for a thousand texts one by one would be slow. */
function anyOf(masks: readonly string[]): RegExp {
  const known = patterns.get(masks);
  if (known !== undefined) return known;
  const literals = masks.map((mask) => mask.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  const pattern = new RegExp(literals.join('|'));
  patterns.set(masks, pattern);
  return pattern;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function rangesOf(masks: readonly string[], line: string): readonly Range[] {
  return masks
    .flatMap((mask) => occurrences(mask, line))
    .sort((one, other) => one.start - other.start);
}

function occurrences(mask: string, line: string): readonly Range[] {
  const ranges: Range[] = [];
  let start = line.indexOf(mask);
  while (start >= 0) {
    const end = start + mask.length;
    ranges.push({ start, end });
    start = line.indexOf(mask, end);
  }
  return ranges;
}

function replaceRanges(line: string, ranges: readonly Range[]): string {
  let text = '';
  let end = 0;
  for (const range of ranges) {
    if (range.start >= end) text += line.slice(end, range.start) + MASK;
    end = Math.max(end, range.end);
  }
  return text + line.slice(end);
}

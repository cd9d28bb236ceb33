/** Ranges of lines in a list: of output, the lines that came on standard error. They stand in the order of the lines. */

/** Index of the first line, and the number of lines. */
export type LineRange = readonly [first: number, count: number];

/** Adds lines behind those that are marked so far. */
export function markLines(ranges: LineRange[], first: number, count: number): void {
  const last = ranges.at(-1);
  if (count === 0) return;
  if (last !== undefined && last[0] + last[1] === first) {
    ranges[ranges.length - 1] = [last[0], last[1] + count];
  } else {
    ranges.push([first, count]);
  }
}

/**
 * Cuts ranges into those of consecutive parts of the list. Each call names the first line of a part, behind the parts before, and
 * its length. The ranges of a part count from its first line. All calls together take linear time.
 */
export function createRangeCutter(
  ranges: readonly LineRange[],
): (first: number, length: number) => readonly LineRange[] {
  let next = 0;
  return (first, length) => {
    const part: LineRange[] = [];
    for (; next < ranges.length; next += 1) {
      const [from, count] = ranges[next] ?? [0, 0];
      const begin = Math.max(from, first);
      const end = Math.min(from + count, first + length);
      if (end > begin) part.push([begin - first, end - begin]);
      // The next part may have the rest of this range.
      if (from + count > first + length) break;
    }
    return part;
  };
}

/** Tells of lines in their order whether they are marked. */
export function createMarkReader(ranges: readonly LineRange[]): (line: number) => boolean {
  const cut = createRangeCutter(ranges);
  return (line) => cut(line, 1).length > 0;
}

/** Ranges of an entry; anything else is left out. */
export const rangesIn = (value: unknown): readonly LineRange[] =>
  Array.isArray(value) ? value.filter(isRange) : [];

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isRange = (value: unknown): value is LineRange =>
  Array.isArray(value) && value.length === 2 && value.every(isCount);

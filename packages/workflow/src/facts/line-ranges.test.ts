import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createMarkReader,
  createRangeCutter,
  type LineRange,
  markLines,
  rangesIn,
} from './line-ranges.ts';

test('ranges mark the lines that were added, also in parts of the list', () => {
  const runs = fc.array(fc.tuple(fc.boolean(), fc.nat(5)), { maxLength: 12 });
  fc.assert(
    fc.property(runs, fc.nat(4), fc.array(fc.nat(9)), (given, skipped, lengths) => {
      const ranges: LineRange[] = [];
      const lines: boolean[] = [];
      for (const [isStderr, length] of given) {
        if (isStderr) markLines(ranges, lines.length, length);
        lines.push(...Array.from({ length }, () => isStderr));
      }
      expect(lines.map((_line, index) => index).map(createMarkReader(ranges))).toEqual(lines);
      const cut = createRangeCutter(ranges);
      let first = skipped;
      for (const length of lengths) {
        const isMarked = createMarkReader(cut(first, length));
        const part = Array.from({ length }, (_, index) => lines[first + index] ?? false);
        expect(part.map((_mark, index) => isMarked(index))).toEqual(part);
        first += length;
      }
    }),
  );
});

test.each([
  [null, []],
  ['x', []],
  [[[0, 1], [1], [-1, 2], ['0', 1], [0.5, 1], [2, 1]], [[0, 1], [2, 1]]],
])('the entry %j has the ranges %j', (entry, ranges) => {
  expect(rangesIn(entry)).toEqual(ranges);
}); // biome-ignore format: one row for each

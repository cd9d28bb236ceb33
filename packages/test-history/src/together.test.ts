import { expect, test } from 'vitest';
import { failingTogether, jaccard } from './together.ts';

test('the Jaccard index is the common part of two sets', () => {
  expect(jaccard(new Set([1, 2, 3]), new Set([2, 3, 4]))).toBe(0.5);
  expect(jaccard(new Set(), new Set())).toBe(0);
});

test('tests whose failed runs are half the same are one group', () => {
  const groups = failingTogether(
    new Map([
      ['a', new Set([1, 2, 3])],
      ['b', new Set([2, 3, 4])],
      ['c', new Set([3, 4])],
      ['alone', new Set([9])],
      ['d', new Set([1, 5, 6, 7])],
    ]),
  );
  expect(groups).toEqual([['a', 'b', 'c']]);
});

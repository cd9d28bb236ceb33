import { expect, test } from 'vitest';
import { durationCode, durationOfCode, estimateOf, medianOf, percentilesOf } from './durations.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

test('percentiles are values that occurred', () => {
  expect(percentilesOf(upTo(100).toReversed())).toEqual({ p50: 50, p90: 90, p95: 95 });
  expect(percentilesOf([7])).toEqual({ p50: 7, p90: 7, p95: 7 });
  expect(percentilesOf([])).toBeNull();
});

test('the median of an even number of values is between two of them', () => {
  expect([medianOf([3, 1, 2]), medianOf([4, 1, 2, 3]), medianOf([])]).toEqual([2, 2.5, 0]);
});

test('the estimate is the median of the newest ten', () => {
  expect(estimateOf([...upTo(50).map(() => 1_000), ...upTo(10)])).toBe(5.5);
  expect(estimateOf([])).toBeNull();
});

test.each([0, 0.001, 1, 35, 60_000, 86_400_000])('%d ms fit into sixteen bits', (durationMs) => {
  const code = durationCode(durationMs);
  expect(code).toBeLessThan(65_536);
  expect(Math.abs(durationOfCode(code) - durationMs)).toBeLessThanOrEqual(durationMs / 1_000);
});

test('longer and impossible durations stay in bounds', () => {
  expect([durationCode(-1), durationCode(1e12)]).toEqual([0, 65_535]);
});

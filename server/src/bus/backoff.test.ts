import { expect, test } from 'vitest';
import { backoffDelayMs } from './backoff.ts';

const bounds = { firstMs: 500, maxMs: 30_000 };

test.each([
  [1, 0, 250],
  [1, 0.5, 375],
  [2, 0, 500],
  [7, 0, 15_000],
  [7, 0.999, 29_985],
  [10_000, 0, 15_000],
])('after %i failures, with %d drawn, the delay is %i ms', (failures, random, expected) => {
  expect(backoffDelayMs(failures, random, bounds)).toBe(expected);
});

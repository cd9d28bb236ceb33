import { expect, test } from 'vitest';
import { TEST_DURATION_MS_MAX, testDuration } from './test-duration.ts';

test.each([
  [0, 0],
  [0.5, 0.5],
  [TEST_DURATION_MS_MAX, TEST_DURATION_MS_MAX],
  [TEST_DURATION_MS_MAX + 1, 0],
  [1e300, 0],
  [Number.POSITIVE_INFINITY, 0],
  [Number.NaN, 0],
  [-1, 0],
])('a test that is said to take %d ms took %d', (said, known) => {
  expect(testDuration(said)).toBe(known);
});

import { expect, test } from 'vitest';
import { formatDuration, formatSeconds } from './durations.ts';

test.each([
  [-5, '0.0 s'],
  [49, '0.0 s'],
  [1234, '1.2 s'],
  [59_999, '59 s'],
  [60_000, '1 min 00 s'],
  [3_599_000, '59 min 59 s'],
  [7_620_000, '2 h 07 min'],
])('%d ms is written as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [999, '0 s'],
  [9_999, '9 s'],
  [185_999, '3 min 05 s'],
])('%d ms that go on are %s', (ms, text) => {
  expect(formatSeconds(ms)).toBe(text);
});

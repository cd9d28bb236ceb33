import { expect, test } from 'vitest';
import { millisecondsOf, percentOf } from './shown-numbers.ts';

test.each([
  [0, '0 %'],
  [0.000001, '<0.01 %'],
  [0.0004, '0.04 %'],
  [0.024, '2.4 %'],
  [0.31, '31 %'],
  [0.9996, '>99.9 %'],
  [1, '100 %'],
  [null, '<none>'],
])('the rate %s is shown as %s', (rate, shown) => {
  expect(percentOf(rate)).toBe(shown);
});

test.each([
  [249.6, '250 ms'],
  [null, '<none>'],
])('the duration %s is shown as %s', (duration, shown) => {
  expect(millisecondsOf(duration)).toBe(shown);
});

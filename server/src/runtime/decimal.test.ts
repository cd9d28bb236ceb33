import { expect, test } from 'vitest';
import { readDecimal } from './decimal.ts';

test.each([
  ['7774', 7774],
  [' 0.5 ', 0.5],
  ['-1', -1],
  ['1e3', 1000],
  ['1e400', Number.POSITIVE_INFINITY],
  ['0x10', null],
  ['0b1', null],
  ['Infinity', null],
  ['', null],
  ['1 2', null],
])('%j is read as %j', (text, expected) => {
  expect(readDecimal(text)).toBe(expected);
});

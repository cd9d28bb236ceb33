import { expect, test } from 'vitest';
import { cutToWidth, widthOf } from './style.ts';

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['日本語', 6, '日本語'],
  ['日本語', 5, '日本…'],
  ['日本語', 4, '日…'],
  ['👍👍', 3, '👍…'],
  ['abc', 0, ''],
  ['e\u0301e\u0301', 2, 'e\u0301e\u0301'],
])('%s fits into %d cells as %s', (text, width, cut) => {
  expect(cutToWidth(text, width)).toBe(cut);
});

test.each([
  ['● a ▸ b │ c … ✓ ✗', 17],
  ['é', 1],
  ['日本', 4],
  ['👍', 2],
  ['e\u0301', 1],
  ['', 0],
])('%j takes %d cells', (text, cells) => {
  expect(widthOf(text)).toBe(cells);
});

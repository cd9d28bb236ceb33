import { expect, test } from 'vitest';
import { cleanOutput, cutToWidth, formatDuration, formatSeconds, widthOf } from './style.ts';

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
  ['plain', false, 'plain'],
  ['a\u202etxt\u2069', false, 'a\\u202Etxt\\u2069'],
  ['a\u202etxt', true, 'a\\u202Etxt'],
  ['a\u009b2Jb', false, 'a2Jb'],
  ['a\tb', false, 'a    b'],
  ['\u001b[31mred\u001b[0m', false, 'red'],
  ['\u001b[31mred', true, '\u001b[31mred\u001b[0m'],
  ['\u001b[2Kgone\u001b[1A', true, 'gone'],
  ['bell\u0007 back\b', true, 'bell back'],
  ['\u001b]0;title\u0007text', true, 'text'],
  ['\u001b[8mhidden', true, 'hidden'],
  ['\u001b[1;8;31mhidden', true, 'hidden'],
  ['\u001b[38;5;8mgrey', true, '\u001b[38;5;8mgrey\u001b[0m'],
  ['\u001b[48;2;8;8;8mdark', true, '\u001b[48;2;8;8;8mdark\u001b[0m'],
  ['\u001b[38;5;1;8mhidden', true, 'hidden'],
  ['\u001b', true, ''],
])('output %j is shown as it may be (colors: %s)', (text, hasColors, clean) => {
  expect(cleanOutput(text, hasColors)).toBe(clean);
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

test.each([
  [999, '0 s'],
  [9_999, '9 s'],
  [185_999, '3 min 05 s'],
])('%d ms that go on are %s', (ms, text) => {
  expect(formatSeconds(ms)).toBe(text);
});

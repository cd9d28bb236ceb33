import { expect, test } from 'vitest';
import { TextLines } from './text-lines.ts';

test.each<[what: string, text: string, range: [number, number], span: string]>([
  ['the begin', 'ab\ncd', [0, 1], '1:1-1:2'],
  ['the end', 'ab\ncd', [4, 5], '2:2-2:3'],
  ['a range over lines', 'ab\ncd\n', [1, 5], '1:2-2:3'],
  ['blanks at the end', 'ab  \n', [0, 5], '1:1-1:3'],
  ['an empty text', '', [0, 0], '1:1-1:1'],
  ['a range behind the text', 'ab', [7, 9], '1:3-1:3'],
  ['ends of lines of Windows', 'ab\r\ncd', [4, 6], '2:1-2:3'],
  ['the last, empty line', 'ab\n', [3, 3], '2:1-2:1'],
])('%s', (_, text, [start, end], span) => {
  const { line, column, endLine, endColumn } = new TextLines(text).spanOf(start, end);
  expect(`${line}:${column}-${endLine}:${endColumn}`).toBe(span);
});

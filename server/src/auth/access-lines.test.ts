import { expect, test } from 'vitest';
import { accessLines, csvCells } from './access-lines.ts';

test('entries keep their line numbers between comments and blank lines', () => {
  expect(accessLines('\uFEFFa\r\n\n  # b\n \n c \n')).toEqual([
    { line: 1, text: 'a' },
    { line: 5, text: 'c' },
  ]);
});

test.each<[string, readonly string[] | null]>([
  ['a,b,c', ['a', 'b', 'c']],
  ['a,,', ['a', '', '']],
  ['', ['']],
  [' a , b', ['a', 'b']],
  ['a,"b,c"', ['a', 'b,c']],
  ['a, "b,c" ,d', ['a', 'b,c', 'd']],
  ['"a ""b"" c",""', ['a "b" c', '']],
  ['a,"b', null],
  ['a,b"c', null],
  ['"a"b', null],
])('the cells of %j are %j', (text, cells) => {
  expect(csvCells(text)).toEqual(cells);
});

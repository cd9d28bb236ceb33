import fc from 'fast-check';
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

test('cells that are written in quotes are read as they were', () => {
  const cell = fc.string().map((text) => text.trim());
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1 }), (cells) => {
      const line = cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(',');
      expect(csvCells(line)).toEqual(cells);
    }),
  );
});

import { expect, test } from 'vitest';
import { createTableWriter, renderTable } from './table.ts';

test('columns are as wide as their widest cell', () => {
  const rows = [
    ['a', 'long cell', 'x'],
    ['bbbb', '', ''],
  ];
  expect(renderTable(['ID', 'NAME', 'LAST'], rows)).toEqual([
    'ID    NAME       LAST',
    'a     long cell  x',
    'bbbb',
  ]);
});

test('cells of others do not turn the direction of a line', () => {
  expect(renderTable(['NAME', 'ID'], [['a\u202eb\u0007', 'x']])).toEqual([
    'NAME      ID',
    'a\\u202Eb  x',
  ]);
});

test('a column that has a least width keeps its place while the table grows', () => {
  const write = createTableWriter(['KIND', 'ID'], [8]);
  expect(write([['short', 'x']])).toEqual(['KIND      ID', 'short     x']);
  expect(write([['longest!', 'y']])).toEqual(['longest!  y']);
});

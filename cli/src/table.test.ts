import { expect, test } from 'vitest';
import { renderTable } from './table.ts';

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

import { expect, test } from 'vitest';
import { lineGroups } from './line-groups.ts';

test.each<[what: string, lines: string[], groups: [from: number, to: number][]]>([
  ['a title with its lines', ['a', 'Install', '  b', '  c', 'd'], [[2, 4]]],
  [
    'two beside each other',
    ['One', '  b', 'Two', '  c'],
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ['empty lines and warnings within', ['One', '  b', '', 'WARNING,w', '  c', '', 'd'], [[1, 5]]],
  ['none without a title', ['  b', 'c'], []],
  ['none without indented lines', ['a', '', 'b', 'WARNING,w'], []],
])('groups of a log: %s', (_what, lines, groups) => {
  expect(lineGroups(lines).map(({ from, to }) => [from, to])).toEqual(groups);
});

import { describe, expect, test } from 'vitest';
import { CELLS_MAX, type Cell, matrixCells } from './matrix.ts';

const numbers = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);

/** Differs from others at its end alone. */
const large = (last: number): readonly number[] => [...numbers(200), last];

test.each<[string, unknown, readonly Cell[]]>([
  ['one axis', { os: ['linux', 'macos'] }, [{ os: 'linux' }, { os: 'macos' }]],
  [
    'two axes, the last changing fastest',
    { os: ['l', 'm'], node: [20, 22] },
    [
      { os: 'l', node: 20 },
      { os: 'l', node: 22 },
      { os: 'm', node: 20 },
      { os: 'm', node: 22 },
    ],
  ],
  ['maps as values', { db: [{ name: 'pg', port: 1 }] }, [{ db: { name: 'pg', port: 1 } }]],
  ['values of all types', { a: [true, 1, 'x'] }, [{ a: true }, { a: 1 }, { a: 'x' }]],
  [
    'a combination that is excluded',
    { os: ['l', 'm'], node: [20, 22], exclude: [{ os: 'm', node: 20 }] },
    [
      { os: 'l', node: 20 },
      { os: 'l', node: 22 },
      { os: 'm', node: 22 },
    ],
  ],
  [
    'all combinations with a value are excluded',
    { os: ['l', 'm'], node: [20, 22], exclude: [{ os: 'm' }] },
    [
      { os: 'l', node: 20 },
      { os: 'l', node: 22 },
    ],
  ],
  [
    'a map that is excluded',
    { db: [{ n: 'a' }, { n: 'b' }], exclude: [{ db: { n: 'a' } }] },
    [{ db: { n: 'b' } }],
  ],
  ['a number is not the text of it', { node: [20], exclude: [{ node: '20' }] }, [{ node: 20 }]],
  [
    'an entry that extends all combinations',
    { os: ['l', 'm'], include: [{ color: 'green' }] },
    [
      { os: 'l', color: 'green' },
      { os: 'm', color: 'green' },
    ],
  ],
  [
    'an entry that extends the combinations it fits',
    { os: ['l', 'm'], include: [{ os: 'm', color: 'pink' }] },
    [{ os: 'l' }, { os: 'm', color: 'pink' }],
  ],
  [
    'an entry that replaces what was included before, and no value of an axis',
    { os: ['l', 'm'], include: [{ color: 'green' }, { os: 'm', color: 'pink' }] },
    [
      { os: 'l', color: 'green' },
      { os: 'm', color: 'pink' },
    ],
  ],
  [
    'an entry that fits no combination is a cell of its own, which later ones do not extend',
    { os: ['l'], include: [{ os: 'w' }, { os: 'w', node: 1 }] },
    [{ os: 'l' }, { os: 'w' }, { os: 'w', node: 1 }],
  ],
  [
    // Language 1.8: Expansion, with a context `matrix`.
    'the whole of the well-known example',
    {
      fruit: ['apple', 'pear'],
      animal: ['cat', 'dog'],
      include: [
        { color: 'green' },
        { color: 'pink', animal: 'cat' },
        { fruit: 'apple', shape: 'circle' },
        { fruit: 'banana' },
        { fruit: 'banana', animal: 'cat' },
      ],
    },
    [
      { fruit: 'apple', animal: 'cat', color: 'pink', shape: 'circle' },
      { fruit: 'apple', animal: 'dog', color: 'green', shape: 'circle' },
      { fruit: 'pear', animal: 'cat', color: 'pink' },
      { fruit: 'pear', animal: 'dog', color: 'green' },
      { fruit: 'banana' },
      { fruit: 'banana', animal: 'cat' },
    ],
  ],
  [
    'what is excluded can be included again',
    { os: ['l', 'm'], exclude: [{ os: 'm' }], include: [{ os: 'm' }] },
    [{ os: 'l' }, { os: 'm' }],
  ],
  ['entries alone', { include: [{ site: 'a' }, { site: 'b' }] }, [{ site: 'a' }, { site: 'b' }]],
  [
    'an axis that is called like a member of every object',
    { constructor: [1] },
    [{ constructor: 1 }],
  ],
])('%s', (_, matrix, cells) => {
  expect(matrixCells(matrix)).toEqual(cells);
});

describe('refused', () => {
  test.each<[string, unknown, string]>([
    ['no map', ['a'], 'The matrix must be a map of lists, not ["a"].'],
    [
      'an axis that is no list',
      { os: 'l' },
      'The matrix must have a list as its axis "os", not "l".',
    ],
    [
      'include that is no list',
      { include: {} },
      'The matrix must have a list of maps as "include", not {}.',
    ],
    [
      'exclude of no maps',
      { os: ['l'], exclude: ['l'] },
      'The matrix must have a list of maps as "exclude", not ["l"].',
    ],
    [
      'exclude by no axis',
      { os: ['l'], exclude: [{ o: 'l' }] },
      'The matrix excludes by "o", which is no axis.',
    ],
    ['nothing', {}, 'The matrix has no jobs.'],
    ['an empty axis', { os: [] }, 'The matrix has no jobs.'],
    ['nothing that is left', { os: ['l'], exclude: [{ os: 'l' }] }, 'The matrix has no jobs.'],
    // Language 1.7: At most 256 jobs from a matrix.
    // Bound: Cells of a matrix; combinations before exclusions.
    ['a job too many', { n: numbers(257) }, 'The matrix has 257 jobs; at most 256 are possible.'],
    [
      'a job too many by include',
      { n: numbers(256), include: [{ n: 'x' }] },
      'The matrix has 257 jobs; at most 256 are possible.',
    ],
    [
      'too many combinations',
      { a: numbers(100), b: numbers(100) },
      'The matrix has 10000 combinations; at most 4096 are possible.',
    ],
    [
      'too many axes',
      Object.fromEntries(numbers(65).map((n) => [`a${n}`, [1]])),
      'The matrix has 65 axes; at most 64 are possible.',
    ],
    [
      'values that are too large to be compared',
      { a: numbers(256).map(large), exclude: numbers(256).map((n) => ({ a: large(n + 0.5) })) },
      'The values of the matrix take too long to compare',
    ],
    [
      'too many entries',
      { a: [1], exclude: numbers(1025).map((a) => ({ a: a + 2 })) },
      'The matrix has 1025 entries in "exclude"; at most 1024 are possible.',
    ],
  ])('%s', (_, matrix, message) => {
    expect(() => matrixCells(matrix)).toThrow(message);
  });
});

test('as many jobs as are possible, also where more were excluded', () => {
  expect(matrixCells({ n: numbers(CELLS_MAX) })).toHaveLength(256);
  const exclude = numbers(14).map((b) => ({ b: b + 2 }));
  expect(matrixCells({ a: numbers(128), b: numbers(16), exclude })).toHaveLength(256);
});

import { expect, test } from 'vitest';
import { findCycles, type ImportGraph } from './import-cycles.ts';
import { importsOf, resolveImport } from './imports.ts';
import { isTestCode, readSourceFiles } from './source-files.ts';

const graph = (edges: Record<string, readonly string[]>): ImportGraph =>
  new Map(Object.entries(edges));

test.each([
  ['no cycle', { a: ['b', 'c'], b: ['c'], c: [] }, []],
  ['a pair', { a: ['b'], b: ['a'] }, [['a', 'b']]],
  ['a ring with a tail', { a: ['b'], b: ['c'], c: ['d'], d: ['b'] }, [['b', 'c', 'd']]],
  ['a file that imports itself', { a: ['a'] }, [['a']]],
  [
    'two rings',
    { a: ['b'], b: ['a', 'c'], c: ['d'], d: ['c'] },
    [
      ['c', 'd'],
      ['a', 'b'],
    ],
  ],
])('finds %s', (_what, edges, cycles) => {
  expect(findCycles(graph(edges))).toEqual(cycles);
});

const files = readSourceFiles();
const graphOf = (isWanted: (isRuntime: boolean) => boolean): ImportGraph =>
  new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(text)
        .filter(({ isRuntime }) => isWanted(isRuntime))
        .map(({ specifier }) => resolveImport(path, specifier))
        .filter((imported) => imported !== null),
    ]),
  );

test('no file imports itself through others', () => {
  expect(findCycles(graphOf((isRuntime) => isRuntime))).toEqual([]);
});

// Types of two files may name each other without harm at run time. But they are one thing in two places.
test('no types of sources go round in a circle either', () => {
  const cycles = findCycles(graphOf(() => true));
  expect(cycles.filter((group) => !group.every(isTestCode))).toEqual([]);
});

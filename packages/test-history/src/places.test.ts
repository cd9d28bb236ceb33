import { expect, test } from 'vitest';
import { failingPlaces, fisher, hourBlock, type PlacedExecution } from './places.ts';

const on = (agent: string, failed: number, of: number): readonly PlacedExecution[] =>
  Array.from({ length: of }, (_, at) => ({
    isFailed: at < failed,
    places: [
      ['agent', agent],
      ['os', 'linux'],
    ],
  }));

test.each<readonly [[number, number], [number, number], number]>([
  // The lady who tasted tea, and the table of R's manual.
  [[3, 4], [1, 4], 17 / 70],
  [[4, 4], [0, 4], 1 / 70],
  [[9, 9], [0, 140], 1.28e-14],
  [[0, 5], [3, 5], 1],
])("Fisher's exact test of %j and %j", (here, elsewhere, p) => {
  expect(Math.abs(fisher(here, elsewhere) / p - 1)).toBeLessThan(0.01);
});

test('a test that fails on one agent alone: 9 of 9 on build-7, 0 of 140 elsewhere', () => {
  const places = failingPlaces([...on('build-7', 9, 9), ...on('a', 0, 70), ...on('b', 0, 70)]);
  expect(places).toMatchObject([
    { kind: 'agent', value: 'build-7', failed: 9, of: 9, elsewhere: [0, 140] },
  ]);
  expect(places[0]?.p).toBeLessThan(1e-12);
});

test('fewer than three failures have no place', () => {
  expect(failingPlaces([...on('build-7', 2, 2), ...on('a', 0, 140)])).toEqual([]);
});

test('a place where a test fails twice as often is none', () => {
  expect(failingPlaces([...on('build-7', 80, 200), ...on('a', 40, 200)])).toEqual([]);
});

test('the more places are compared, the stronger the evidence has to be', () => {
  const others = (count: number) =>
    Array.from({ length: count }, (_, at) => on(`agent-${at}`, 0, 40 / count)).flat();
  const few = failingPlaces([...on('build-7', 3, 3), ...others(1)]);
  const many = failingPlaces([...on('build-7', 3, 3), ...others(40)]);
  expect([few.length, many.length]).toEqual([1, 0]);
});

test('hours are those of blocks', () => {
  const blocks = [0, 8, 11, 23].map((hour) => hourBlock(Date.UTC(2030, 0, 1, hour, 59)));
  expect(blocks).toEqual(['00-04', '08-12', '08-12', '20-24']);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { valuesSince, withEntry } from './with-entry.ts';

test('a map with further entries reads as any other map', () => {
  const changes = fc.array(fc.tuple(fc.nat(200), fc.nat()), { maxLength: 120 });
  fc.assert(
    fc.property(fc.nat(150), changes, (size, entries) => {
      const begin = new Map(Array.from({ length: size }, (_, index) => [index, -index]));
      const expected = new Map(begin);
      let map: ReadonlyMap<number, number> = begin;
      for (const [key, value] of entries) {
        const before = [...map];
        const next = withEntry(map, key, value);
        expect([...map]).toEqual(before);
        map = next;
        expected.set(key, value);
      }
      expect([...map]).toEqual([...expected]);
      expect([...map.keys()]).toEqual([...expected.keys()]);
      expect([...map.values()]).toEqual([...expected.values()]);
      expect(map.size).toBe(expected.size);
      const actual: unknown[] = [];
      map.forEach((value, key) => {
        actual.push([key, value]);
      });
      expect(actual).toEqual([...expected]);
      for (const key of [...expected.keys(), -5]) {
        expect([map.get(key), map.has(key)]).toEqual([expected.get(key), expected.has(key)]);
      }
    }),
  );
});

test('values since an earlier version have all that changed, and few that did not', () => {
  const size = 1_000;
  const begin = withEntry(
    new Map(Array.from({ length: size }, (_, index) => [index, index])),
    0,
    -1,
  );
  const changed = withEntry(withEntry(begin, 500, -2), size, -3);
  const since = valuesSince(changed, begin);
  expect(since.filter((value) => value < 0)).toEqual([-2, -3]);
  expect(since.length).toBeLessThan(100);
  expect(valuesSince(begin, begin)).toEqual([]);
});

test('a value that is undefined stays so', () => {
  const large = new Map<number, number | undefined>(
    Array.from({ length: 100 }, (_, index) => [index, index]),
  );
  expect([...withEntry(large, 1, undefined)][1]).toEqual([1, undefined]);
});

test('several maps may follow from one', () => {
  const begin = withEntry(
    new Map(Array.from({ length: 100 }, (_, index) => [index, index])),
    0,
    -1,
  );
  const one = withEntry(begin, 200, 1);
  const other = withEntry(withEntry(begin, 300, 2), 200, 3);
  expect([...begin.keys()].length).toBe(100);
  expect([begin.has(200), begin.get(200)]).toEqual([false, undefined]);
  expect([...one].slice(-2)).toEqual([
    [99, 99],
    [200, 1],
  ]);
  expect([...other].slice(-3)).toEqual([
    [99, 99],
    [300, 2],
    [200, 3],
  ]);
});

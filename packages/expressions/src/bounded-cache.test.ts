import { expect, test } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';

// Bound: Parsed expressions; compiled patterns.
test('the value not asked for longest goes when the cache is full', () => {
  const made: string[] = [];
  const cache = new BoundedCache<string>(2);
  const ask = (key: string) =>
    cache.get(key, (missing) => {
      made.push(missing);
      return missing.toUpperCase();
    });
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) expect(ask(key)).toBe(key.toUpperCase());
  expect(made).toEqual(['a', 'b', 'c', 'b']);
  expect(cache.size).toBe(2);
});

test('a value that cannot be made is not kept', () => {
  const cache = new BoundedCache<string>(2);
  const failing = () => {
    throw new Error('cannot');
  };
  expect(() => cache.get('a', failing)).toThrow('cannot');
  expect(cache.size).toBe(0);
});

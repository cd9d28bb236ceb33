import { expect, test } from 'vitest';
import { ByteShares } from './byte-shares.ts';

const create = () => new ByteShares({ bytesMax: 100, what: 'things', remedy: 'Remove one.' });

test('a namespace may have half of the bytes', () => {
  const shares = create();
  shares.add(['a'], 50);
  expect(() => shares.requireRoom(['a'], 1)).toThrow(
    'The things of namespace "a" have no room for one more in the 50 bytes of memory that they may take. Remove one.',
  );
  expect(() => shares.requireRoom(['b', 'a'], 1)).toThrow('namespace "a"');
  expect(() => shares.requireRoom(['b'], 50)).not.toThrow();
  shares.add(['a'], -50);
  expect(() => shares.requireRoom(['a'], 50)).not.toThrow();
});

test('all together have a bound, which includes holders of all namespaces', () => {
  const shares = create();
  shares.add('*', 60);
  expect(() => shares.requireRoom(['a'], 40)).not.toThrow();
  expect(() => shares.requireRoom(['a'], 41)).toThrow(
    'The things have no room for one more in the 100 bytes of memory that they may take. Remove one.',
  );
});

import { expect, test } from 'vitest';
import { createKeyHash, IDENTITY_BYTES } from './test-case-keys.ts';

const key = { suite: 'unit/junit/cart', name: 'adds', reference: 'junit/execute/cart' };
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const hashOf = (more: Partial<typeof key> = {}): string =>
  hex(createKeyHash()({ ...key, ...more }));

test('a key is the same in each process, since it is in files', () => {
  expect(hashOf()).toBe('61f3d4e3148c9dbfe136dfb2db6e91c5');
});

test('a key does not depend on the keys before it', () => {
  const hashKey = createKeyHash();
  const others = [{ ...key, suite: 'other' }, key, { ...key, reference: '' }, key];
  expect(others.map((other) => hex(hashKey(other)))).toEqual(
    others.map((other) => hex(createKeyHash()(other))),
  );
});

test.each([
  ['another reference', { reference: 'junit/execute/order' }, IDENTITY_BYTES],
  ['another name', { name: 'removes' }, 4],
  ['another suite', { suite: 'unit/junit/order' }, 0],
])('with %s the key begins in the same way for so many bytes', (_, more, same) => {
  const [left, right] = [hashOf(), hashOf(more)];
  expect(left.slice(0, same * 2)).toBe(right.slice(0, same * 2));
  expect(
    left.slice(same * 2, IDENTITY_BYTES * 2) === right.slice(same * 2, IDENTITY_BYTES * 2),
  ).toBe(same === IDENTITY_BYTES);
  expect(left).not.toBe(right);
});

import { expect, test } from 'vitest';
import { Random } from './random.ts';

const numbers = (seed: number, count: number): readonly number[] => {
  const random = new Random(seed);
  return Array.from({ length: count }, () => random.below(1000));
};

test('the same seed gives the same numbers, the next one gives others', () => {
  expect(numbers(1, 100)).toEqual(numbers(1, 100));
  expect(numbers(2, 100)).not.toEqual(numbers(1, 100));
});

test('numbers stay within their bounds, and reach them', () => {
  const random = new Random(7);
  const drawn = new Set(Array.from({ length: 1000 }, () => random.between(3, 6)));
  expect([...drawn].sort()).toEqual([3, 4, 5, 6]);
});

test.each([0, 0.25, 0.5, 1])(
  'an event with the chance %d happens about as often',
  (probability) => {
    const random = new Random(3);
    const happened = Array.from({ length: 4000 }, () => random.chance(probability));
    expect(happened.filter(Boolean).length / 4000).toBeCloseTo(probability, 1);
  },
);

test('everything is taken out of a list once, in any order', () => {
  const random = new Random(5);
  const items = [1, 2, 3, 4];
  const taken = [1, 2, 3, 4].map(() => random.take(items));
  expect([...taken].sort()).toEqual([1, 2, 3, 4]);
  expect(random.take(items)).toBeUndefined();
});

test('nothing can be picked from nothing', () => {
  expect(() => new Random(1).pick([])).toThrow('There is nothing to pick from.');
});

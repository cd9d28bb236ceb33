import { expect, test } from 'vitest';
import { createBackoff } from './backoff.ts';

const pauses = (random: number, count: number) => {
  const backoff = createBackoff(() => random);
  return Array.from({ length: count }, () => backoff.next());
};

test('pauses double from 50 ms and stay at 5 s', () => {
  const longest = pauses(1, 9);
  expect(longest).toEqual([50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
});

test('chance takes up to half of each pause away', () => {
  expect(pauses(0, 3)).toEqual([25, 50, 100]);
  expect(pauses(0.5, 3)).toEqual([37.5, 75, 150]);
});

test('a success resets the pauses', () => {
  const backoff = createBackoff(() => 1);
  backoff.next();
  backoff.next();
  backoff.reset();
  expect(backoff.next()).toBe(50);
});

test('no pause is shorter than the server asks for, and agents that get it together return apart', () => {
  expect(createBackoff(() => 0).next(3000)).toBe(3000);
  expect(createBackoff(() => 1).next(3000)).toBe(4500);
  expect(createBackoff(() => 1).next(10)).toBe(50);
});

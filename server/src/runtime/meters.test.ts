import { expect, test } from 'vitest';
import { Counts, Histogram } from './meters.ts';

test('a histogram counts each value in the first bucket that it fits, with its bound', () => {
  const histogram = new Histogram([1, 5]);
  for (const value of [0.5, 1, 1.5, 5, 6, 100]) histogram.observe(value);
  expect(histogram.cumulative()).toEqual([2, 4, 6]);
  expect(histogram.sum).toBe(114);
});

test('counts have all of their values from the beginning, so that a rise from nothing is seen', () => {
  const counts = new Counts(['done', 'failed']);
  counts.add('failed');
  expect([...counts.entries()]).toEqual([
    ['done', 0],
    ['failed', 1],
  ]);
});

test('values that are not listed are counted as one, however many there are', () => {
  const counts = new Counts<string>(['done']);
  for (let index = 0; index < 1_000; index += 1) counts.add(`made up ${index}`);
  expect([...counts.entries()]).toEqual([
    ['done', 0],
    ['other', 1_000],
  ]);
});

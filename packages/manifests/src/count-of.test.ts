import { expect, test } from 'vitest';
import { countIs, countOf } from './count-of.ts';

test.each([
  [0, '0 jobs', '0 more are'],
  [1, '1 job', '1 more is'],
  [2, '2 jobs', '2 more are'],
  [1.5, '1.5 jobs', '1.5 more are'],
])('of %d things the words say so', (count, noun, verb) => {
  expect(countOf(count, 'job')).toBe(noun);
  expect(countIs(count, 'more')).toBe(verb);
  expect(countIs(count, 'job', 'jobs')).toBe(`${noun} ${verb.replace(/^.* /, '')}`);
});

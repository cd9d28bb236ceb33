import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dependencyProblems } from './dependencies.ts';

const steps: [{ run: string }] = [{ run: 'x' }];
const jobs = (needs: Record<string, string | string[]>) =>
  Object.fromEntries(
    Object.entries(needs).map(([name, need]) => [
      name,
      { steps, ...(need.length === 0 ? {} : { needs: need }) },
    ]),
  );
const messagesOf = (needs: Record<string, string | string[]>) =>
  dependencyProblems(jobs(needs)).map(({ message }) => message);

test.each<[string, Record<string, string | string[]>, readonly string[]]>([
  ['none', { a: '', b: '' }, []],
  ['a chain', { a: '', b: 'a', c: ['a', 'b'] }, []],
  ['the same one twice', { a: '', b: ['a', 'a'] }, []],
  ['itself', { a: 'a' }, ['Jobs wait for each other: "a" needs "a".']],
  [
    'a cycle behind a chain',
    { z: 'b', a: '', b: ['a', 'c'], c: 'd', d: 'b' },
    ['Jobs wait for each other: "b" needs "c" needs "d" needs "b".'],
  ],
  [
    'several that are missing',
    { a: ['x', 'y'], b: 'x' },
    [
      'Job "a" has a dependency on job "x" which does not exist.',
      'Job "a" has a dependency on job "y" which does not exist.',
      'Job "b" has a dependency on job "x" which does not exist.',
    ],
  ],
  [
    'a name of every object',
    { a: 'constructor' },
    ['Job "a" has a dependency on job "constructor" which does not exist.'],
  ],
])('%s', (_, needs, expected) => {
  expect(messagesOf(needs)).toEqual(expected);
});

test('jobs that only need earlier ones have no problem, and one step back makes a cycle', () => {
  const graph = fc.integer({ min: 2, max: 30 }).chain((size) =>
    fc.array(fc.array(fc.nat({ max: size - 1 }), { maxLength: 3 }), {
      minLength: size,
      maxLength: size,
    }),
  );
  fc.assert(
    fc.property(graph, (needs) => {
      const earlier = needs.map((list, index) => list.filter((need) => need < index));
      const named = (lists: readonly (readonly number[])[]) =>
        Object.fromEntries(lists.map((list, index) => [`j${index}`, list.map((n) => `j${n}`)]));
      expect(messagesOf(named(earlier))).toEqual([]);
      const back = earlier.map((list, index) =>
        index === 0 ? [needs.length - 1] : [...list, index - 1],
      );
      expect(messagesOf(named(back))).toHaveLength(1);
    }),
  );
});

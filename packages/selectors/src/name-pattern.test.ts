import { expect, test } from 'vitest';
import { createNamePattern } from './name-pattern.ts';

test.each<[string, readonly string[], readonly string[]]>([
  ['summary', ['summary'], ['summary-2', 'a-summary', 'Summary', '']],
  ['*', ['', 'a', 'a-b'], []],
  ['**', ['', 'a'], []],
  ['report-*', ['report-', 'report-a', 'report-a-b'], ['report', 'a-report-']],
  ['*-log', ['-log', 'a-log', 'a-log-log'], ['a-log-b', 'log']],
  ['a*b*c', ['abc', 'a-b-b-c', 'abcbc'], ['acb', 'abcd']],
  ['?', ['a'], ['', 'ab']],
  ['a?c', ['abc', 'a-c'], ['ac', 'abbc']],
  ['[ab]', ['a', 'b'], ['c', 'ab', '']],
  ['[a-c]x', ['ax', 'bx', 'cx'], ['dx', '-x']],
  ['[!a-c]x', ['dx', '-x'], ['ax', 'x']],
  ['[a-]', ['a', '-'], ['b']],
  ['[]]', [']'], ['[]', 'a']],
  ['[!]]', ['a'], [']']],
  ['[]', ['[]'], ['a', '[', '']],
  ['[', ['['], ['']],
  ['a[b', ['a[b'], ['ab']],
  ['*[0-9]', ['a1', '7'], ['a', '1a']],
  ['.', ['.'], ['a']],
  ['a+', ['a+'], ['aa']],
])('%j takes %j and not %j', (pattern, taken, others) => {
  const isMatch = createNamePattern(pattern);
  expect(taken.filter((name) => !isMatch(name))).toEqual([]);
  expect(others.filter(isMatch)).toEqual([]);
});

test('a pattern that looks for a text in many ways is decided all the same', () => {
  const isMatch = createNamePattern(`${'*a'.repeat(100)}*b`);
  expect(isMatch('a'.repeat(256))).toBe(false);
});

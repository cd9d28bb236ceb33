import { expect, test } from 'vitest';
import { createLineSearch } from './line-search.ts';

/** Searches for capitals; a gap is a dash. */
function found(lines: string, context: number): string {
  const search = createLineSearch((line: string) => /[A-Z]/.test(line), context);
  return Array.from(lines)
    .flatMap((line) => search.push(line))
    .map((line) => line ?? '-')
    .join('');
}

test.each([
  ['aBcD', 0, 'BD'],
  ['abCde', 1, 'bCd'],
  ['aBcdE', 1, 'aBcdE'],
  ['aBcdefG', 1, 'aBc-fG'],
  ['aBcDe', 1, 'aBcDe'],
  ['abc', 2, ''],
  ['AbcdE', 9, 'AbcdE'],
])('in %s with %s around it: %s', (lines, context, expected) => {
  expect(found(lines, context)).toBe(expected);
});

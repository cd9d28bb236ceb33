import { expect, test } from 'vitest';
import { createTextSearch } from './text-search.ts';

test.each([
  ['Error', 'an error', false, false],
  ['Error', 'an error', true, true],
  ['Error', 'an Error', false, true],
  ['(?i)Error', 'an error', false, true],
  ['^a[B-D]$', 'aC', false, true],
  ['^a[B-D]$', 'ac', false, false],
  ['É', 'é', false, false],
  ['É', 'é', true, true],
  ['é', 'caf\u00e9', false, true],
  ['(a+)+$', `${'a'.repeat(100_000)}b`, false, false],
])('%s in %.20s, ignoring case: %s', (pattern, text, ignoresCase, expected) => {
  expect(createTextSearch(pattern, { ignoresCase })(text)).toBe(expected);
});

test('a malformed pattern is refused', () => {
  expect(() => createTextSearch('a(', { ignoresCase: false })).toThrow('Invalid pattern "a(":');
});

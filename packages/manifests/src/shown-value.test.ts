import { expect, test } from 'vitest';
import { shownValue } from './shown-value.ts';

test.each<[unknown, string]>([
  ['two words', '"two words"'],
  ['a "quoted" \\ text', '"a "quoted" \\ text"'],
  ['x'.repeat(100), `"${'x'.repeat(100)}"`],
  ['x'.repeat(101), 'a text of 101 characters'],
  [7, '7'],
  [null, 'null'],
  [undefined, 'nothing'],
  [{}, '{}'],
  [['a', { b: [true] }], '["a",{"b":[true]}]'],
  [['a "quoted" text'], 'a list'],
  [{ a: 'line\nbreak' }, 'a map'],
  [['x'.repeat(100)], 'a list'],
])('%j is shown as %s', (value, shown) => {
  expect(shownValue(value)).toBe(shown);
});

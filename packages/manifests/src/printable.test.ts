import { expect, test } from 'vitest';
import { printable } from './printable.ts';

test.each([
  ['alice', 'alice'],
  ['Zoë – 東京 🙂', 'Zoë – 東京 🙂'],
  ['a\nlevel: info', 'a\\u{a}level: info'],
  ['\u001b[2J\u009b2J', '\\u{1b}[2J\\u{9b}2J'],
  ['a\u202etxt\u2028', 'a\\u{202e}txt\\u{2028}'],
])('%j is shown as %s', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

import { expect, test } from 'vitest';
import { fromPlain, toPlain } from './plain-text.ts';

const TEXTS = [
  '',
  'plain',
  '\0',
  '\u0001',
  '\u0001\u0002',
  '\u0001\u0003',
  '\u0001\0\u0002',
  'a\0b',
  'ab',
];

test.each(TEXTS)('%j comes back from the database', (text) => {
  expect(toPlain(text)).not.toContain('\0');
  expect(fromPlain(toPlain(text))).toBe(text);
});

test('texts keep their order', () => {
  const plain = TEXTS.map(toPlain);
  expect(plain.toSorted()).toEqual(TEXTS.toSorted().map(toPlain));
});

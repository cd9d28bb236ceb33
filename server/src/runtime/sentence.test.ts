import { expect, test } from 'vitest';
import { sentence } from './sentence.ts';

test.each([
  ['It is so', 'It is so.'],
  ['It is so.', 'It is so.'],
  ['Did you mean "x"?', 'Did you mean "x"?'],
])('%j becomes %j', (text, expected) => {
  expect(sentence(text)).toBe(expected);
});

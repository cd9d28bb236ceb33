import fc from 'fast-check';
import { expect, test } from 'vitest';
import { offsetOfMistake } from './json-mistake.ts';

test.each([
  ['{"a": }', 6],
  ['{"a" 1}', 5],
  ['{a: 1}', 1],
  ['{"a": 1,}', 8],
  ['[1, 2', 5],
  ['[1 2]', 3],
  ['[1, ]', 4],
  ['[}', 1],
  ['"abc', 0],
  ['{"a": 1} x', 9],
  ['{"a": tru}', 6],
  ['{"a": 01}', 6],
  ['[1.]', 1],
  ['["\\x"]', 1],
  ['["b\nc"]', 1],
  [' ', 1],
  [']', 0],
])('%j stops being JSON at %i', (text, offset) => {
  expect(offsetOfMistake(text)).toBe(offset);
});

test('JSON is JSON to its end', () => {
  fc.assert(
    fc.property(fc.json(), fc.boolean(), (text, isSpaced) => {
      const whole = isSpaced ? JSON.stringify(JSON.parse(text), null, 2) : text;
      expect(offsetOfMistake(whole)).toBe(whole.length);
    }),
  );
});

test('text that the parser refuses stops being JSON before its end, or is incomplete', () => {
  const pieces = fc.constantFrom(...'{}[],:"1-.e '.split(''), 'true', '"a"', '\\', '\n');
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      const offset = offsetOfMistake(text);
      expect(offset).toBeLessThanOrEqual(text.length);
      if (offset < text.length) expect(() => JSON.parse(text)).toThrow(SyntaxError);
    }),
  );
});

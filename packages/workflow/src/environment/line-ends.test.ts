import { expect, test } from 'vitest';
import { withCarriageReturns, withLineFeeds } from './line-ends.ts';

test.each([
  ['', ''],
  ['one line', 'one line'],
  ['a\r\nb\r\n', 'a\nb\n'],
  ['\r\n\r\n', '\n\n'],
  ['a\rb\r\r\nc\nd', 'a\rb\r\nc\nd'],
  ['\uFEFFé\r\n😀', '\uFEFFé\n😀'],
])('%j has line feeds alone', (text, expected) => {
  expect(withLineFeeds(text)).toBe(expected);
});

test.each([
  ['', ''],
  ['one line', 'one line'],
  ['a\nb\n', 'a\r\nb\r\n'],
  ['\uFEFFé\n😀', '\uFEFFé\r\n😀'],
])('%j has a carriage return before each line feed', (text, expected) => {
  expect(withCarriageReturns(text)).toBe(expected);
});

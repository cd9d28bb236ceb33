import { expect, test } from 'vitest';
import { contentRange, parseRange, requestedRange } from './range.ts';

test.each([
  [undefined, 10, null],
  ['bytes=0-', 10, { start: 0, end: 10 }],
  ['bytes=2-4', 10, { start: 2, end: 5 }],
  ['bytes=2-400', 10, { start: 2, end: 10 }],
  ['Bytes=-3', 10, { start: 7, end: 10 }],
  ['bytes=-30', 10, { start: 0, end: 10 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=4-2', 10, null],
  ['bytes=0-1,3-4', 10, null],
  ['lines=0-1', 10, null],
  ['bytes=a-b', 10, null],
  ['', 10, null],
] as const)('%j of %d bytes is %j', (header, size, expected) => {
  expect(parseRange(header, size)).toEqual(expected);
});

test.each([
  ['GET', {}, { start: 2, end: 5 }],
  ['GET', { 'if-range': '"x"' }, null],
  ['GET', { 'if-range': '' }, null],
  ['HEAD', {}, null],
] as const)('%s of a range with %j gives %j', (method, headers, expected) => {
  expect(requestedRange({ method, headers: { range: 'bytes=2-4', ...headers } }, 10)).toEqual(
    expected,
  );
});

test('the answer names the range and the whole', () => {
  expect(contentRange({ start: 2, end: 5 }, 10)).toBe('bytes 2-4/10');
  expect(contentRange('unsatisfiable', 10)).toBe('bytes */10');
});

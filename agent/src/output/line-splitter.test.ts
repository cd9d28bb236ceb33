import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineSplitter } from './line-splitter.ts';
import { createDecoder } from './output-decoder.ts';
import { linesOf } from './output-lines.fixture.ts';
import type { LineRun } from './output-lines.ts';

function split(
  chunks: readonly (string | number[])[],
  lineBytesMax?: number,
  decoder = createDecoder('utf-8'),
): string[] {
  const splitter = createLineSplitter(decoder, lineBytesMax);
  const bytes = chunks.map((chunk) =>
    typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk),
  );
  return [...bytes.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()].flatMap(linesOf);
}

test.each([
  ['nothing', [], []],
  ['lines', ['a\nb\n'], ['a', 'b']],
  ['empty lines', ['\n\na\n'], ['', '', 'a']],
  ['a last line without end', ['a\nb'], ['a', 'b']],
  ['a line in several chunks', ['a', 'b', 'c\nd', '\n'], ['abc', 'd']],
  ['CR LF', ['a\r\nb\r\n'], ['a', 'b']],
  ['CR LF in two chunks', ['a\r', '\nb\r', '\n'], ['a', 'b']],
  ['a lone CR', ['10%\r20%\n'], ['10%\r20%']],
  ['a CR at the very end', ['a\r'], ['a']],
  ['a character in two chunks', [[0xc3], [0xa9, 0x0a]], ['é']],
  ['a character that is cut by a line end', [[0xc3, 0x0a, 0xa9, 0x0a]], ['\\xc3', '\\xa9']],
  ['bytes that are no UTF-8', [[0x61, 0xff, 0x62, 0x0a]], ['a\\xffb']],
  ['a character that is cut by the end', [[0x61, 0xe2, 0x82]], ['a\\xe2\\x82']],
])('%s: %o is split into %o', (_what, chunks, expected) => {
  expect(split(chunks)).toEqual(expected);
});

test.each([
  ['as long as the limit', ['abcd\n'], ['abcd']],
  ['one longer than the limit', ['abcde\n'], ['abcd', 'e']],
  ['twice as long', ['abcdefgh\nx\n'], ['abcd', 'efgh', 'x']],
  ['in small chunks', ['ab', 'cd', 'ef', 'gh', 'i\n'], ['abcd', 'efgh', 'i']],
  ['with a character on the border', ['abcé\n'], ['abc', 'é']],
  ['with a long character on the border', ['a😀b\n'], ['a', '😀', 'b']],
  ['with CR LF on the border', ['abc\r\nd\n'], ['abc', 'd']],
  ['with CR LF beyond the border', ['abcd\r\nd\n'], ['abcd', 'd']],
  ['with CR and LF in chunks of their own', ['abcd', '\r', '\nd\n'], ['abcd', 'd']],
  [
    'of continuation bytes only',
    [[0x80, 0x80, 0x80, 0x80, 0x80, 0x0a]],
    ['\\x80', '\\x80', '\\x80', '\\x80', '\\x80'],
  ],
])('a line %s comes in pieces', (_what, chunks, expected) => {
  expect(split(chunks, 4)).toEqual(expected);
});

test('chunks of any size give the same lines, except for cuts in long lines', () => {
  const byte = fc.oneof(fc.constantFrom(0x0a, 0x0d, 0x61, 0xc3, 0xa9), fc.nat(255));
  fc.assert(
    fc.property(fc.array(fc.array(byte, { maxLength: 20 }), { maxLength: 8 }), (chunks) => {
      expect(split(chunks)).toEqual(split([chunks.flat()]));
    }),
  );
});

test('lines taken together equal lines decoded one by one', () => {
  const oneByOne = { ...createDecoder('utf-8'), isOutputText: () => false };
  const part = fc.oneof(
    fc.constantFrom('\n', '\r\n', '\r', '\ufeff', 'abc', 'é', '😀', 'x'.repeat(9)),
    fc.constant<number[]>([0xff]),
  );
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 40 }),
      fc.integer({ min: 4, max: 40 }),
      (parts, max) => {
        const whole = [parts.flatMap((each) => [...Buffer.from(each)])];
        expect(split(whole, max)).toEqual(split(whole, max, oneByOne));
        expect(split(parts, max)).toEqual(split(parts, max, oneByOne));
      },
    ),
  );
});

// Bound: A line of output.
test('no piece is longer than the limit and no character is lost', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.nat(59), (text, at) => {
      const line = text.replace(/[\r\n]/g, '.');
      const bytes = [...Buffer.from(line)];
      const pieces = split([bytes.slice(0, at), bytes.slice(at), '\n'], 8);
      expect(pieces.join('')).toBe(line);
      expect(pieces.every((piece) => Buffer.byteLength(piece) <= 8)).toBe(true);
    }),
  );
});

test('a piece of a line is distinct from a whole line', () => {
  const splitter = createLineSplitter(createDecoder('utf-8'), 4);
  const push = (text: string) => splitter.push(Buffer.from(text)).map(shown);
  expect(push('a\nabcdefghij')).toEqual([
    { lines: ['a', 'abcd'], end: 'open' },
    { lines: ['efgh'], end: 'open' },
  ]);
  expect(push('\nx\n')).toEqual([
    { lines: ['ij'], end: null },
    { lines: ['x'], end: null },
  ]);
  push('abcdefg');
  expect(splitter.end().map(shown)).toEqual([{ lines: ['efg'], end: 'cut' }]);
});

const shown = (run: LineRun) => ({ lines: linesOf(run), end: run.end });

test('each run knows the number of its lines', () => {
  const chunk = fc.oneof(fc.constantFrom('\n', '\r\n', 'abc', 'x'.repeat(9)), fc.constant('\xff'));
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 20 }), (chunks) => {
      const splitter = createLineSplitter(createDecoder('utf-8'), 4);
      const runs = chunks.flatMap((each) => splitter.push(Buffer.from(each, 'latin1')));
      for (const run of [...runs, ...splitter.end()]) expect(run.count).toBe(linesOf(run).length);
    }),
  );
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDecoder } from './output-decoder.ts';

const decode = (encoding: string, bytes: readonly number[] | string) =>
  createDecoder(encoding).decode(Buffer.from(bytes as string));

test.each([
  ['utf-8', 'aé€😀', 'aé€😀'],
  ['UTF8', 'é', 'é'],
  ['utf-8', [0xef, 0xbf, 0xbd], '\ufffd'],
  ['utf-8', [0xef, 0xbb, 0xbf, 0x61], '\ufeffa'],
  ['utf-8', [0x61, 0xff, 0x62], 'a\\xffb'],
  ['utf-8', [0xc3], '\\xc3'],
  ['utf-8', [0xe2, 0x82, 0xe2, 0x82, 0xac], '\\xe2\\x82€'],
  ['utf-8', [0xed, 0xa0, 0x80], '\\xed\\xa0\\x80'],
  ['utf-8', [0xc0, 0xaf], '\\xc0\\xaf'],
  ['utf-8', [0xff, 0xef, 0xbf, 0xbd, 0x0d, 0x00, 0x1b], '\\xff\ufffd\r\0\u001b'],
  ['utf-8', '\\xff', '\\xff'],
  ['windows-1252', [0xe9, 0x80], 'é€'],
  ['latin1', [0xe9], 'é'],
  ['iso-8859-15', [0xa4], '€'],
  ['windows-1253', [0xe1, 0xd2], 'α\\xd2'],
  ['shift_jis', [0x93, 0xfa, 0x96, 0x7b], '日本'],
  ['shift_jis', [0x61, 0x93], 'a\\x93'],
  ['gbk', [0xc8, 0xd5, 0xff, 0x61], '日\\xffa'],
  ['euc-kr', [0xc7, 0xd1], '한'],
  ['ibm866', [0x80], 'А'],
])('in %s the bytes %o are %j', (encoding, bytes, text) => {
  expect(decode(encoding, bytes)).toBe(text);
});

test.each(['cp850', 'nothing', ''])('%o is no known encoding', (encoding) => {
  expect(() => createDecoder(encoding)).toThrow(`Not a known encoding: ${encoding}.`);
});

test.each(['utf-16', 'utf-16be'])('lines cannot be read in %s', (encoding) => {
  expect(() => createDecoder(encoding)).toThrow('Lines cannot be read in the encoding');
});

describe('a cut', () => {
  test.each([
    ['utf-8', 'aé', 2, 1],
    ['utf-8', 'a😀', 4, 1],
    ['utf-8', 'aé', 3, 3],
    ['utf-8', [0x80, 0x80, 0x80, 0x80, 0x80], 4, 4],
    ['shift_jis', [0x93, 0xfa, 0x96, 0x7b], 3, 2],
    ['shift_jis', [0x93, 0xfa, 0x96, 0x7b], 2, 2],
    ['windows-1252', [0xe9, 0xe9, 0xe9], 2, 2],
    ['gbk', [0xff, 0xff, 0xff, 0xff, 0xff], 4, 4],
  ])('in %s of %o up to %i is at %i', (encoding, bytes, limit, expected) => {
    const buffer = Buffer.from(bytes as string);
    expect(createDecoder(encoding).cut(buffer, 0, limit)).toBe(expected);
  });
});

test('whole characters come as they are among bytes that mean nothing', () => {
  // This byte belongs to no character.
  const pieces = fc.array(fc.string({ unit: 'grapheme', maxLength: 3 }), { maxLength: 8 });
  fc.assert(
    fc.property(pieces, (texts) => {
      const bytes = texts.flatMap((text) => [0xff, ...Buffer.from(text)]);
      expect(decode('utf-8', bytes)).toBe(texts.map((text) => `\\xff${text}`).join(''));
    }),
  );
});

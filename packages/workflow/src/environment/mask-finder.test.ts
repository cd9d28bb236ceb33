/** Masked texts in the ways in which programs encode them, with Node's own encoders as the judge. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addMasks, hasMasked, maskLine, maskUnfinished } from './masks.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const hex = (text: string) => Buffer.from(text).toString('hex');
const json = (value: unknown) => JSON.stringify(value);
const ascii = (value: unknown) =>
  json(value).replace(
    /[^ -~]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
const eachSign = (text: string, between: string) => [...text].join(between);
const eachSignAs = (text: string, encode: (code: number) => string) =>
  Array.from(text, (sign) => encode(sign.codePointAt(0) ?? 0)).join('');
const inLines = (text: string, length: number, end = '\n') =>
  text.match(new RegExp(`.{1,${length}}`, 'g'))?.join(end) ?? '';
const pairs = (text: string, between: string) => hex(text).replace(/..(?=.)/g, `$&${between}`);
const xml = (text: string) =>
  text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/ö/g, '&#xF6;');

const SECRETS = [
  'tok-1',
  'ghp_16C7e42F292c6912E7',
  `it's <b>&"50%"\\ c`,
  'pässwörd+x/y z',
  'a+b=c~~~',
];

const ENCODERS: readonly (readonly [name: string, encode: (secret: string) => string])[] = [
  ['Base64', base64],
  ['Base64 behind one byte', (secret) => base64(`:${secret}`)],
  ['Base64 behind two bytes', (secret) => base64(`u:${secret}`)],
  ['Base64 within a longer text', (secret) => base64(`{"auth":"${secret}","more":1}`)],
  ['Base64 of URLs', (secret) => Buffer.from(`??>${secret}`).toString('base64url')],
  ['Base64 in a word', (secret) => `token/${base64(secret)}`],
  ['Base64 of JSON', (secret) => base64(json({ secret }))],
  ['a part of a URL', encodeURIComponent],
  [
    'a part of a URL, in small letters',
    (secret) => encodeURIComponent(secret).replace(/%../g, (sign) => sign.toLowerCase()),
  ],
  ['a form', (secret) => new URLSearchParams({ secret }).toString()],
  ['a URL of digits', (secret) => hex(secret).replace(/../g, '%$&')],
  ['XML', xml],
  [
    'XML with names',
    (secret) => secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  ],
  ['hexadecimal digits', hex],
  ['hexadecimal digits in capitals', (secret) => hex(secret).toUpperCase()],
  ['hexadecimal digits behind another', (secret) => `0${hex(secret)}`],
  ['bytes with blanks', (secret) => pairs(secret, ' ')],
  ['bytes with colons', (secret) => pairs(secret, ':')],
  ['bytes with hyphens', (secret) => pairs(secret, '-')],
  ['bytes in a list', (secret) => `0x${pairs(secret, ', 0x')}`],
  ['bytes of C', (secret) => `\\x${pairs(secret, '\\x')}`],
  ['XML with leading zeros', (secret) => eachSignAs(secret, (code) => `&#00000${code};`)],
  [
    'XML with digits and zeros',
    (secret) => eachSignAs(secret, (code) => `&#x0000${code.toString(16)};`),
  ],
  ['JSON', (secret) => json({ secret })],
  ['JSON of letters of ASCII', (secret) => ascii({ secret })],
  ['JSON in JSON', (secret) => json(json({ secret }))],
  ['JSON in JSON of letters of ASCII', (secret) => ascii(ascii({ secret }))],
  ['JSON in JSON in JSON', (secret) => json(json(json({ secret })))],
  ['Base64 in JSON in JSON', (secret) => json(json({ auth: base64(secret) }))],
  ['colour codes in between', (secret) => eachSign(secret, '\x1b[31m')],
  ['NUL in between', (secret) => eachSign(secret, '\0')],
  ['titles of windows in between', (secret) => eachSign(secret, '\x1b]0;title\x07')],
  ['what tput writes in between', (secret) => eachSign(secret, '\x1b(B\x1b[m')],
  ['other sequences in between', (secret) => eachSign(secret, '\x1b7\x1b=\x1bPq#0\x1b\\\x9b1m')],
  ['other control characters in between', (secret) => eachSign(secret, '\x07\x7f')],
  ['carriage returns in between', (secret) => eachSign(secret, '\r')],
  ['signs without a width in between', (secret) => eachSign(secret, '\u200b\xad')],
  ['marks of variants in between', (secret) => eachSign(secret, '\u180b\ufe0f\u{e0100}')],
  ['marks of directions and tags in between', (secret) => eachSign(secret, '\u061c\u{e0061}')],
  ['other signs that programs ignore', (secret) => eachSign(secret, '\u034f\ufff9\u{1d173}')],
  ['colour codes of reports in between', (secret) => eachSign(secret, '\ufffd[31m')],
  ['colour codes of pytest in between', (secret) => eachSign(secret, '#x1B[31m#x00')],
  ['Base64 in lines', (secret) => inLines(base64(`${'long '.repeat(8)}${secret} and more`), 76)],
  ['Base64 in short lines', (secret) => inLines(base64(`${secret}${secret} and more`), 16)],
  ['Base64 in indented lines', (secret) => inLines(base64(`long ${secret}`), 20, '\r\n    ')],
  ['Base64 in lines in JSON', (secret) => json(inLines(base64(`long ${secret}`), 20))],
  ['digits in lines', (secret) => inLines(hex(`long ${secret}`), 20)],
  ['bytes in lines', (secret) => inLines(pairs(`long before ${secret}`, ' '), 48)],
  ['colour codes in JSON', (secret) => json(eachSign(secret, '\x1b[0;1m'))],
];

describe.each(ENCODERS)('%s', (_, encode) => {
  test.each(SECRETS)('hides nothing of %j from the mask', (secret) => {
    const masks = addMasks([], [secret]);
    const line = `before ${encode(secret)} after`;
    const shown = maskLine(masks, line);
    expect(shown).toMatch(/^before .*\*\*\*.* after$/s);
    expect(hasMasked(masks, line)).toBe(true);
  });
});

test.each([
  ['secret=c2VjcmV0LTE=;', 'secret=***=;'],
  ['\x1b[1msec\x1b[0mret-1\x1b[0m!', '\x1b[1m***\x1b[0m!'],
  ['7365637265742d31 and 7365637265742d32', '*** and 7365637265742d32'],
  ['?t=secret%2D1&u=2', '?t=***&u=2'],
  ['a\\u0073ecret-1b', 'a***b'],
  ['&#115;ecret-1', '***'],
])('in %j the mask "secret-1" leaves %j', (line, shown) => {
  expect(maskLine(addMasks([], ['secret-1']), line)).toBe(shown);
});

test.each([
  'a line as any other, /usr/local/lib/node_modules/@types/node/index.d.ts',
  '5f2b6c1e-8d0a-4a57-9d3f-6a1f0e8c7b21 100% done & more \\ \\u12 %zz &#x110000; &#9999999;',
  `${base64('some other text')} ${hex('some other text')}`,
  '\x1b[31mred\x1b[0m',
  '',
])('the line %j is left alone', (line) => {
  expect(maskLine(addMasks([], ['secret-1']), line)).toBe(line);
});

test('short masks are looked for as they are alone', () => {
  const masks = addMasks([], ['abc']);
  expect(maskLine(masks, `${hex('abc')} ${base64('abc')} abc`)).toBe(
    `${hex('abc')} ${base64('abc')} ***`,
  );
});

test('a mask that comes later is found in every encoding, too', () => {
  const masks = addMasks(addMasks([], ['first-one']), ['second-one']);
  const line = `${base64('first-one')} ${hex('second-one')}`;
  maskLine(addMasks([], ['first-one']), line);
  expect(maskLine(masks, line)).toBe('*** ***');
});

test('an encoded text that a line ends with is hidden, too', () => {
  expect(maskUnfinished(addMasks([], ['secret-1']), `x ${hex('secret-1')}`)).toBe('x ***');
});

test('whatever stands around it, a secret in Base64 is hidden', () => {
  const text = fc.string({ unit: 'binary', maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const masks = addMasks([], ['Secret-Of-Them-1']);
      expect(maskLine(masks, base64(`${before}Secret-Of-Them-1${after}`))).toContain('***');
    }),
  );
});

test('any line is masked without an error, and what is masked once stays so', () => {
  const masks = addMasks([], ['secret-1', 'a\\b "c"', '50% + &', 'ö-ö-ö']);
  const piece = fc.constantFrom(
    ...[
      'secret',
      '-1',
      '\\',
      '\\\\',
      '"',
      '%',
      '%2',
      '&',
      '&#',
      '61',
      'c2Vj',
      'cmV0',
      '\x1b[',
      '\x1b',
      '\0',
      'ö',
      ' ',
      '+',
      '=',
    ],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const shown = maskLine(masks, pieces.join(''));
      expect(shown).not.toContain('secret-1');
    }),
  );
});

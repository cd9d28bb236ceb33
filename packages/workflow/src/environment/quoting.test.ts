// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shell's variables are written so.
import { expect, test } from 'vitest';
import { exportPosix, quoteDirectory, quoteExpanding, quotePosix, setWindows } from './quoting.ts';

const variable = (value: string, verbatim = false) => ({ name: 'V', value, verbatim });

test.each([
  ['', ''],
  ['plain', 'plain'],
  ['$HOME/x', '$HOME/x'],
  ['two words', '"two words"'],
  ['a\tb', '"a\tb"'],
  ['a\nb', '"a\nb"'],
  ['say "hi"', '"say \\"hi\\""'],
  ['"quoted"', '\\"quoted\\"'],
  ["'kept as the shell sees it'x", `"'kept as the shell sees it'x"`],
  ["'$HOME'", "'$HOME'"],
  ["it's", `"it's"`],
  ['a&b', '"a&b"'],
  ['a;b', '"a;b"'],
  ['$(pwd)', '"$(pwd)"'],
  ['{"a":1,"b":2}', '"{\\"a\\":1,\\"b\\":2}"'],
  ['a{1..3}', '"a{1..3}"'],
  ['${HOME}/{x}', '${HOME}/{x}'],
  ["'{a,b}'", "'{a,b}'"],
  ['C:\\', 'C:\\\\'],
  ['C:\\my dir\\', '"C:\\my dir\\\\"'],
  ['two\\\\', 'two\\\\'],
  ['a\\"b', 'a\\\\\\"b'],
  // Language 3.6: Lines on unix: plain values, in quotes if they have blanks.
])('the value %j is written %s, and still expands', (value, written) => {
  expect(quoteExpanding(value)).toBe(written);
  expect(exportPosix(variable(value))).toBe(`export V=${written}`);
});

test.each([
  ['', "''"],
  ['plain-1.2:3', 'plain-1.2:3'],
  ['$HOME', "'$HOME'"],
  ["it's", `'it'"'"'s'`],
  ['a b', "'a b'"],
])('the verbatim value %j is written %s', (value, written) => {
  expect(quotePosix(value)).toBe(written);
  expect(exportPosix(variable(value, true))).toBe(`export V=${written}`);
});

test.each([
  ['%PATH% & "more"', false, '@set "V=%PATH% & "more""'],
  ['a^b&c<d>e%f%', true, '@set "V=a^^b^&c^<d^>e%%f%%"'],
  ['one\r\ntwo\nthree', false, '@set "V=one two three"'],
])('on windows the value %j (verbatim: %s) is written %s', (value, verbatim, written) => {
  expect(setWindows(variable(value, verbatim))).toBe(written);
});

test.each([
  ['plain', 'plain'],
  ['a^b&c<d>e|f', 'a^b&c<d>e|f'],
  ['50%PATH%', '50%%PATH%%'],
  ['a"b^c&d', 'a"b^^c^&d'],
  ['a"<b>"|c', 'a"^<b^>"|c'],
])('on windows the secret %j is written %s, which cmd reads as it is', (value, written) => {
  const secret = { name: 'V', value, verbatim: true, secret: true };
  expect(setWindows(secret)).toBe(`@set "V=${written}"`);
});

test.each(['\\', '{', '$', '"', "'", '`', '~', '/'])(
  'a long value of %j takes no longer than its length',
  (sign) => {
    for (const end of ['', '*', 'x', "'"]) {
      const value = `${sign.repeat(300_000)}${end}`;
      expect(quoteExpanding(value).length).toBeGreaterThanOrEqual(value.length);
      expect(quoteDirectory(value).length).toBeGreaterThanOrEqual(value.length);
    }
  },
);

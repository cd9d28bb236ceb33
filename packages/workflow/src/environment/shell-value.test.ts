// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shell's variables are written so.
import type { ChannelOs } from '@tutti/manifests';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exportPosix } from './quoting.ts';
import { shellValue } from './shell-value.ts';

test.each<[written: string, value: string | null]>([
  ['', ''],
  ['plain', 'plain'],
  ['é€😀', 'é€😀'],
  ['a=b,c:d/e.f@g%h+i-j', 'a=b,c:d/e.f@g%h+i-j'],
  ['a#b*c?d[e]f!', 'a#b*c?d[e]f!'],
  ['"a b"', 'a b'],
  ["'a b'", 'a b'],
  [String.raw`a\ b`, 'a b'],
  [String.raw`a" b "'c d'\ e`, 'a b c d e'],
  [String.raw`"say \"hi\" \\ \n \$x"`, String.raw`say "hi" \ \n $x`],
  [`'it'"'"'s'`, "it's"],
  [String.raw`it\'s`, "it's"],
  [String.raw`'\n'`, String.raw`\n`],
  [`'{"a": 1, "b": [2]}'`, '{"a": 1, "b": [2]}'],
  [String.raw`\{\"a\":1\,\"b\":2\}`, '{"a":1,"b":2}'],
  ['{"a":1}', '{a:1}'],
  [String.raw`$'a\tb\nc\'\\\e\"'`, 'a\tb\nc\'\\\x1b"'],
  [String.raw`$'w\303\266rk \xc3\xb6 \u00f6 \U0001f600'`, 'wörk ö ö 😀'],
  [String.raw`$'\q'`, String.raw`\q`],
  [String.raw`$'\303'`, null],
  [String.raw`$'\Uffffffff'`, null],
  ['100$', '100$'],
  ['"100$"', '100$'],
  ['"$ %"', '$ %'],
  ['a$,b', 'a$,b'],
  ['a~b', 'a~b'],
  ['"~"', '~'],
  ['~/x', null],
  ['a:~/x', null],
  ['$HOME', null],
  ['"$HOME/x y"', null],
  ['${HOME}', null],
  ['$(date)', null],
  ['"`date`"', null],
  ['`date`', null],
  ['$"text"', null],
  ['$1', null],
  ['a b', null],
  ['a;b', null],
  ['a|b', null],
  ['a&b', null],
  ['(a)', null],
  ['<a>', null],
  ['{a,b}', null],
  ['{1..3}', null],
  ['"a', null],
  ["it's", null],
  ['a\\', null],
  ["$'a", null],
])('on unix, %s is %j', (written, value) => {
  for (const os of ['linux', 'macos'] as const) expect(shellValue(written, os)).toBe(value);
});

test.each<[written: string, value: string | null]>([
  ['a b', 'a b'],
  ['"a b"', '"a b"'],
  ["it's", "it's"],
  ['a^&b', 'a^&b'],
  ['100%%', '100%'],
  ['%%PATH%%', '%PATH%'],
  ['%PATH%', null],
  ['%%%PATH%', null],
])('on windows, %s is %j', (written, value) => {
  expect(shellValue(written, 'windows')).toBe(value);
});

test('a value quoted for the shell is read as it was, whatever it is', () => {
  const values = fc.string({ unit: 'grapheme', maxLength: 30 });
  fc.assert(
    fc.property(values, (value) => {
      const written = exportPosix({ name: 'V', value, verbatim: true }).slice('export V='.length);
      expect(shellValue(written, 'linux')).toBe(value);
    }),
  );
});

test('any text is read or left to the shell, in a time that grows with its length alone', () => {
  const pieces = fc.constantFrom(...`abc\\'"$\`{},.~: ;`, "$'", '\\x4', 'é', '\n');
  const systems = fc.constantFrom<ChannelOs>('linux', 'macos', 'windows');
  fc.assert(
    fc.property(
      fc.array(pieces).map((all) => all.join('')),
      systems,
      (written, os) => {
        expect(shellValue(written, os)).toSatisfy(
          (value) => value === null || typeof value === 'string',
        );
      },
    ),
  );
  for (const piece of ['\\', '$', "'", '"', '$(', 'a', '{', '{,', '\\"', "$'"]) {
    shellValue(piece.repeat(50_000), 'linux');
  }
});

test('a value that is longer than any text of an expression is left as it is written', () => {
  const escapes = (count: number) => `$'${'\\n'.repeat(count)}'`;
  expect(shellValue(escapes(32_000), 'linux')).toBe('\n'.repeat(32_000));
  expect(shellValue(escapes(40_000), 'linux')).toBeNull();
  for (const os of ['linux', 'windows'] as const) {
    expect(shellValue('a'.repeat(17_000_000), os)).toBeNull();
  }
});

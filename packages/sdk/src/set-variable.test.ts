// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shells have such texts, too.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { quoteFor } from './quoting.ts';
import { setVariable } from './set-variable.ts';

/** A text that the orchestrator would evaluate. */
const EXPRESSION = `$\{{ variables.SECRET }}`;
const verbatim = (value: string) => ({ value, verbatim: true });

/** Lets one script leave the variable and the next one read it. Each is bash that stops at the first failing line. */
function passOn(line: string): { readonly file: string; readonly value: string } {
  const directory = mkdtempSync(join(tmpdir(), 'provider '));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'variables');
  const env = { OPENTF_VARIABLES: path, HOME: '/house', WHO: 'a  b' };
  const bash = (script: string) =>
    execFileSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], { env });
  bash(`export WHO=earlier\n${line}`);
  const value = bash(`. "$OPENTF_VARIABLES"\nprintf %s "$V"`).toString();
  return { file: readFileSync(path, 'utf8'), value };
}

describe('on Linux and macOS', () => {
  test.each([
    '',
    ' ',
    'plain-word_1.2',
    "it's",
    '"quoted"',
    '$HOME `id` $(id) \\ ! # * ? ~ ; & | < > ( ) { }',
    '{a,b}',
    '-n',
    '%s%n',
    'one\ntwo\n',
    'a\nPATH=evil',
    'ünïcödé 😀',
    EXPRESSION,
    // Language 3.6: A provider leaves a variable for later steps.
  ])('a verbatim value arrives as it is: %j', (value) => {
    const line = setVariable('linux', 'V', verbatim(value));
    const passed = passOn(line);
    expect(passed.value).toBe(value);
    expect(passed.file.trimEnd()).not.toContain('\n');
    expect(line).not.toContain('${{');
  });

  test.each([
    ['1.2', '1.2'],
    ['$WHO/x', 'a  b/x'],
    ['${WHO}', 'a  b'],
    ['in $WHO', 'in a  b'],
    ['`echo x` $(echo y)', 'x y'],
    ['~/bin', '/house/bin'],
    ['say "hi" to $WHO', 'say "hi" to a  b'],
    ['a "b\\', 'a "b\\'],
    ['{a,b}', '{a,b}'],
    ['a;b & c', 'a;b & c'],
    ['', ''],
    // Language 3.6: A provider leaves a variable for later steps.
  ])('a plain value is expanded by the shell of a later step: %j', (value, expected) => {
    expect(passOn(setVariable('macos', 'V', value)).value).toBe(expected);
  });

  test('a value that needs no quotes is in the file as it is', () => {
    const file = 'export V=a/b:1.2\n';
    expect(passOn(setVariable('linux', 'V', 'a/b:1.2')).file).toBe(file);
    expect(passOn(setVariable('linux', 'V', verbatim('a/b:1.2'))).file).toBe(file);
  });
});

describe('on Windows', () => {
  const line = (assignment: string) => `@>> "%OPENTF_VARIABLES%" echo set ${assignment}`;

  test.each([
    ['1', line('^"V=1^"')],
    ['two words', line('^"V=two words^"')],
    ['%PATH%;x', line('^"V=%%PATH%%;x^"')],
    ['a & b', line('^"V=a ^& b^"')],
    [EXPRESSION, line('^"V=$^{^{ variables.SECRET ^}^}^"')],
  ])('a plain value is expanded by cmd in a later step: %j', (value, written) => {
    expect(setVariable('windows', 'V', value)).toBe(written);
  });

  test.each([
    ['100%', line('^"V=100%%%%^"')],
    ['a&b<c>^', line('^"V=a^^^&b^^^<c^^^>^^^^^"')],
    // Language 3.6: A provider leaves a variable for later steps.
  ])('a verbatim value is written as those of workflows are: %j', (value, written) => {
    expect(setVariable('windows', 'V', verbatim(value))).toBe(written);
  });

  test.each(['a\nb', 'say "hi"', 'nul \0', 'x'.repeat(8192)])('%j is refused', (value) => {
    for (const variable of [value, verbatim(value)]) {
      expect(() => setVariable('windows', 'V', variable)).toThrow(
        expect.objectContaining({ reason: 'Invalid' }),
      );
    }
  });
});

test.each(['', 'A-B', '1A', 'A=B', 'A B', 'é'])('%j is no name of a variable', (name) => {
  expect(() => setVariable('linux', name, 'x')).toThrow(
    `${JSON.stringify(name)} is no name of a variable.`,
  );
});

test.each([
  ['a line break in a plain value', 'a\nb'],
  ['a NUL character', verbatim('a\0b')],
  ['a value that is too long', verbatim('x'.repeat(65_537))],
])('%s is refused', (_, variable) => {
  expect(() => setVariable('linux', 'V', variable)).toThrow(
    expect.objectContaining({ reason: 'Invalid' }),
  );
});

test('long runs of backslashes take no longer than their length', () => {
  const long = `${'\\'.repeat(60_000)}x`;
  expect(setVariable('linux', 'V', long)).toContain(long);
  expect(quoteFor('windows', `"${long.repeat(10)}`)).toContain(long);
});

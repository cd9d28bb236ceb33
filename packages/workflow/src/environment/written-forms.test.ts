// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import { commandLine, setVariable } from '@tutti/sdk';
import { expect, test } from 'vitest';
import { addMasks, maskLine, masksLength } from './masks.ts';
import { exportPosix, setWindows } from './quoting.ts';
import { writtenForms } from './written-forms.ts';

const SECRETS = [
  `it's "a" \\ b`,
  'a^b&c<d>e%f%g|h',
  '50% of (them)!',
  'p$w`d;{x,y}*?[z]~:~',
  "tab\there's",
  'pässword & möre',
  '#begin~',
  '${{ x }}',
];

const written = (secret: string): readonly string[] => [
  secret,
  JSON.stringify({ secret }),
  exportPosix({ name: 'V', value: secret, verbatim: true }),
  setWindows({ name: 'V', value: secret, verbatim: true }),
  commandLine('linux', ['tool', secret]),
  commandLine('windows', ['tool', secret.replaceAll('${{', '')]),
  setVariable('linux', 'V', { value: secret, verbatim: true }),
  ...(secret.includes('"') ? [] : [setVariable('windows', 'V', { value: secret, verbatim: true })]),
];

test.each(SECRETS)('however %j is written, it is masked whole', (secret) => {
  for (const text of written(secret)) {
    // An expression is taken apart on Windows, where nothing of it is left to be found.
    if (secret.includes('${{') && text.startsWith('tool') && !text.includes("'")) continue;
    const shown = maskLine(addMasks([], [secret]), text);
    expect(shown).toContain('***');
    const letters = secret.split(/[^a-zäö]+/i).filter(({ length }) => length >= 3);
    expect(letters.filter((word) => shown.includes(word))).toEqual([]);
  }
});

test('a text that nothing changes has one form', () => {
  expect(writtenForms('ghp_16C7e42F292c6912E7710c838347Ae178B4a')).toHaveLength(1);
  expect(writtenForms('a-b.c@d=e+f')).toHaveLength(1);
});

test.each([
  ['Tok/En1234+abc=', 'n-Tok_En1234+abc=.txt', 'n-***.txt'],
  [String.raw`DOMAIN\pass/word`, 'DOMAIN_pass_word', '***'],
  ['tab\there', 'tab_here.xml', '***.xml'],
  ['  with/blanks ', 'with_blanks.xml', '***.xml'],
  ['one two:three', 'one_two_three', '***'],
  [
    'Tok/En1234',
    String.raw`C:\Tok\En1234\x`.replaceAll('\\\\', '\\'),
    String.raw`C:\***\x`.replaceAll('\\\\', '\\'),
  ],
  ['/', 'a_b', 'a_b'],
  ['a/', 'data_1', 'data_1'],
])('the secret %j is masked in the name %j', (secret, name, shown) => {
  expect(maskLine(addMasks([], [secret]), name)).toBe(shown);
});

test('a secret of several lines is masked where JSON makes one line of it, also if its lines are short', () => {
  const secret = 'ab\n12\n"x';
  expect(maskLine(addMasks([], [secret]), JSON.stringify(secret))).toBe('"***"');
});

test('the length of masks is that of all their forms', () => {
  const masks = addMasks([], ['plain', `a"b`]);
  const forms = masks.flatMap(writtenForms);
  expect(masksLength(masks)).toBe(forms.join('').length);
  expect(masksLength([...masks])).toBe(masksLength(masks));
});

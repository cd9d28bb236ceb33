import { expect, test } from 'vitest';
import { createPathPicker, safeName } from './safe-path.ts';

test.each([
  ['report.xml', 'report.xml'],
  ['é ü.txt', 'é ü.txt'],
  ['..', '_'],
  ['.', '_'],
  ['', '_'],
  ['../../etc/passwd', '.._.._etc_passwd'],
  ['a\\b:c', 'a_b_c'],
  ['/etc/passwd', '_etc_passwd'],
  ['a\u0000\u001b[31m\n', 'a__[31m_'],
  ['a\u202etxt.exe', 'a_txt.exe'],
  ['-rf', '_rf'],
  [' a. ', '_a'],
  ['con', '_con'],
  ['NUL.txt', '_NUL.txt'],
  ['console.txt', 'console.txt'],
  [`${'é'.repeat(200)}.html`, `${'é'.repeat(97)}.html`],
  ['\ud800.txt', '\ufffd.txt'],
])('the name %j becomes %j', (name, expected) => {
  expect(safeName(name)).toBe(expected);
});

test('equal names get distinct paths, also if a system takes them for one', () => {
  const pick = createPathPicker();
  const picked = ['a.xml', 'a.xml', 'A.xml', 'a (2).xml', 'b', 'b', 'e\u0301', '\u00e9'].map(
    (name) => pick(['job'], name).join('/'),
  );
  expect(picked).toEqual([
    'job/a.xml',
    'job/a (2).xml',
    'job/A (3).xml',
    'job/a (2) (2).xml',
    'job/b',
    'job/b (2)',
    'job/e\u0301',
    'job/\u00e9 (2)',
  ]);
  expect(pick(['..', '', 'x/y'], 'a.xml')).toEqual(['_', 'x_y', 'a.xml']);
});

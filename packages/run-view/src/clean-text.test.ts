import { expect, test } from 'vitest';
import { cleanOutput } from './clean-text.ts';

test.each([
  ['plain', false, 'plain'],
  ['a\u202etxt\u2069', false, 'a\\u202Etxt\\u2069'],
  ['a\u202etxt', true, 'a\\u202Etxt'],
  ['a\u009b2Jb', false, 'a2Jb'],
  ['a\tb', false, 'a    b'],
  ['\u001b[31mred\u001b[0m', false, 'red'],
  ['\u001b[31mred', true, '\u001b[31mred\u001b[0m'],
  ['\u001b[2Kgone\u001b[1A', true, 'gone'],
  ['bell\u0007 back\b', true, 'bell back'],
  ['\u001b]0;title\u0007text', true, 'text'],
  ['\u001b[8mhidden', true, 'hidden'],
  ['\u001b[1;8;31mhidden', true, 'hidden'],
  ['\u001b[38;5;8mgrey', true, '\u001b[38;5;8mgrey\u001b[0m'],
  ['\u001b[48;2;8;8;8mdark', true, '\u001b[48;2;8;8;8mdark\u001b[0m'],
  ['\u001b[38;5;1;8mhidden', true, 'hidden'],
  ['\u001b', true, ''],
])('output %j is shown as it may be (colors: %s)', (text, hasColors, clean) => {
  expect(cleanOutput(text, hasColors)).toBe(clean);
});

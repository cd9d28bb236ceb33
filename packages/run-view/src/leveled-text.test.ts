import { expect, test } from 'vitest';
import { leveledText } from './leveled-text.ts';

test.each([
  ['ERROR,Could not read a.xml', 'bad', 'Could not read a.xml'],
  ['WARNING,a, b', 'warning', 'a, b'],
  ['DEBUG,x', 'quiet', 'x'],
  ['ERROR: x', null, 'ERROR: x'],
  ['ERROR, x', null, 'ERROR, x'],
  ['an ERROR,x', null, 'an ERROR,x'],
  ['', null, ''],
])('%j has the tone %s', (line, tone, text) => {
  expect(leveledText(line)).toEqual({ tone, text });
});

import { expect, test } from 'vitest';
import { readLineColors } from './line-colors.ts';

test.each([
  ['out=32:err=1;31', { output: '32', bad: '1;31' }],
  ['ttl=34: run = 36 :att=2', { plain: '34', step: '36', file: '2' }],
  ['ret=31:sta=33', {}],
  ['none', null],
  ['out=32:', null],
  ['out=32m', null],
  ['', null],
])('colours %j of lines are %j', (text, colors) => {
  expect(readLineColors(text)).toEqual(colors);
});

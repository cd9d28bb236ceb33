import { expect, test } from 'vitest';
import { UsageError } from '../terminal/problem.ts';
import {
  addFile,
  addList,
  addNames,
  addPair,
  readDuration,
  readSeconds,
  readWhole,
  slotsOf,
} from './option-values.ts';

test('pairs are collected, values may hold anything, and one may be given twice as it is', () => {
  const add = addPair('-e');
  const pairs = ['A=', 'B=x=y', 'A=', 'C=two words'].reduce((all, text) => add(text, all), {});
  expect(pairs).toEqual({ A: '', B: 'x=y', C: 'two words' });
});

test('lists that are given twice are joined', () => {
  expect(addList('b', addList('a'))).toEqual(['a', 'b']);
  expect(addNames('--verbs')('b', addNames('--verbs')('a'))).toEqual(['a', 'b']);
});

test('the error for a pair shows the form of the help', () => {
  expect(() => addFile('-f')('x')).toThrow('-f takes name=path, not "x".');
});

test.each(['A', '=1', ''])('"%s" is no pair', (text) => {
  expect(() => addFile('-f')(text)).toThrow(UsageError);
  expect(() => addPair('-e')(text, {})).toThrow(UsageError);
});

test.each<[what: string, read: (text: string) => unknown, text: string, next: string]>([
  ['a pair', addPair('-e'), '=1', 'write a name, then =, then the value behind it.'],
  [
    'a file',
    addFile('-f'),
    'x',
    'write the name of the file in the workflow, then =, then its path.',
  ],
  ['a list', addNames('--jobs'), 'a,,b', 'write one between all commas, or leave commas out.'],
  ['a number', readWhole('--job-depth'), '-1', 'write a whole number of 0 or more.'],
])('an option for %s gives the form in its advice', (_what, read, text, next) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ next }));
});

test('lists are cut at commas', () => {
  expect(addList(' linux, node,,x ')).toEqual(['linux', 'node', 'x']);
});

test.each([
  ['90s', 90_000],
  ['15m', 900_000],
  ['1h', 3_600_000],
  [' 30 d ', 2_592_000_000],
])('the duration %s is %d ms', (text, ms) => {
  expect(readDuration(text)).toBe(ms);
});

test.each(['', '1', 'h', '1w', '-1h', '0s', '1.5h', '99999999999999999d'])(
  '"%s" is no duration',
  (text) => {
    expect(() => readDuration(text)).toThrow(UsageError);
  },
);

test.each([
  ['0', 0],
  ['8', 8_000],
  [' 90 ', 90_000],
  ['2m', 120_000],
])('the time %s is %d ms', (text, ms) => {
  expect(readSeconds(text)).toBe(ms);
});

test.each(['', '-1', '1.5', 'soon', '99999999999999999'])('"%s" is no time', (text) => {
  expect(() => readSeconds(text)).toThrow(UsageError);
});

test.each([
  ['1', 8, 1],
  ['256', 8, 256],
  ['auto', 8, 8],
  ['auto', 384, 256],
])('%s slots on %d processors are %d', (text, processors, slots) => {
  expect(slotsOf(text, processors)).toBe(slots);
});

test.each(['', '0', '-1', '1.5', '257', 'all'])('"%s" is no number of slots', (text) => {
  expect(() => slotsOf(text, 2)).toThrow(`--slots takes 1 to 256 or auto, not "${text}".`);
});

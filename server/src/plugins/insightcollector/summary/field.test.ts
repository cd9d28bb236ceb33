import { expect, test } from 'vitest';
import { numberOf, readField, textOf } from './field.ts';

const item = {
  metadata: { name: 'a', labels: { 'x.y': 'dotted' } },
  test: { 'runs-on': ['linux', 'arm'], empty: '' },
  execution: { duration: 12.5 },
};

test.each([
  ['metadata.name', 'a'],
  ["metadata.labels['x.y']", 'dotted'],
  ['metadata.labels["x.y"]', 'dotted'],
  ['test.runs-on', 'linux, arm'],
  ['test.runs-on[1]', 'arm'],
  ['execution.duration', '12.5'],
  ['metadata', '{"name":"a","labels":{"x.y":"dotted"}}'],
  ['test.nothing', ''],
  ['test.nothing.below', ''],
  ['metadata.name.length', ''],
  ['test.constructor', ''],
  ['test.nothing || metadata.name', 'a'],
  ['test.empty || execution.none || execution.duration', '12.5'],
])('the field %s is %j', (text, expected) => {
  expect(textOf(readField(text)(item))).toBe(expected);
});

test.each(['', 'a b', 'a..b', 'a ||', '1', "a['", 'a && b', '<b>'])('%j is no field', (text) => {
  expect(() => readField(text)).toThrow('must be a field such as test.job, not "');
});

test.each([
  [1.5, 1.5],
  ['12', 12],
  ['', null],
  [null, null],
  [true, null],
  ['1x', null],
  [undefined, null],
  [Number.POSITIVE_INFINITY, null],
])('as a number %j is %j', (value, expected) => {
  expect(numberOf(value)).toBe(expected);
});

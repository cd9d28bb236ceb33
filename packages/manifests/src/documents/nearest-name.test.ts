import { expect, test } from 'vitest';
import { didYouMean, nearestName } from './nearest-name.ts';

const KEYS = ['runs-on', 'steps', 'needs', 'timeout-minutes', 'if'];

test.each([
  ['run-on', 'runs-on'],
  ['runs_on', 'runs-on'],
  ['runsOn', 'runs-on'],
  ['step', 'steps'],
  ['need', 'needs'],
  ['setps', 'steps'],
  ['fi', 'if'],
  ['timeout-minute', 'timeout-minutes'],
  ['banana', null],
  ['', null],
  ['x'.repeat(1000), null],
])('the nearest key of %j is %j', (name, expected) => {
  expect(nearestName(name, KEYS)).toBe(expected);
});

test('a message ends with the suggestion, or with nothing', () => {
  expect(didYouMean('stepps', KEYS)).toBe(', did you mean "steps"?');
  expect(didYouMean('banana', KEYS)).toBe('');
});

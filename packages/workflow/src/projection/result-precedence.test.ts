import { expect, test } from 'vitest';
import { resultPrecedence } from './result-precedence.ts';

type Given = readonly [
  order: number,
  status: 'SUCCESS' | 'FAILURE' | 'ERROR' | 'SKIPPED',
  'again'?,
];

const numberOf = ([order, status, again]: Given): number =>
  resultPrecedence(order, { status, ...(again === undefined ? {} : { 'tutti.attempt': true }) });

test.each<readonly [what: string, less: Given, more: Given]>([
  ['an error counts more than a failure', [0, 'FAILURE'], [0, 'ERROR']],
  ['a failure counts more than a success', [0, 'SUCCESS'], [0, 'FAILURE']],
  ['a success counts more than what was skipped', [0, 'SKIPPED'], [0, 'SUCCESS']],
  ['what was skipped counts more than an attempt', [0, 'ERROR', 'again'], [0, 'SKIPPED']],
  ['a later step counts more, whatever it says', [0, 'ERROR'], [1, 'SKIPPED']],
  ['an attempt of a later step counts more', [0, 'ERROR'], [1, 'FAILURE', 'again']],
  ['so it is after many attachments', [99_999, 'ERROR'], [100_000, 'SUCCESS']],
])('%s', (_, less, more) => {
  expect(numberOf(less)).toBeLessThan(numberOf(more));
});

test('attempts of one step count the same, so that the newest does', () => {
  expect(numberOf([3, 'ERROR', 'again'])).toBe(numberOf([3, 'SKIPPED', 'again']));
});

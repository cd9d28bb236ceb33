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
  ['what a later step ran counts more, whatever came of it', [0, 'ERROR'], [1, 'SUCCESS']],
  ['what a later step skipped counts less than a failure', [1, 'SKIPPED'], [0, 'FAILURE']],
  ['what a later step skipped counts less than a success', [9, 'SKIPPED'], [0, 'SUCCESS']],
  ['what a step ran counts more than what one before it skipped', [0, 'SKIPPED'], [1, 'SUCCESS']],
  ['of steps that skipped, the later one counts more', [0, 'SKIPPED'], [1, 'SKIPPED']],
  [
    'an attempt whose end is missing counts less than what ran',
    [1, 'FAILURE', 'again'],
    [0, 'ERROR'],
  ],
  [
    'an attempt counts more than what a step before it skipped',
    [0, 'SKIPPED'],
    [1, 'FAILURE', 'again'],
  ],
  ['so it is after many attachments', [99_999, 'ERROR'], [100_000, 'SUCCESS']],
])('%s', (_, less, more) => {
  expect(numberOf(less)).toBeLessThan(numberOf(more));
});

test('attempts of one step count the same, so that the newest does', () => {
  expect(numberOf([3, 'ERROR', 'again'])).toBe(numberOf([3, 'SKIPPED', 'again']));
});

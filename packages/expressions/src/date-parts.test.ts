import { expect, test } from 'vitest';
import { datePart } from './date-parts.ts';

test.each([
  ['2024-12-30', 1],
  ['2026-01-01', 1],
  ['2027-01-03', 53],
  ['2027-01-04', 1],
  ['2020-12-31', 53],
  ['2016-02-29', 9],
  ['0001-01-01', 1],
])('the week of %s is %i', (text, week) => {
  expect(datePart(text, 'week')).toBe(week);
});

test.each([
  '',
  'today',
  '2026-1-31',
  '2026-13-01',
  '2026-00-01',
  '2026-02-29',
  '2026-04-31',
  '2026-01-00',
  '2026-01-31T24:00',
  '2026-01-31T12:60',
  '2026-01-31T12:00:60',
  '2026-01-31T',
  '2026-01-31 12',
  '2026-01-31Z',
])('%j is no date and has no parts', (text) => {
  expect(datePart(text, 'year')).toBe('');
  expect(datePart(text, 'week')).toBe('');
});

test('a zone shifts nothing', () => {
  expect(datePart('2026-01-31T23:30:00-05:00', 'day')).toBe(31);
  expect(datePart('2026-01-31T23:30:00+0530', 'hour')).toBe(23);
});

test('years before 100 are meant as they are written', () => {
  expect(datePart('0050-06-15', 'year')).toBe(50);
});

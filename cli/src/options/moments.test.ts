import { expect, test } from 'vitest';
import { readEnd, readMoment } from './moments.ts';

const NOW = Date.UTC(2026, 0, 31, 12);

test.each([
  ['5m', '2026-01-31T11:55:00.000Z'],
  ['2h', '2026-01-31T10:00:00.000Z'],
  ['2026-01-30', '2026-01-30T00:00:00.000Z'],
  ['2026-01-30T08:30', '2026-01-30T08:30:00.000Z'],
  ['2026-01-30 08:30:15', '2026-01-30T08:30:15.000Z'],
  ['2026-01-30T08:30:00+01:00', '2026-01-30T07:30:00.000Z'],
])('%s is %s', (text, expected) => {
  expect(new Date(readMoment(text)(NOW)).toISOString()).toBe(expected);
});

test('the end of something is in that time, or at a date', () => {
  expect(new Date(readEnd('7d')(NOW)).toISOString()).toBe('2026-02-07T12:00:00.000Z');
  expect(new Date(readEnd('2026-02-01')(NOW)).toISOString()).toBe('2026-02-01T00:00:00.000Z');
  expect(() => readEnd('soon')).toThrow('Not a time: "soon".');
});

test.each(['', 'yesterday', '5', '12:00', '2026-13-01', '2026-02-30', '2025-02-29T12:00', '2026-01-31Tnoon'])('"%s" is no time', (text) => {
  expect(() => readMoment(text)).toThrow(`Not a time: "${text}".`);
}); // biome-ignore format: one line for what is no time

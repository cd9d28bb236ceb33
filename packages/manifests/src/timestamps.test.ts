import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatTimestamp, parseTimestamp } from './timestamps.ts';

test.each([
  [0, '1970-01-01T00:00:00.000000'],
  [1.5, '1970-01-01T00:00:00.001500'],
  [999.9999, '1970-01-01T00:00:00.999999'],
  [1_000, '1970-01-01T00:00:01.000000'],
  [-1, '1969-12-31T23:59:59.999000'],
  [951_782_400_000, '2000-02-29T00:00:00.000000'],
])('%f ms after 1970 is %s', (epochMs, text) => {
  expect(formatTimestamp(epochMs)).toBe(text);
});

test.each([
  ['2026-01-31T12:34:56.123456', Date.UTC(2026, 0, 31, 12, 34, 56) + 123.456],
  ['2026-01-31T12:34:56.123', Date.UTC(2026, 0, 31, 12, 34, 56) + 123],
  ['2026-01-31 12:34', Date.UTC(2026, 0, 31, 12, 34)],
  ['2026-01-31T12:34:56Z', Date.UTC(2026, 0, 31, 12, 34, 56)],
  ['2026-01-31T12:34:56.5+02:00', Date.UTC(2026, 0, 31, 10, 34, 56) + 500],
])('%s is read', (text, epochMs) => {
  expect(parseTimestamp(text)).toBeCloseTo(epochMs, 3);
});

test.each(['', 'soon', '2026-13-01T00:00:00.000000', '2026-01-31', '2026-01-31T12:34:56.123456 '])(
  '%o is no timestamp',
  (text) => {
    expect(parseTimestamp(text)).toBeNull();
  },
);

test('every text of ours is the same again', () => {
  const milliseconds = fc.integer({ min: 0, max: 4_102_444_800_000 });
  fc.assert(
    fc.property(milliseconds, fc.nat(999), (whole, micros) => {
      const text = `${new Date(whole).toISOString().slice(0, 23)}${String(micros).padStart(3, '0')}`;
      expect(formatTimestamp(parseTimestamp(text) ?? 0)).toBe(text);
    }),
  );
});

test('whatever is formatted is read again, in any order of times', () => {
  const milliseconds = fc.integer({ min: 0, max: 4_102_444_800_000 });
  fc.assert(
    fc.property(milliseconds, fc.nat(999), (whole, micros) => {
      const text = formatTimestamp(whole + micros / 1000);
      expect(text.slice(0, 19)).toBe(new Date(whole).toISOString().slice(0, 19));
      expect(Math.abs((parseTimestamp(text) ?? 0) - whole - micros / 1000)).toBeLessThan(0.0015);
    }),
  );
});

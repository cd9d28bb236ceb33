import { expect, test } from 'vitest';
import { LOG_PAGE_BYTES, logPageOf } from './log-pages.ts';
import { ROWS_PER_RUN, rowId, rowIdRange } from './row-ids.ts';

test('keys of a run lie in its range and next to each other', () => {
  const { first, last } = rowIdRange(7);
  expect([rowId(7, 0), rowId(7, 1), rowId(7, ROWS_PER_RUN - 1)]).toEqual([first, first + 1, last]);
  expect(rowIdRange(8).first).toBe(last + 1);
});

test('keys stay exact up to the last run', () => {
  expect(Number.isSafeInteger(rowIdRange(2 ** 29 - 1).last)).toBe(true);
});

test('a run that has used up its numbers is refused', () => {
  expect(() => rowId(1, ROWS_PER_RUN)).toThrow(`more than ${ROWS_PER_RUN}`);
});

test.each([
  [0, 0, 0],
  [LOG_PAGE_BYTES - 1, 0, LOG_PAGE_BYTES - 1],
  [LOG_PAGE_BYTES, 1, 0],
  [LOG_PAGE_BYTES * 3 + 5, 3, 5],
])('byte %i of a log is on page %i at %i', (offset, page, within) => {
  expect(logPageOf(offset)).toEqual({ page, within });
});

/** Points in time as users write them: so long ago, in so long, or a date. */
import { parseTimestamp } from '@tutti/manifests';
import { UsageError } from '../terminal/problem.ts';
import { readDuration } from './option-values.ts';

/** A moment that may depend on the present; both are milliseconds since 1970. */
export type Moment = (nowMs: number) => number;

/** `5m` is that long ago. `2026-01-31`, `2026-01-31T12:00`: a time in UTC, like the server's times, unless it has a zone. */
export const readMoment = (text: string): Moment => readTime(text, -1, PAST);

/** `7d` is in that time. Dates are as those of `readMoment`. */
export const readEnd = (text: string): Moment => readTime(text, 1, FUTURE);

function readTime(text: string, sign: 1 | -1, hint: string): Moment {
  const isDate = /^\d{4}-\d{2}-\d{2}/.test(text.trim());
  if (!isDate) {
    const differenceMs = sign * readDifference(text, hint);
    return (nowMs) => nowMs + differenceMs;
  }
  const date = text.trim();
  const at = isOfCalendar(date.slice(0, 10))
    ? parseTimestamp(date.length === 10 ? `${date}T00:00` : date)
    : null;
  if (at === null) throw new UsageError(`Not a time: "${text}".`, hint);
  return () => at;
}

/** `Date` would turn an invalid date into one of the next month. */
function isOfCalendar(day: string): boolean {
  const at = Date.parse(day);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

const DATE = 'or a date, as in 2026-01-31T12:00 (UTC unless it ends in a zone).';
const PAST = `write how long ago it was, as in 5m or 2h, ${DATE}`;
const FUTURE = `write how long it lasts, as in 12h or 7d, ${DATE}`;

function readDifference(text: string, hint: string): number {
  try {
    return readDuration(text);
  } catch {
    throw new UsageError(`Not a time: "${text}".`, hint);
  }
}

/** Points in time as users write them: so long ago, or a date. */
import { parseTimestamp } from '@tutti/manifests';
import { UsageError } from '../terminal/problem.ts';
import { readDuration } from './option-values.ts';

/** A moment that may depend on the present; both are milliseconds since 1970. */
export type Moment = (nowMs: number) => number;

/** `5m` is that long ago. `2026-01-31`, `2026-01-31T12:00`: a time in UTC, like the server's times, unless it has a zone. */
export function readMoment(text: string): Moment {
  const isDate = /^\d{4}-\d{2}-\d{2}/.test(text.trim());
  if (!isDate) {
    const agoMs = readAgo(text);
    return (nowMs) => nowMs - agoMs;
  }
  const date = text.trim();
  const at = isOfCalendar(date.slice(0, 10))
    ? parseTimestamp(date.length === 10 ? `${date}T00:00` : date)
    : null;
  if (at === null) throw new UsageError(`Not a time: "${text}".`, HINT);
  return () => at;
}

/** `Date` would turn an invalid date into one of the next month. */
function isOfCalendar(day: string): boolean {
  const at = Date.parse(day);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

const HINT =
  'write how long ago it was, as in 5m or 2h, or a date, as in 2026-01-31T12:00 (UTC unless it ends in a zone).';

function readAgo(text: string): number {
  try {
    return readDuration(text);
  } catch {
    throw new UsageError(`Not a time: "${text}".`, HINT);
  }
}

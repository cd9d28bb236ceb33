/** The parts of an ISO 8601 date that the date functions give (wire facts 6.4). */

interface DateParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

type DatePart = keyof DateParts | 'week' | 'dayOfWeek' | 'dayOfWeekISO';

const ISO_DATE =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?$/i;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * One part of a date, as it is written (a zone shifts nothing). Empty for a text that is no date. `week` and `dayOfWeekISO` (1 to 7 from
 * Monday) are those of ISO 8601, `dayOfWeek` is 0 to 6 from Sunday.
 */
export function datePart(text: unknown, part: DatePart): number | '' {
  const date = typeof text === 'string' ? parseDate(text.trim()) : null;
  if (date === null) return '';
  switch (part) {
    case 'week':
      return weekOf(date);
    case 'dayOfWeek':
      return weekdayOf(date) % 7;
    case 'dayOfWeekISO':
      return weekdayOf(date);
    default:
      return date[part];
  }
}

function parseDate(text: string): DateParts | null {
  const match = ISO_DATE.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((digits: string | undefined) => Number(digits ?? 0));
  const date = { year, month, day, hour, minute, second };
  return isPossible(date) ? date : null;
}

function isPossible(date: DateParts): boolean {
  const midnight = new Date(midnightOf(date));
  const isDay = midnight.getUTCMonth() + 1 === date.month && midnight.getUTCDate() === date.day;
  return isDay && date.hour < 24 && date.minute < 60 && date.second < 60;
}

/** Milliseconds since 1970, in the zone of the date. */
function midnightOf({ year, month, day }: DateParts): number {
  // Not the arguments of `Date.UTC`, which takes the years 0 to 99 for 1900 to 1999.
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

/** 1 to 7 from Monday. */
function weekdayOf(date: DateParts): number {
  return new Date(midnightOf(date)).getUTCDay() || 7;
}

/** A week belongs to the year of its Thursday. */
function weekOf(date: DateParts): number {
  const thursday = midnightOf(date) + (4 - weekdayOf(date)) * DAY_MS;
  const newYear = new Date(0).setUTCFullYear(new Date(thursday).getUTCFullYear(), 0, 1);
  return 1 + Math.floor((thursday - newYear) / (7 * DAY_MS));
}

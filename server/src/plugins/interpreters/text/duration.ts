/** Times of reports, in milliseconds. */
import { testDuration } from '@tutti/manifests';

const THOUSANDS = /^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/;
const PLAIN = /^\d+(?:\.\d*)?$/;

/**
 * Milliseconds of a time in seconds. Some writers group thousands (`1,234.5`), some use a decimal comma (`0,005`). Other texts
 * are 0.
 */
export function parseSeconds(text: string | undefined): number {
  if (text === undefined) return 0;
  if (PLAIN.test(text)) return milliseconds(Number(text) * 1000);
  const trimmed = text.trim();
  const isGrouped = THOUSANDS.test(trimmed) && !trimmed.startsWith('0');
  const seconds = Number(isGrouped ? trimmed.replaceAll(',', '') : trimmed.replace(',', '.'));
  return milliseconds(seconds * 1000);
}

/** Rounded to microseconds; an invalid duration is 0. */
export function milliseconds(value: number): number {
  return Math.round(testDuration(value) * 1000) / 1000;
}

/** Timestamps of the interface (specification part 2): ISO 8601, UTC, no zone, microseconds. */
import type { Brand } from './ids.ts';

/** `2026-01-31T12:34:56.123456` */
export type Timestamp = Brand<string, 'Timestamp'>;

/** Formats a time given in milliseconds since 1970 (fractions are kept down to the microsecond). */
export function formatTimestamp(epochMs: number): Timestamp {
  const whole = Math.floor(epochMs);
  const micros = Math.min(999, Math.floor((epochMs - whole) * 1000));
  const iso = new Date(whole).toISOString();
  return `${iso.slice(0, 23)}${String(micros).padStart(3, '0')}` as Timestamp;
}

const TIMESTAMP =
  /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Milliseconds since 1970 of a timestamp with or without a zone (without one it is UTC), with the microseconds as a
 * fraction; null when the text is no timestamp.
 */
export function parseTimestamp(text: string): number | null {
  const match = TIMESTAMP.exec(text);
  if (match === null) return null;
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  const withoutFraction = text.replace(/\.\d+/, '').replace(' ', 'T');
  const epochMs = Date.parse(match[1] === undefined ? `${withoutFraction}Z` : withoutFraction);
  return Number.isNaN(epochMs) ? null : epochMs + Number(`0.${fraction || '0'}`) * 1000;
}

/** Timestamps of the interface (specification part 2): ISO 8601, UTC, no zone, microseconds. */
import type { Brand } from './ids.ts';

/** `2026-01-31T12:34:56.123456` */
export type Timestamp = Brand<string, 'Timestamp'>;

/** Formats milliseconds since 1970, rounded to the nearest microsecond: a fraction from a text is not exact. */
export function formatTimestamp(epochMs: number): Timestamp {
  const whole = Math.floor(epochMs);
  const micros = Math.min(999, Math.round((epochMs - whole) * 1000));
  const ofSecond = (((whole % 1000) + 1000) % 1000) * 1000 + micros;
  return `${secondOf(whole)}.${String(ofSecond).padStart(6, '0')}` as Timestamp;
}

let lastSecond = { at: Number.NaN, text: '' };

/** `2026-01-31T12:34:56`. It keeps the last result: many times of one second follow each other, and a calendar is slow. */
function secondOf(epochMs: number): string {
  const at = Math.floor(epochMs / 1000);
  if (lastSecond.at !== at) {
    lastSecond = { at, text: new Date(at * 1000).toISOString().slice(0, 19) };
  }
  return lastSecond.text;
}

/** The form that `formatTimestamp` writes. Nearly all timestamps that are read have it. */
const OWN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}$/;

function parseOwn(text: string): number | null {
  const epochMs = Date.parse(`${text.slice(0, 23)}Z`);
  return Number.isNaN(epochMs) ? null : epochMs + Number(text.slice(23)) / 1000;
}

const TIMESTAMP =
  /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Milliseconds since 1970 of a timestamp, with the microseconds as a fraction. A timestamp without a zone is UTC. Null for a text that is
 * no timestamp.
 */
export function parseTimestamp(text: string): number | null {
  if (OWN.test(text)) return parseOwn(text);
  const match = TIMESTAMP.exec(text);
  if (match === null) return null;
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  const withoutFraction = text.replace(/\.\d+/, '').replace(' ', 'T');
  const epochMs = Date.parse(match[1] === undefined ? `${withoutFraction}Z` : withoutFraction);
  return Number.isNaN(epochMs) ? null : epochMs + Number(`0.${fraction || '0'}`) * 1000;
}

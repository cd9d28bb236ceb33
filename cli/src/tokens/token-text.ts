/** Prints a token for people: its claims, expiry, and rights. */
import type { Claims, DecodedToken } from './token-signature.ts';

/** `name  value` lines. */
export function tokenLines({ header, claims }: DecodedToken, nowMs: number): readonly string[] {
  const { iss, sub, iat, nbf, exp, tutti, ...others } = claims;
  const keyId = header.kid === undefined ? '' : ` (key ${String(header.kid)})`;
  const scope = scopeOf(tutti);
  const rows: readonly (readonly [name: string, value: string | null])[] = [
    ['Subject', textOf(sub) ?? 'none'],
    ['Issuer', textOf(iss) ?? 'none'],
    ['Algorithm', `${String(header.alg)}${keyId}`],
    ['Issued', timeOf(iat)],
    ['Valid from', timeOf(nbf)],
    ['Expires', expiryText(exp, nowMs)],
    ['Namespaces', scope === null ? null : listText(scope.namespaces, 'all that its key reaches')],
    ['Resources', scope === null ? null : listText(scope.resources, 'all')],
    ['Verbs', scope === null ? null : listText(scope.verbs, 'all')],
    ['Restrictions', scope === null ? `cannot be read: ${JSON.stringify(tutti)}` : null],
    ...Object.entries(others).map(([name, value]) => [name, JSON.stringify(value)] as const),
  ];
  const shown = rows.filter(([, value]) => value !== null);
  const width = Math.max(...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Null if the restrictions have another form. */
function scopeOf(claim: unknown): Claims | null {
  if (claim === undefined) return {};
  const isObject = typeof claim === 'object' && claim !== null && !Array.isArray(claim);
  return isObject ? { ...claim } : null;
}

const listText = (list: unknown, absent: string): string => {
  if (list === undefined) return absent;
  return Array.isArray(list) ? list.join(', ') || 'none' : JSON.stringify(list);
};

/** `2026-11-23 02:11:02 UTC`; null without the claim. */
function timeOf(seconds: unknown): string | null {
  if (seconds === undefined) return null;
  const time = new Date(Number(seconds) * 1000);
  if (typeof seconds !== 'number' || Number.isNaN(time.getTime())) return JSON.stringify(seconds);
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** The time of expiry, and how far it is from now. */
export function expiryText(exp: unknown, nowMs: number): string {
  const time = timeOf(exp);
  if (time === null) return 'never';
  if (typeof exp !== 'number') return time;
  const leftMs = exp * 1000 - nowMs;
  return leftMs > 0 ? `${time}, in ${spanText(leftMs)}` : `${time}, ${spanText(-leftMs)} ago`;
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** A time span in the largest unit of which there are two: `3 days`, `30 hours`. */
export function spanText(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms >= 2 * one) ?? (['second', 1_000] as const);
  const count = Math.floor(ms / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

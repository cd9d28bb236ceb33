/** Amounts of money are whole cents, so that sums are exact. */

/** Reads `12`, `12.5` or `12.50` as cents. */
export function parseAmount(text) {
  const match = /^(\d+)(?:\.(\d{1,2}))?$/.exec(text.trim());
  if (match === null) throw new RangeError(`Not an amount: "${text}".`);
  const [, whole, fraction = ''] = match;
  return Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
}

/** Writes cents as `12.50`. */
export function formatAmount(cents) {
  const sign = cents < 0 ? '-' : '';
  const absolute = Math.abs(cents);
  return `${sign}${Math.floor(absolute / 100)}.${String(absolute % 100).padStart(2, '0')}`;
}

/** A percentage of an amount, rounded to the nearest cent. */
export function percentageOf(cents, percent) {
  return Math.round((cents * percent) / 100);
}

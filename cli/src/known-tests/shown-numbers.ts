/** Rates and durations as people read them. */
import { NOTHING } from '../resources/value-path.ts';

/** One digit, and two for small ones: 0.04 %, 2.4 %, 31 %. */
export function percentOf(rate: unknown): string {
  if (typeof rate !== 'number') return NOTHING;
  const percent = rate * 100;
  if (percent === 0) return '0 %';
  const digits = percent < 1 ? 2 : percent < 10 ? 1 : 0;
  return `${percent.toFixed(digits)} %`;
}

/** Durations of tests, as test cases have them. */
export const millisecondsOf = (duration: unknown): string =>
  typeof duration === 'number' ? `${Math.round(duration)} ms` : NOTHING;

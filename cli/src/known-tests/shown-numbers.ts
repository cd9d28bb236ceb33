/** Rates and durations as people read them. */
import { NOTHING } from '../resources/value-path.ts';

/** Two digits mostly: 0.04 %, 2.4 %, 31 %. Only 1 is shown as 100 %. */
export function percentOf(rate: unknown): string {
  if (typeof rate !== 'number') return NOTHING;
  const percent = rate * 100;
  if (percent === 0) return '0 %';
  if (percent < 0.01) return '<0.01 %';
  if (percent > 99.9 && percent < 100) return '>99.9 %';
  const digits = percent < 1 ? 2 : percent < 10 ? 1 : 0;
  return `${percent.toFixed(digits)} %`;
}

/** Durations of tests, as test cases have them. */
export const millisecondsOf = (duration: unknown): string =>
  typeof duration === 'number' ? `${Math.round(duration)} ms` : NOTHING;

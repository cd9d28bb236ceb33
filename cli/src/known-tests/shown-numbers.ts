/** Rates and durations as people read them. */
import { formatShare } from '@tutti/run-view/text';
import { NOTHING } from '../resources/value-path.ts';

export const percentOf = (rate: unknown): string =>
  typeof rate === 'number' ? formatShare(rate) : NOTHING;

/** Durations of tests, as test cases have them. */
export const millisecondsOf = (duration: unknown): string =>
  typeof duration === 'number' ? `${Math.round(duration)} ms` : NOTHING;

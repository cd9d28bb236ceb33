/** Rates and durations of tests. */
import { formatDuration, formatShare } from '@tutti/run-view/text';
import type { FailureRate } from '../../data/tests.ts';
import styles from './tests.module.css';

/** `3.3 % (0.9 to 11 %) of 60`: the rate with its 95 % interval. */
export function Rate({ failures }: { readonly failures: FailureRate | null }) {
  if (failures === null) return <span className={styles.muted}>none counted</span>;
  const { of, rate } = failures;
  return (
    <>
      {formatShare(rate)}{' '}
      <span className={styles.muted}>
        ({intervalOf(failures)}) of {of}
      </span>
    </>
  );
}

/** `0.9 to 11 %` */
export const intervalOf = ({ interval: [low, high] }: FailureRate): string =>
  `${formatShare(low).replace(' %', '')} to ${formatShare(high)}`;

/** Most tests take less than a second. */
export const testDuration = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : formatDuration(ms);

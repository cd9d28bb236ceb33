/** The first failure of a run in one line: where, and what it said. */
import { cleanLine } from '@tutti/run-view/text';
import type { FirstFailure } from '../data/runs.ts';
import styles from './failure-text.module.css';

export function FailureText({ failure }: { readonly failure: FirstFailure | null }) {
  if (failure === null) return null;
  const place = [failure.job, failure.step].filter((part) => part !== null).join(' / ');
  return (
    <span className={styles.failure}>
      {place !== '' && <span className={styles.place}>{cleanLine(place)}</span>}
      <span>{cleanLine(failure.message)}</span>
    </span>
  );
}

/** Advice for the jobs that wait, each once. */
import { cleanLine } from '@tutti/run-view/text';
import type { WaitingJob } from '../../data/queue.ts';
import { Band } from '../../parts/band.tsx';
import styles from './queue.module.css';

export function Advice({ jobs }: { readonly jobs: readonly WaitingJob[] }) {
  const advice = Map.groupBy(
    jobs.filter(({ help }) => help !== null),
    ({ help }) => help ?? '',
  );
  if (advice.size === 0) return null;
  return (
    <Band title="What would help">
      <ul className={styles.advice}>
        {[...advice].map(([help, { length }]) => (
          <li key={help}>
            <span>{cleanLine(help)}</span>
            <span className={styles.count}>
              for {length} {length === 1 ? 'job' : 'jobs'}
            </span>
          </li>
        ))}
      </ul>
    </Band>
  );
}

/** Counts of jobs by state, as a bar and in words. */
import styles from './counts.module.css';
import type { JobPart } from './run-context.ts';

const PARTS = [
  ['failed', 'failed'],
  ['canceled', 'canceled'],
  ['running', 'running'],
  ['waiting', 'waiting'],
  ['skipped', 'skipped'],
  ['succeeded', 'succeeded'],
] as const;

export function Counts({ counts }: { readonly counts: NonNullable<JobPart['jobs']> }) {
  const present = PARTS.filter(([name]) => counts[name] > 0);
  return (
    <span className={styles.counts}>
      <span className={styles.bar} aria-hidden>
        {present.map(([name]) => (
          <span key={name} data-state={name} style={{ flexGrow: counts[name] }} />
        ))}
      </span>
      <span>{present.map(([name, word]) => `${counts[name]} ${word}`).join(', ')}</span>
    </span>
  );
}

/** Bars of counts: jobs of a run by state, tests by outcome. The words beside them say the same. */
import type { JobCounts, TestCounts } from '../data/runs.ts';
import styles from './bar.module.css';

type Part = readonly [state: string, count: number];

function Bar({ parts, label }: { readonly parts: readonly Part[]; readonly label: string }) {
  const total = parts.reduce((sum, [, count]) => sum + count, 0);
  return (
    <svg
      className={styles.bar}
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <rect className={styles.rest} x={0} y={0} width={100} height={6} />
      {placed(parts, total).map(({ state, x, width }) => (
        <rect key={state} className={styles[state]} x={x} y={0} width={width} height={6} />
      ))}
    </svg>
  );
}

function placed(parts: readonly Part[], total: number) {
  let x = 0;
  return parts.flatMap(([state, count]) => {
    if (count === 0 || total === 0) return [];
    const width = (count / total) * 100;
    const begin = x;
    x += width;
    return [{ state, x: begin, width }];
  });
}

/** `3 of 5 done, 1 failed` and a bar. */
export function JobsBar({ jobs }: { readonly jobs: JobCounts | null }) {
  if (jobs === null) return <span className={styles.none}>not known yet</span>;
  const { total, waiting, running, succeeded, failed, skipped, canceled } = jobs;
  const done = total - waiting - running;
  const text = `${done} / ${total}`;
  const label = `${done} of ${total} jobs are over, ${failed} failed, ${running} running, ${waiting} waiting`;
  return (
    <span className={styles.counts}>
      <Bar
        label={label}
        parts={[
          ['failed', failed],
          ['succeeded', succeeded],
          ['canceled', canceled],
          ['skipped', skipped],
          ['running', running],
          ['waiting', waiting],
        ]}
      />
      <span aria-hidden>{text}</span>
    </span>
  );
}

/** `2 failed of 340`, or the number of tests. */
export function TestsText({ tests }: { readonly tests: TestCounts }) {
  const total = tests.success + tests.failure + tests.error + tests.skipped;
  if (total === 0) return <span className={styles.none}>no tests</span>;
  const failed = tests.failure + tests.error;
  return (
    <span>
      {failed > 0 && <strong className={styles.bad}>{failed} failed</strong>}
      {failed > 0 ? ` / ${total}` : total}
    </span>
  );
}

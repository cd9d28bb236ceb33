/** A time that counts on until the shown moment. */
import { parseTimestamp } from '@tutti/manifests';
import { formatDuration } from '@tutti/run-view/text';
import { useSecond } from '../../data/second.ts';
import styles from './part.module.css';
import { useRun } from './run-context.ts';

/** Time since a moment, until the shown one. */
export function Elapsed({ since }: { readonly since: string | null }) {
  const { doc, isPast } = useRun();
  const now = useSecond();
  const from = parseTimestamp(since ?? '');
  const until = isPast ? parseTimestamp(doc.at ?? '') : now;
  if (from === null || until === null) return null;
  return <span className={styles.elapsed}>{formatDuration(Math.max(0, until - from))}</span>;
}

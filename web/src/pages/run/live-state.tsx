/** Whether the page shows the run as it is now. */

import type { RunLink } from '../../data/run-stream.ts';
import { useSecond } from '../../data/second.ts';
import styles from './run.module.css';

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export function LiveState({ link }: { readonly link: RunLink }) {
  return (
    <span className={styles.live} data-phase={link.phase} role="status">
      <span className={styles.dot} aria-hidden />
      {link.phase === 'lost' ? <Lost link={link} /> : WORDS[link.phase]}
    </span>
  );
}

const WORDS = {
  opening: 'loading',
  live: 'live',
  ended: 'complete',
  failed: 'not live',
} as const;

function Lost({ link }: { readonly link: Extract<RunLink, { phase: 'lost' }> }) {
  const now = useSecond();
  const seconds = Math.max(0, Math.ceil((link.retryAt - now) / 1000));
  return (
    <>
      not live since {CLOCK.format(link.since)}, retrying
      {/* A countdown would be read out each second. */}
      <span aria-hidden>{seconds === 0 ? ' now' : ` in ${seconds} s`}</span>
    </>
  );
}

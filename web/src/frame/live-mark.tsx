/** Says whether the page is live. */
import { useLostSince } from '../data/live.ts';
import styles from './frame.module.css';

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export function LiveMark() {
  const lostSince = useLostSince();
  return (
    <span role="status" className={lostSince === null ? styles.live : styles.lost}>
      {lostSince === null ? 'live' : `not live since ${CLOCK.format(lostSince)}, retrying`}
    </span>
  );
}

/** The newest outcomes of a test as a row of boxes, the newest last. Failed ones are taller, so that colour is not the only sign. */
import styles from './outcome-strip.module.css';

const BOX = 5;
const HIGH = 16;

interface StripProps {
  /** `S` passed, `F` failed. */
  readonly letters: string;
  /** Older outcomes are left out. */
  readonly max: number;
}

export function OutcomeStrip({ letters, max }: StripProps) {
  const shown = letters.slice(-max);
  if (shown === '') return null;
  const failed = [...shown].filter((letter) => letter === 'F').length;
  const newest = shown.endsWith('F') ? 'failed' : 'passed';
  return (
    <svg
      className={styles.strip}
      viewBox={`0 0 ${shown.length * BOX} ${HIGH}`}
      width={shown.length * BOX}
      height={HIGH}
      role="img"
      aria-label={`${failed} of the last ${shown.length} failed, the newest ${newest}`}
    >
      <path className={styles.passed} d={boxes(shown, 'S', HIGH / 2)} />
      <path className={styles.failed} d={boxes(shown, 'F', HIGH)} />
    </svg>
  );
}

const boxes = (letters: string, wanted: string, height: number): string =>
  [...letters]
    .flatMap((letter, at) =>
      letter === wanted ? `M${at * BOX} ${HIGH}v${-height}h${BOX - 1}v${height}z` : [],
    )
    .join('');

/** Causes of the failures of a test, over all runs. Nothing where it never failed. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { cleanLine } from '@tutti/run-view/text';
import { causesQuery } from '../../data/causes.ts';
import { Band } from '../../parts/band.tsx';
import { PathLink, pathOfCause } from '../../parts/path-link.tsx';
import { Ago } from '../../parts/times.tsx';
import styles from './tests.module.css';

const SHOWN = 5;

export function TestCauses({ testId }: { readonly testId: string }) {
  const { data } = useQuery(causesQuery({ test: testId }, 0, SHOWN));
  if (data === undefined || data.items.length === 0) return null;
  return (
    <Band title="Causes" count={data.total} more={<Link to="/causes">All causes</Link>}>
      <ul className={styles.variants}>
        {data.items.map(({ metadata: { id, name, lastSeen } }) => (
          <li key={id}>
            <PathLink path={pathOfCause(id)}>{cleanLine(name) || 'No message'}</PathLink>
            <span className={styles.muted}>
              last seen <Ago at={lastSeen} />
            </span>
          </li>
        ))}
      </ul>
    </Band>
  );
}

/** Tests that fail in one run and not in the other. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Placeholder, Problem } from '../../parts/states.tsx';
import { Part } from '../run/part.tsx';
import { messageOf, type TestCaseItem, testCasesQuery } from '../run/test-cases.tsx';
import styles from './compare.module.css';

const FAILURES_MAX = 1_000;
const SHOWN = 100;

/** Test cases are the same if their job and name are. */
const keyOf = ({ test, metadata }: TestCaseItem): string =>
  JSON.stringify([test.job, metadata.name]);

export function TestDifferences({ a, b }: { readonly a: string; readonly b: string }) {
  const filter = { outcome: 'failure', perPage: FAILURES_MAX };
  const before = useQuery(testCasesQuery(a, filter));
  const after = useQuery(testCasesQuery(b, filter));
  const error = before.error ?? after.error;
  if (error !== null) return <Problem error={error} />;
  if (before.data === undefined || after.data === undefined) return <Placeholder />;
  const earlier = before.data.items ?? [];
  const later = after.data.items ?? [];
  const [failedBefore, failedAfter] = [new Set(earlier.map(keyOf)), new Set(later.map(keyOf))];
  const groups = [
    ['Fail only after', b, later.filter((item) => !failedBefore.has(keyOf(item)))],
    ['Fail only before', a, earlier.filter((item) => !failedAfter.has(keyOf(item)))],
    ['Fail in both', b, later.filter((item) => failedBefore.has(keyOf(item)))],
  ] as const;
  const isCut = earlier.length >= FAILURES_MAX || later.length >= FAILURES_MAX;
  return (
    <Part title="Tests">
      {earlier.length + later.length === 0 && <p>No test failed in either run.</p>}
      {isCut && <p>Only the first {FAILURES_MAX} failed tests of each run are compared.</p>}
      {groups.map(([title, runId, items]) =>
        items.length === 0 ? null : (
          <section key={title} aria-label={title}>
            <h3>
              {title}: {items.length}
            </h3>
            <ul className={styles.list}>
              {items.slice(0, SHOWN).map((item) => (
                <li key={item.metadata.id}>
                  <Link
                    to="/runs/$runId/tests"
                    params={{ runId }}
                    search={{ outcome: 'failure', test: item.metadata.id }}
                    className={styles.name ?? ''}
                  >
                    <bdi>{item.metadata.name}</bdi>
                  </Link>
                  <span className={styles.message}>{messageOf(item).split('\n')[0]}</span>
                </li>
              ))}
            </ul>
            {items.length > SHOWN && <p>{items.length - SHOWN} more</p>}
          </section>
        ),
      )}
    </Part>
  );
}

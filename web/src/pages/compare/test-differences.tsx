/** Test cases whose results differ between two runs, as the server compares them. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatDuration } from '@tutti/run-view/text';
import { ask, runPath } from '../../data/api.ts';
import { type TestCaseItem, testCasesQuery } from '../../data/test-cases.ts';
import { Mark } from '../../parts/mark.tsx';
import { Placeholder, Problem } from '../../parts/states.tsx';
import { Part } from '../run/part.tsx';
import { messageOf, outcomeMark } from '../run/test-cases.tsx';
import styles from './compare.module.css';

interface Result {
  readonly outcome: string;
  /** Milliseconds. */
  readonly duration: number;
}

/** A test case of one run or both. */
interface Row {
  readonly job: string;
  readonly suite: string;
  readonly name: string;
  readonly before: Result | null;
  readonly after: Result | null;
}

const LISTS = {
  newly_failed: 'Newly failed',
  still_failing: 'Still failing',
  fixed: 'Fixed',
  slower: 'Slower',
  new: 'New',
  gone: 'Gone',
} as const;
type ListName = keyof typeof LISTS;
const NAMES = Object.keys(LISTS) as readonly ListName[];

type Compared = Readonly<
  Record<ListName, { readonly items: readonly Row[]; readonly total: number }>
>;

const SHOWN = 100;
/** Failures whose messages are shown. */
const MESSAGES_MAX = 200;

/** Test cases are the same if job, suite and name are. */
const keyOf = ({ job, suite, name }: Pick<Row, 'job' | 'suite' | 'name'>): string =>
  JSON.stringify([job, suite, name]);

/** The failed test cases of a run, for their messages. */
function useFailures(runId: string): ReadonlyMap<string, TestCaseItem> {
  const { data } = useQuery(testCasesQuery(runId, { outcome: 'failure', perPage: MESSAGES_MAX }));
  return new Map(
    (data?.items ?? []).map((item) => {
      const { job, suiteName: suite, testCaseName: name } = item.test;
      return [keyOf({ job, suite, name }), item];
    }),
  );
}

export function TestDifferences({ a, b }: { readonly a: string; readonly b: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['compare', a, b],
    queryFn: ({ signal }) =>
      ask<Compared>({ path: runPath(b, '/compare'), query: { with: a }, signal }),
  });
  const failures = useFailures(b);
  if (error !== null) return <Problem error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <Placeholder />;
  const lists = NAMES.filter((name) => data[name].total > 0);
  return (
    <Part title="Tests">
      {lists.length === 0 && <p>All tests have the same results, and no test became slower.</p>}
      {lists.map((name) => (
        <section key={name} aria-label={LISTS[name]}>
          <h3>
            {LISTS[name]}: {data[name].total}
          </h3>
          <ul className={styles.list}>
            {data[name].items.slice(0, SHOWN).map((row) => (
              <TestRow
                key={keyOf(row)}
                row={row}
                runId={row.after === null ? a : b}
                failure={failures.get(keyOf(row))}
              />
            ))}
          </ul>
          {data[name].total > SHOWN && <p>{data[name].total - SHOWN} more</p>}
        </section>
      ))}
    </Part>
  );
}

interface TestRowProps {
  readonly row: Row;
  /** The run that the name leads to. */
  readonly runId: string;
  readonly failure: TestCaseItem | undefined;
}

function TestRow({ row: { job, suite, name, before, after }, runId, failure }: TestRowProps) {
  const message = failure === undefined ? '' : messageOf(failure).split('\n')[0];
  return (
    <li>
      <span className={styles.name}>
        <Link
          to="/runs/$runId/tests"
          params={{ runId }}
          search={failure === undefined ? { q: name } : { q: name, test: failure.metadata.id }}
        >
          <bdi>{name}</bdi>
        </Link>{' '}
        <span className={styles.place}>
          <bdi>{suite}</bdi> in <bdi>{job}</bdi>
        </span>
      </span>
      <Outcomes before={before} after={after} />
      {message !== '' && <bdi className={styles.message}>{message}</bdi>}
    </li>
  );
}

function Outcomes({ before, after }: Pick<Row, 'before' | 'after'>) {
  const isSlower = before !== null && after !== null && before.outcome === after.outcome;
  return (
    <span className={styles.outcomes}>
      {before !== null && <Outcome result={before} hasTime={isSlower} />}
      {before !== null && after !== null && <span aria-hidden>→</span>}
      {after !== null && <Outcome result={after} hasTime={isSlower} />}
    </span>
  );
}

const Outcome = ({ result, hasTime }: { readonly result: Result; readonly hasTime: boolean }) => (
  <Mark
    state={outcomeMark(result.outcome)}
    {...(hasTime ? { word: formatDuration(result.duration) } : {})}
  />
);

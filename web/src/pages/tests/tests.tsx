/** Tests: which cost us most, and which of them are flaky or broken? */
import { useQueries } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { listOf, useShownPages } from '../../data/shown-pages.ts';
import { FLAKY_DOCS, TESTS_ROWS, type TestSearch, testsQuery } from '../../data/tests.ts';
import { PageHead } from '../../parts/band.tsx';
import { Grid } from '../../parts/grid.tsx';
import { Empty, Placeholder, Problem } from '../../parts/states.tsx';
import { TEST_COLUMNS } from './columns.tsx';
import { Filters } from './filters.tsx';
import styles from './tests.module.css';
import { Warnings } from './warnings.tsx';

const route = getRouteApi('/signed-in/tests');

export function TestsPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const { numbers, onRange } = useShownPages(TESTS_ROWS);
  const pages = useQueries({ queries: numbers.map((page) => testsQuery(search, page)) });
  const { total, warnings, error, again, rowAt } = listOf(pages, numbers, TESTS_ROWS);
  const change = (next: TestSearch) =>
    void navigate({ to: '/tests', search: next, replace: true, resetScroll: false });
  return (
    <>
      <PageHead title="Tests">
        <Link to="/causes">Causes of failures</Link>
        <Link to="/quarantine">Quarantine</Link>
        <a href={FLAKY_DOCS}>What the states mean</a>
      </PageHead>
      <Filters search={search} onChange={change} />
      {error !== null && <Problem error={error} onAgain={again} />}
      {total === null && error === null && <Placeholder lines={8} />}
      {total === 0 && <NoTests search={search} />}
      <Warnings texts={warnings} />
      {total !== null && total > 0 && (
        <>
          <p className={styles.total} aria-live="polite">
            {total} {total === 1 ? 'test' : 'tests'}
          </p>
          <div className={styles.table}>
            <Grid
              label="Tests"
              columns={TEST_COLUMNS}
              total={total}
              rowAt={rowAt}
              onRange={onRange}
              keyOf={({ metadata }) => metadata.id}
              onOpen={({ metadata }) =>
                void navigate({ to: '/tests/$testId', params: { testId: metadata.id } })
              }
              sort={{
                by: search.sort ?? '-impact',
                onSort: (by) => change({ ...search, sort: by }),
              }}
            />
          </div>
        </>
      )}
    </>
  );
}

function NoTests({ search: { sort: _, ...conditions } }: { readonly search: TestSearch }) {
  if (Object.keys(conditions).length > 0)
    return (
      <Empty>
        No test fits these filters. <Link to="/tests">Show all tests</Link>
      </Empty>
    );
  return (
    <Empty>
      No test has a history yet. A test gets one some seconds after the end of a run whose steps
      attach reports. <a href={FLAKY_DOCS}>How to begin</a>
    </Empty>
  );
}

/** Quarantine: which failures do not count, who said so, and until when? */
import { useQueries } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { QUARANTINE_ROWS, type QuarantineSearch, quarantineQuery } from '../../data/quarantine.ts';
import { listOf, useShownPages } from '../../data/shown-pages.ts';
import { QUARANTINE_DOCS } from '../../data/tests.ts';
import { PageHead } from '../../parts/band.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { Grid } from '../../parts/grid.tsx';
import { Empty, Placeholder, Problem } from '../../parts/states.tsx';
import { useGo } from '../../parts/use-go.ts';
import { quoted } from '../runs/command.ts';
import { PlaceChips } from '../tests/place-chips.tsx';
import styles from '../tests/tests.module.css';
import { pathOf, QUARANTINE_COLUMNS } from './columns.tsx';

const route = getRouteApi('/signed-in/quarantine');

export function QuarantinePage() {
  const search = route.useSearch();
  const go = useGo();
  const { numbers, onRange } = useShownPages(QUARANTINE_ROWS);
  const pages = useQueries({ queries: numbers.map((page) => quarantineQuery(search, page)) });
  const { total, error, again, rowAt } = listOf(pages, numbers, QUARANTINE_ROWS);
  return (
    <>
      <PageHead title="Quarantine">
        <Link to="/tests">Tests</Link>
        <a href={QUARANTINE_DOCS}>What quarantine does</a>
      </PageHead>
      <Filters search={search} />
      {error !== null && <Problem error={error} onAgain={again} />}
      {total === null && error === null && <Placeholder lines={8} />}
      {total === 0 && <NoQuarantine search={search} />}
      {total !== null && total > 0 && (
        <>
          <p className={styles.total} aria-live="polite">
            {total} {total === 1 ? 'quarantine' : 'quarantines'}. Each ends at its time, or earlier
            if somebody releases the test.
          </p>
          <div className={styles.quarantines}>
            <Grid
              label="Quarantine"
              columns={QUARANTINE_COLUMNS}
              total={total}
              rowAt={rowAt}
              onRange={onRange}
              keyOf={({ test_id, variant_id }) => `${test_id} ${variant_id}`}
              onOpen={(row) => go(pathOf(row))}
            />
          </div>
        </>
      )}
    </>
  );
}

function Filters({ search }: { readonly search: QuarantineSearch }) {
  const navigate = useNavigate();
  const remove = (key: keyof QuarantineSearch) =>
    void navigate({
      to: '/quarantine',
      search: { ...search, [key]: '' },
      replace: true,
      resetScroll: false,
    });
  return (
    <search className={styles.filters}>
      <PlaceChips search={search} onRemove={remove} />
      <CopyCommand command={commandOf(search)} />
    </search>
  );
}

const commandOf = ({ project, namespace }: QuarantineSearch): string =>
  [
    'tutti tests quarantined',
    ...Object.entries({ project, namespace }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}=${quoted(value)}`],
    ),
  ].join(' ');

const NoQuarantine = ({ search }: { readonly search: QuarantineSearch }) =>
  Object.keys(search).length > 0 ? (
    <Empty>
      No test fits these filters. <Link to="/quarantine">Show all tests in quarantine</Link>
    </Empty>
  ) : (
    <Empty>
      No test is in quarantine, so all failures count. The page of a test puts it there:{' '}
      <Link to="/tests" search={{ state: 'flaky' }}>
        Flaky tests
      </Link>
    </Empty>
  );

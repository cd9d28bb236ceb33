/** Causes: what breaks most tests, and since when? */
import { useQueries } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { cleanLine } from '@tutti/run-view/text';
import { CAUSES_ROWS, type CauseSearch, causesQuery, type ListedCause } from '../../data/causes.ts';
import { searchText } from '../../data/search.ts';
import { listOf, useShownPages } from '../../data/shown-pages.ts';
import { PageHead } from '../../parts/band.tsx';
import { SearchField } from '../../parts/choices.tsx';
import { CopyCommand } from '../../parts/copy-command.tsx';
import { type Column, Grid } from '../../parts/grid.tsx';
import { PathLink, pathOfCause } from '../../parts/path-link.tsx';
import { Empty, Placeholder, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/times.tsx';
import { quoted } from '../runs/command.ts';
import { PlaceChips } from '../tests/place-chips.tsx';
import styles from '../tests/tests.module.css';

const route = getRouteApi('/signed-in/causes');

export function CausesPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const { numbers, onRange } = useShownPages(CAUSES_ROWS);
  const pages = useQueries({ queries: numbers.map((page) => causesQuery(search, page)) });
  const { total, error, again, rowAt } = listOf(pages, numbers, CAUSES_ROWS);
  const change = (next: CauseSearch) =>
    void navigate({ to: '/causes', search: next, replace: true, resetScroll: false });
  return (
    <>
      <PageHead title="Causes">
        <Link to="/tests">Tests</Link>
      </PageHead>
      <Filters search={search} onChange={change} />
      {error !== null && <Problem error={error} onAgain={again} />}
      {total === null && error === null && <Placeholder lines={8} />}
      {total === 0 && <NoCauses search={search} />}
      {total !== null && total > 0 && (
        <>
          <p className={styles.total} aria-live="polite">
            {total} {total === 1 ? 'cause' : 'causes'}
          </p>
          <div className={styles.causes}>
            <Grid
              label="Causes"
              columns={COLUMNS}
              total={total}
              rowAt={rowAt}
              onRange={onRange}
              keyOf={({ metadata }) => metadata.id}
              onOpen={({ metadata }) =>
                void navigate({ to: '/causes/$causeId', params: { causeId: metadata.id } })
              }
            />
          </div>
        </>
      )}
    </>
  );
}

interface FiltersProps {
  readonly search: CauseSearch;
  readonly onChange: (search: CauseSearch) => void;
}

const Filters = ({ search, onChange }: FiltersProps) => (
  <search className={styles.filters}>
    <SearchField
      label="Part of a cause"
      value={search.q ?? ''}
      onSearch={(q) => onChange({ ...search, q })}
    />
    <PlaceChips search={search} onRemove={(key) => onChange({ ...search, [key]: '' })} />
    <CopyCommand command={commandOf(search)} />
  </search>
);

const commandOf = ({ q, project, namespace }: CauseSearch): string =>
  [
    'tutti causes',
    ...Object.entries({ search: q, project, namespace }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}=${quoted(value)}`],
    ),
  ].join(' ');

const NoCauses = ({ search }: { readonly search: CauseSearch }) =>
  Object.keys(search).length > 0 ? (
    <Empty>
      No cause fits these filters. <Link to="/causes">Show all causes</Link>
    </Empty>
  ) : (
    <Empty>No test case has failed yet in a run that is over and still kept.</Empty>
  );

const COLUMNS: readonly Column<ListedCause>[] = [
  {
    key: 'name',
    title: 'Cause',
    width: 'minmax(10rem, 5fr)',
    cell: ({ metadata: { id, name } }) => (
      <PathLink path={pathOfCause(id)} tabIndex={-1} title={cleanLine(name)}>
        {cleanLine(name) || 'No message'}
      </PathLink>
    ),
  },
  {
    key: 'project',
    title: 'Project',
    width: 'minmax(5rem, 1fr)',
    cell: ({ metadata: { project, namespace } }) => (
      <PathLink
        path={`/causes${searchText({ project, namespace })}`}
        className={styles.project}
        tabIndex={-1}
        title={cleanLine(`${project} in namespace ${namespace}`)}
      >
        {cleanLine(project)}
      </PathLink>
    ),
  },
  {
    key: 'failures',
    title: 'Failures',
    width: '5rem',
    isNumber: true,
    cell: ({ status }) => status.failures,
  },
  {
    key: 'since',
    title: 'New since',
    width: '6.5rem',
    isNumber: true,
    cell: ({ status }) => <Ago at={status.since.at} />,
  },
  {
    key: 'last',
    title: 'Last seen',
    width: '6.5rem',
    isNumber: true,
    cell: ({ metadata }) => <Ago at={metadata.lastSeen} />,
  },
];

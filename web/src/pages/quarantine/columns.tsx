/** The columns of a list of quarantines. */
import { cleanLine } from '@tutti/run-view/text';
import type { ListedQuarantine } from '../../data/quarantine.ts';
import { searchText } from '../../data/search.ts';
import type { Column } from '../../parts/grid.tsx';
import { PathLink, pathOfTest } from '../../parts/path-link.tsx';
import { TestMark } from '../../parts/test-mark.tsx';
import { Ago, Moment } from '../../parts/times.tsx';
import styles from '../tests/tests.module.css';

/** The page of the test, at the variant if only that one is in quarantine. */
export const pathOf = ({ test_id: id, variant_id: variant }: ListedQuarantine): string =>
  `${pathOfTest(id)}${searchText({ variant: variant ?? '' })}`;

export const QUARANTINE_COLUMNS: readonly Column<ListedQuarantine>[] = [
  {
    key: 'state',
    title: 'State',
    width: '5rem',
    cell: ({ state }) => <TestMark state={state} />,
  },
  {
    key: 'name',
    title: 'Test',
    width: 'minmax(9rem, 3fr)',
    cell: (row) => <Name row={row} />,
  },
  {
    key: 'project',
    title: 'Project',
    isExtra: true,
    width: 'minmax(5rem, 1fr)',
    cell: ({ project, namespace }) => (
      <PathLink
        path={`/quarantine${searchText({ project, namespace })}`}
        className={styles.project}
        tabIndex={-1}
        title={cleanLine(`${project} in namespace ${namespace}`)}
      >
        {cleanLine(project)}
      </PathLink>
    ),
  },
  {
    key: 'reason',
    title: 'Reason',
    width: 'minmax(8rem, 3fr)',
    cell: ({ reason }) => <bdi title={cleanLine(reason)}>{cleanLine(reason)}</bdi>,
  },
  {
    key: 'by',
    title: 'By',
    width: 'minmax(5rem, 1fr)',
    cell: ({ by }) => <bdi title={cleanLine(by)}>{cleanLine(by)}</bdi>,
  },
  {
    key: 'from',
    title: 'Since',
    isExtra: true,
    width: '6rem',
    isNumber: true,
    cell: ({ from }) => <Ago at={from} />,
  },
  {
    key: 'until',
    title: 'Until',
    width: '11rem',
    isNumber: true,
    cell: (row) => <Until row={row} />,
  },
];

const Name = ({ row }: { readonly row: ListedQuarantine }) => (
  <span className={styles.name}>
    <PathLink path={pathOf(row)} tabIndex={-1} title={cleanLine(row.name)}>
      {cleanLine(row.name)}
    </PathLink>
    {row.variant_id !== null && <span className={styles.beside}>one job</span>}
  </span>
);

const Until = ({ row: { until, state, isSpared } }: { readonly row: ListedQuarantine }) => (
  <span className={styles.until}>
    <Moment at={until} />
    {!isSpared && <span className={styles.muted}>failures count: it is broken</span>}
    {state === 'flaky' && <span className={styles.muted}>or when it recovers</span>}
  </span>
);

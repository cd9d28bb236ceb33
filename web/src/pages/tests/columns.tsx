/** The columns of a list of tests. */
import { cleanLine } from '@tutti/run-view/text';
import { searchText } from '../../data/search.ts';
import type { ListedTest } from '../../data/tests.ts';
import type { Column } from '../../parts/grid.tsx';
import { OutcomeStrip } from '../../parts/outcome-strip.tsx';
import { PathLink, pathOfTest } from '../../parts/path-link.tsx';
import { QuarantineMark } from '../../parts/quarantine-mark.tsx';
import { TestMark } from '../../parts/test-mark.tsx';
import { Ago } from '../../parts/times.tsx';
import { Rate, testDuration } from './numbers.tsx';
import styles from './tests.module.css';

const OUTCOMES_SHOWN = 24;

export const TEST_COLUMNS: readonly Column<ListedTest>[] = [
  {
    key: 'state',
    title: 'State',
    width: '5rem',
    cell: ({ status }) => <TestMark state={status.state} />,
  },
  {
    key: 'name',
    title: 'Test',
    sort: 'name',
    width: 'minmax(9rem, 3fr)',
    cell: (test) => <Name test={test} />,
  },
  {
    key: 'project',
    title: 'Project',
    isExtra: true,
    width: 'minmax(5rem, 1fr)',
    cell: (test) => <Project test={test} />,
  },
  {
    key: 'strip',
    title: 'Outcomes',
    width: '7.5rem',
    cell: ({ status }) => <OutcomeStrip letters={status.strip ?? ''} max={OUTCOMES_SHOWN} />,
  },
  {
    key: 'failures',
    title: 'Failed, 95 % interval',
    sort: 'failures',
    width: '13rem',
    cell: ({ status }) => <Rate failures={status.failures} />,
  },
  {
    key: 'impact',
    title: 'Runs lost',
    sort: 'impact',
    width: '5rem',
    isNumber: true,
    cell: ({ status }) => (
      <>
        {status.impact.runs}
        <span className={styles.unit}> runs lost</span>
      </>
    ),
  },
  {
    key: 'duration',
    title: 'Duration',
    isExtra: true,
    sort: 'duration',
    width: '5rem',
    isNumber: true,
    cell: ({ status: { duration } }) => (duration === null ? '' : testDuration(duration.p50)),
  },
  {
    key: 'failed',
    title: 'Last failed',
    isExtra: true,
    sort: 'lastFailed',
    width: '6rem',
    isNumber: true,
    cell: ({ status: { lastFailed } }) =>
      lastFailed === null ? <span className={styles.muted}>never</span> : <Ago at={lastFailed} />,
  },
];

function Name({ test: { metadata, spec, status } }: { readonly test: ListedTest }) {
  return (
    <span className={styles.name}>
      <PathLink path={pathOfTest(metadata.id)} tabIndex={-1} title={cleanLine(spec.testCaseName)}>
        {cleanLine(spec.testCaseName)}
      </PathLink>
      <span className={styles.muted} title={cleanLine(spec.suiteName)} data-extra>
        {cleanLine(spec.suiteName)}
      </span>
      {status.quarantinedUntil !== null && (
        <span className={styles.beside}>
          <QuarantineMark />
        </span>
      )}
    </span>
  );
}

function Project({ test: { metadata } }: { readonly test: ListedTest }) {
  const { project, namespace } = metadata;
  const place = cleanLine(`${project} in namespace ${namespace}`);
  return (
    <PathLink
      path={`/tests${searchText({ project, namespace })}`}
      className={styles.project}
      tabIndex={-1}
      title={place}
    >
      {cleanLine(project)}
    </PathLink>
  );
}

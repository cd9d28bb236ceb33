/** The columns of a list of runs. */
import { cleanLine } from '@tutti/run-view/text';
import type { RunSummary } from '../../data/runs.ts';
import { searchText } from '../../data/search.ts';
import { JobsBar, TestsText } from '../../parts/bar.tsx';
import type { Column } from '../../parts/grid.tsx';
import { Mark, markOfRun } from '../../parts/mark.tsx';
import { PathLink, pathOfRun } from '../../parts/path-link.tsx';
import { Ago, Duration, Since } from '../../parts/times.tsx';
import styles from './runs.module.css';

interface Choice {
  readonly chosen: ReadonlyMap<string, RunSummary>;
  readonly onToggle: (row: RunSummary) => void;
}

export const runColumns = ({ chosen, onToggle }: Choice): readonly Column<RunSummary>[] => [
  {
    key: 'choice',
    title: 'Selection',
    isTitleHidden: true,
    width: '1.5rem',
    cell: (run) => (
      <label className={styles.choice}>
        <input
          type="checkbox"
          tabIndex={-1}
          checked={chosen.has(run.workflow_id)}
          onChange={() => onToggle(run)}
        />
        <span className="hidden">Select {cleanLine(run.name)}</span>
      </label>
    ),
  },
  {
    key: 'state',
    title: 'State',
    width: '7rem',
    cell: (run) => <Mark state={markOfRun(run.status, run.canceled)} />,
  },
  {
    key: 'name',
    title: 'Name',
    sort: 'name',
    width: 'minmax(9rem, 3fr)',
    cell: (run) => <Name run={run} />,
  },
  {
    key: 'by',
    title: 'Started by',
    isExtra: true,
    width: 'minmax(5rem, 1fr)',
    cell: (run) => cleanLine(run.started_by ?? ''),
  },
  {
    key: 'jobs',
    title: 'Jobs',
    isExtra: true,
    width: '8.5rem',
    cell: (run) => <JobsBar jobs={run.jobs} />,
  },
  {
    key: 'tests',
    title: 'Tests',
    sort: 'failures',
    width: 'minmax(6rem, 1fr)',
    cell: (run) => <TestsText tests={run.tests} />,
  },
  {
    key: 'duration',
    title: 'Duration',
    sort: 'duration',
    width: 'clamp(6rem, 14cqi, 9.5rem)',
    isNumber: true,
    cell: (run) => <Times run={run} />,
  },
  {
    key: 'started',
    title: 'Started',
    sort: 'started',
    width: '6rem',
    isNumber: true,
    cell: ({ created }) => <Ago at={created} />,
  },
];

function Name({ run }: { readonly run: RunSummary }) {
  const labels = Object.entries(run.labels).slice(0, 3);
  return (
    <span className={styles.name}>
      <PathLink path={pathOfRun(run.workflow_id)} tabIndex={-1}>
        {cleanLine(run.name)}
      </PathLink>
      {labels.map(([name, value]) => (
        <PathLink
          key={name}
          path={`/runs${searchText({ label: `${name}=${value}` })}`}
          className={styles.label}
          tabIndex={-1}
          title={cleanLine(`${name}=${value}`)}
        >
          {cleanLine(value === '' ? name : `${shortName(name)}: ${value}`)}
        </PathLink>
      ))}
    </span>
  );
}

/** Names of labels may have a domain before them. */
const shortName = (name: string): string => name.split('/').at(-1) ?? name;

/** The duration, beside the usual one where that says something. */
function Times({ run }: { readonly run: RunSummary }) {
  const { duration, usual_duration: usual, created } = run;
  return (
    <>
      {duration === null ? <Since at={created} /> : <Duration ms={duration} />}
      {usual !== null && (
        <span className={styles.usual} data-extra>
          {' '}
          / <Duration ms={usual} />
        </span>
      )}
    </>
  );
}

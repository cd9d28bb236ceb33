/** Runs that go on: how far they are, and how long they usually take. */

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { cleanLine } from '@tutti/run-view/text';
import { type RunSummary, runsQuery } from '../../data/runs.ts';
import { Band, EmptyBand } from '../../parts/band.tsx';
import { JobsBar } from '../../parts/bar.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Placeholder, Problem } from '../../parts/states.tsx';
import { Duration, Since } from '../../parts/times.tsx';
import styles from './now.module.css';

const SHOWN = 8;

export function Running() {
  const { data, error, refetch } = useQuery(runsQuery({ status: 'RUNNING' }, 0, SHOWN));
  if (error !== null && data === undefined)
    return <Problem error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <Placeholder lines={3} />;
  if (data.total === 0) return <EmptyBand title="Running">No run goes on.</EmptyBand>;
  return (
    <Band
      title="Running"
      count={data.total}
      more={
        <Link to="/runs" search={{ status: 'RUNNING' }}>
          All running
        </Link>
      }
    >
      <ul className={styles.rows}>
        {data.items.map((run) => (
          <RunningRow key={run.workflow_id} run={run} />
        ))}
      </ul>
    </Band>
  );
}

function RunningRow({ run }: { readonly run: RunSummary }) {
  const failed = run.tests.failure + run.tests.error;
  return (
    <li className={styles.running}>
      <Mark state="running" hasWord={false} />
      <Link to="/runs/$runId" params={{ runId: run.workflow_id }} className={styles.title}>
        {cleanLine(run.name)}
      </Link>
      <JobsBar jobs={run.jobs} />
      <span className={styles.failed}>{failed > 0 && `${failed} tests failed`}</span>
      <span className={styles.time}>
        <Since at={run.created} />
        {run.usual_duration !== null && (
          <>
            {' '}
            of usually <Duration ms={run.usual_duration} />
          </>
        )}
      </span>
    </li>
  );
}

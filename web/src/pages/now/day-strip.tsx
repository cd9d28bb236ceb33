/** The runs of the last 24 hours, as a strip with the newest on the right. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { runsQuery } from '../../data/runs.ts';
import { Band, EmptyBand } from '../../parts/band.tsx';
import { RunStrip } from '../../parts/run-strip.tsx';
import { Placeholder, Problem } from '../../parts/states.tsx';
import styles from './now.module.css';

const SHOWN = 100;

export function DayStrip() {
  const { data, error, refetch } = useQuery(runsQuery({ since: '24h' }, 0, SHOWN));
  if (error !== null && data === undefined)
    return <Problem error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <Placeholder lines={2} />;
  if (data.total === 0) return <EmptyBand title="Last 24 hours">No run.</EmptyBand>;
  const failed = data.items.filter(({ status }) => status === 'FAILED').length;
  const shown = data.items.length;
  return (
    <Band
      title="Last 24 hours"
      count={data.total}
      more={
        <Link to="/runs" search={{ since: '24h' }}>
          As a list
        </Link>
      }
    >
      <div className={styles.strip}>
        <RunStrip runs={data.items.toReversed()} />
        <p>
          {failed} failed of {shown === data.total ? shown : `the newest ${shown}`}
        </p>
      </div>
    </Band>
  );
}

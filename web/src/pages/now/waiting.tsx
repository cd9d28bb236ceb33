/** Jobs that wait, and why. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { queueQuery } from '../../data/queue.ts';
import { Band, EmptyBand } from '../../parts/band.tsx';
import { Placeholder, Problem } from '../../parts/states.tsx';
import { WaitingRows } from '../../parts/waiting-rows.tsx';

const SHOWN = 8;

export function Waiting() {
  const { data, error, refetch } = useQuery(queueQuery(undefined, SHOWN));
  if (error !== null && data === undefined)
    return <Problem error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <Placeholder lines={3} />;
  if (data.total === 0) return <EmptyBand title="Waiting">No job waits.</EmptyBand>;
  return (
    <Band title="Waiting" count={data.total} more={<Link to="/queue">The whole queue</Link>}>
      <WaitingRows jobs={data.items} />
    </Band>
  );
}

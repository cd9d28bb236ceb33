/** The queue: waiting jobs in the order in which they get environments, and the reasons. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { queueQuery } from '../../data/queue.ts';
import { Band, PageHead } from '../../parts/band.tsx';
import { Empty, Placeholder, Problem } from '../../parts/states.tsx';
import { WaitingRows } from '../../parts/waiting-rows.tsx';
import { Advice } from './advice.tsx';

const route = getRouteApi('/signed-in/queue');

export function QueuePage() {
  const { namespace } = route.useSearch();
  const { data, error, refetch } = useQuery(queueQuery(namespace));
  return (
    <>
      <PageHead title="Queue" />
      {error !== null && data === undefined && (
        <Problem error={error} onAgain={() => void refetch()} />
      )}
      {data === undefined && error === null && <Placeholder lines={6} />}
      {data?.total === 0 && (
        <Empty>
          No job waits
          {namespace !== undefined && (
            <>
              {' '}
              in namespace {namespace}. <Link to="/queue">Show all namespaces</Link>
            </>
          )}
          . <Link to="/environments">See what the environments do</Link>.
        </Empty>
      )}
      {data !== undefined && data.total > 0 && (
        <>
          <Advice jobs={data.items} />
          <Band title="In the order of service" count={data.total}>
            <WaitingRows jobs={data.items} />
          </Band>
          {data.items.length < data.total && (
            <p>These are the first {data.items.length}. The others come later.</p>
          )}
        </>
      )}
    </>
  );
}

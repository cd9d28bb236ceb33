/** Now: is anything wrong, and what is waiting? */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { agentsQuery } from '../../data/environments.ts';
import { isForbidden } from '../../data/queries.ts';
import { runsQuery } from '../../data/runs.ts';
import { allows, useSession } from '../../data/session.ts';
import { PageHead } from '../../parts/band.tsx';
import { buttonClass } from '../../parts/button.tsx';
import { Guarded } from '../../parts/states.tsx';
import { Broken } from './broken.tsx';
import { DayStrip } from './day-strip.tsx';
import { EnvironmentCounts } from './environment-counts.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NoRights } from './no-rights.tsx';
import styles from './now.module.css';
import { Running } from './running.tsx';
import { Waiting } from './waiting.tsx';

export function NowPage() {
  const session = useSession();
  const runs = useQuery(runsQuery({}, 0, 1));
  const agents = useQuery(agentsQuery);
  const hidden = { runs: isForbidden(runs.error), environments: isForbidden(agents.error) };
  const parts = [
    ...(hidden.runs ? [] : [Broken, Running, Waiting]),
    ...(hidden.environments ? [] : [EnvironmentCounts]),
    ...(hidden.runs ? [] : [DayStrip]),
  ];
  return (
    <>
      <PageHead title="Now">
        {allows(session, ['create', 'workflows']) && (
          <Link to="/start" className={buttonClass('main')}>
            <Play aria-hidden size={16} />
            Start a run
          </Link>
        )}
      </PageHead>
      {runs.data?.total === 0 ? (
        <FirstSteps hasEnvironments={(agents.data?.length ?? 0) > 0} />
      ) : (
        <div className={styles.bands}>
          <NoRights {...hidden} />
          {parts.map((Part) => (
            <Guarded key={Part.name}>
              <Part />
            </Guarded>
          ))}
        </div>
      )}
    </>
  );
}

/** The jobs of a run: where they run, for what they wait, and which took the time. */
import { getRouteApi } from '@tanstack/react-router';
import { Choice } from '../../parts/choices.tsx';
import { useAddress } from './address.ts';
import { JobDrawer } from './job-drawer.tsx';
import { JobGraph } from './job-graph.tsx';
import { JobList } from './job-list.tsx';
import styles from './jobs.module.css';
import { useRun } from './run-context.ts';
import { Timeline } from './timeline.tsx';

const jobsRoute = getRouteApi('/signed-in/runs/$runId/jobs');

const VIEWS = [
  ['tree', 'List'],
  ['graph', 'Graph'],
  ['timeline', 'Timeline'],
] as const;

export function JobsPage() {
  const { doc } = useRun();
  const { view = 'tree', job: asked } = jobsRoute.useSearch();
  // Links of the queue name jobs by their ids.
  const job = doc.jobs.find(({ job_id: id }) => id === asked)?.key ?? asked;
  const setAddress = useAddress();
  const hidden = doc.jobs_total - doc.jobs.length;
  return (
    <div className={styles.page}>
      <div className={styles.views} role="toolbar" aria-label="View">
        {VIEWS.map(([name, label]) => (
          <Choice
            key={name}
            isChosen={view === name}
            onChoose={() => void setAddress({ view: name === 'tree' ? undefined : name })}
          >
            {label}
          </Choice>
        ))}
      </div>
      {hidden > 0 && <p>{hidden} more jobs are counted in their bundles.</p>}
      <div className={styles.both} data-open={job !== undefined || undefined}>
        <div className={styles.main}>
          {view === 'graph' ? (
            <JobGraph />
          ) : view === 'timeline' ? (
            <Timeline />
          ) : (
            <JobList jobs={doc.jobs} selected={job} />
          )}
        </div>
        {job !== undefined && <JobDrawer jobKey={job} />}
      </div>
    </div>
  );
}

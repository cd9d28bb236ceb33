/** Jobs that wait: each with its place, its run, the reason, and for how long. */
import { Link } from '@tanstack/react-router';
import type { WaitingJob } from '../data/queue.ts';
import { Tags } from './tags.tsx';
import { Duration, Since } from './times.tsx';
import styles from './waiting-rows.module.css';

export const WaitingRows = ({ jobs }: { readonly jobs: readonly WaitingJob[] }) => (
  <ol className={styles.rows}>
    {jobs.map((job) => (
      <li key={job.job_id} className={styles.row}>
        <span className={styles.place}>
          {job.place === null ? (
            <span className="hidden">has no place</span>
          ) : (
            <>
              <span className="hidden">place </span>
              {job.place}
            </>
          )}
        </span>
        <div className={styles.main}>
          <span className={styles.job}>
            <Link
              to="/runs/$runId"
              params={{ runId: job.workflow_id }}
              search={{ job: job.job_id } as object}
            >
              {job.name}
            </Link>
            {job.workflow_name !== undefined && (
              <span className={styles.run}>of {job.workflow_name}</span>
            )}
            <Tags tags={job.tags} />
          </span>
          <span className={styles.reason}>{job.reason}</span>
        </div>
        <span className={styles.time}>
          <Since at={job.since} />
          {job.usual_wait !== null && (
            <span className={styles.usual}>
              usually <Duration ms={job.usual_wait} />
            </span>
          )}
        </span>
      </li>
    ))}
  </ol>
);

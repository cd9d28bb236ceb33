/** Jobs that wait: each with its place, its run, the reason, and for how long. */

import { Link } from '@tanstack/react-router';
import { cleanLine } from '@tutti/run-view/text';
import type { WaitingJob } from '../data/queue.ts';
import { WaitReason } from './run-link.tsx';
import { Tags } from './tags.tsx';
import { Duration, Since } from './times.tsx';
import styles from './waiting-rows.module.css';

export const WaitingRows = ({ jobs }: { readonly jobs: readonly WaitingJob[] }) => (
  <ol className={styles.rows}>
    {jobs.map((job) => (
      <li key={job.job_id ?? job.workflow_id} className={styles.row}>
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
              to="/runs/$runId/jobs"
              params={{ runId: job.workflow_id }}
              search={job.job_id === null ? {} : { job: job.job_id }}
            >
              {cleanLine(job.name ?? job.workflow)}
            </Link>
            {job.name !== null && <span className={styles.run}>of {cleanLine(job.workflow)}</span>}
            <Tags tags={job.tags} />
          </span>
          {job.reason !== null && (
            <span className={styles.reason}>
              <WaitReason text={cleanLine(job.reason)} />
            </span>
          )}
        </div>
        <span className={styles.time}>
          {job.since !== null && <Since at={job.since} />}
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

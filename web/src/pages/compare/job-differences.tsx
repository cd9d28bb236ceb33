/** Jobs that ended otherwise, that only one run has, and that became slower. */
import { Link } from '@tanstack/react-router';
import { durationOf, type RunDocument, runDifferences } from '@tutti/run-view';
import { formatDuration } from '@tutti/run-view/text';
import type { ReactNode } from 'react';
import { Mark } from '../../parts/mark.tsx';
import { Part } from '../run/part.tsx';
import { type JobPart, markOfJob } from '../run/run-context.ts';
import styles from './compare.module.css';

interface JobDifferencesProps {
  readonly a: string;
  readonly b: string;
  readonly before: RunDocument;
  readonly after: RunDocument;
}

export function JobDifferences({ a, b, before, after }: JobDifferencesProps) {
  const { changed, slower, onlyBefore, onlyAfter, same } = runDifferences(before, after);
  const other = changed.length + slower.length + onlyBefore.length + onlyAfter.length;
  return (
    <Part title="Jobs">
      <p>
        {other === 0 ? 'All jobs ended the same way' : `${other} of ${other + same} jobs differ`}.
        {' Before '}
        {timeOf(before)}, after {timeOf(after)}.
      </p>
      <ul className={styles.list}>
        {changed.map((pair) => (
          <li key={pair.key}>
            <JobLink runId={b} job={pair.after} />
            <Link to="/runs/$runId/jobs" params={{ runId: a }} search={{ job: pair.key }}>
              <Mark state={markOfJob(pair.before.status)} />
            </Link>
            <span aria-hidden>→</span>
            <Link to="/runs/$runId/jobs" params={{ runId: b }} search={{ job: pair.key }}>
              <Mark state={markOfJob(pair.after.status)} />
            </Link>
          </li>
        ))}
        {slower.map(({ key, before: one, after: two }) => (
          <li key={key}>
            <JobLink runId={b} job={two} />
            <span>
              slower: {formatDuration(durationOf(one) ?? 0)} →{' '}
              {formatDuration(durationOf(two) ?? 0)}
            </span>
          </li>
        ))}
        {onlyBefore.map((job) => (
          <Only key={job.key} runId={a} job={job}>
            only before
          </Only>
        ))}
        {onlyAfter.map((job) => (
          <Only key={job.key} runId={b} job={job}>
            only after
          </Only>
        ))}
      </ul>
    </Part>
  );
}

function timeOf({ run }: RunDocument): string {
  const ms = durationOf(run);
  return ms === null ? 'not over' : formatDuration(ms);
}

interface JobLinkProps {
  readonly runId: string;
  readonly job: JobPart;
}

const JobLink = ({ runId, job }: JobLinkProps) => (
  <Link
    to="/runs/$runId/jobs"
    params={{ runId }}
    search={{ job: job.key }}
    className={styles.name ?? ''}
  >
    <bdi>{job.name}</bdi>
  </Link>
);

const Only = ({ runId, job, children }: JobLinkProps & { readonly children: ReactNode }) => (
  <li>
    <JobLink runId={runId} job={job} />
    <span className={styles.only}>{children}</span>
    <span className={styles.only}>
      <Mark state={markOfJob(job.status)} />
    </span>
  </li>
);

/** Jobs that wait, why, and what would help. */
import { Link } from '@tanstack/react-router';
import { describeHelp } from '@tutti/run-view';
import { Lightbulb } from 'lucide-react';
import { Mark } from '../../parts/mark.tsx';
import { WaitReason } from '../../parts/run-link.tsx';
import { Elapsed } from './elapsed.tsx';
import { Part } from './part.tsx';
import { type JobPart, useRun, waitOf } from './run-context.ts';
import styles from './waiting.module.css';

const SHOWN = 20;

export function Waiting({ jobs }: { readonly jobs: readonly JobPart[] }) {
  const { doc } = useRun();
  // Jobs that something keeps from beginning come before those that only need other jobs.
  const held = jobs.filter(({ requested }) => requested !== null);
  const rest = jobs.filter(({ requested }) => requested === null);
  const shown = [...held, ...rest].slice(0, SHOWN);
  return (
    <Part title="Waiting">
      {doc.run.waiting !== null && (
        <p>
          <WaitReason text={doc.run.waiting} />
        </p>
      )}
      <ul className={styles.waiting}>
        {shown.map((job) => (
          <WaitingJob key={job.key} job={job} />
        ))}
      </ul>
      {jobs.length > shown.length && <p>{jobs.length - shown.length} more</p>}
    </Part>
  );
}

function WaitingJob({ job }: { readonly job: JobPart }) {
  const { runId, kept } = useRun();
  return (
    <li>
      <Mark state="waiting" hasWord={false} />
      <div>
        <p>
          <Link to="/runs/$runId/jobs" params={{ runId }} search={{ ...kept, job: job.key }}>
            <bdi>{job.name}</bdi>
          </Link>{' '}
          <WaitReason text={waitOf(job)} />{' '}
          {job.requested !== null && <Elapsed since={job.requested} />}
        </p>
        <Help jobKey={job.key} />
      </div>
    </li>
  );
}

/** Advice that would let a job begin. */
export function Help({ jobKey }: { readonly jobKey: string }) {
  const { story } = useRun();
  const held = story?.jobs.get(jobKey)?.waits.at(-1);
  const reason = held?.until === null ? held.held : null;
  if (reason === null || reason === undefined) return null;
  return (
    <p className={styles.help}>
      <Lightbulb aria-hidden size={14} />
      <span>What would help: {describeHelp(reason)}</span>
    </p>
  );
}

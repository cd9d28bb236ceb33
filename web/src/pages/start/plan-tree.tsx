/** The plan as a tree: the jobs that the run would have, and where each runs. */
import { cleanLine } from '@tutti/run-view/text';
import type { PlannedJob, WorkflowPlan } from '@tutti/workflow/plan';
import { memo } from 'react';
import { Band } from '../../parts/band.tsx';
import { Tags } from '../../parts/tags.tsx';
import styles from './start.module.css';

/** Larger plans are for the command line. */
const JOBS_MAX = 200;

/** Drawn for each plan, not for each key. */
export const PlanTree = memo(({ plan }: { readonly plan: WorkflowPlan }) => {
  const all = countOf(plan.jobs);
  return (
    <Band title="What it will run" count={all}>
      {plan.error !== null && <p className={styles.planError}>{cleanLine(plan.error)}</p>}
      <Jobs jobs={plan.jobs.slice(0, JOBS_MAX)} />
      {plan.jobs.length > JOBS_MAX && (
        <p className={styles.planRest}>
          and {plan.jobs.length - JOBS_MAX} more: <code>tutti plan</code> shows all
        </p>
      )}
    </Band>
  );
});

const countOf = (jobs: readonly PlannedJob[]): number =>
  jobs.reduce((sum, job) => sum + (job.kind === 'steps' ? 1 : countOf(job.jobs)), 0);

const Jobs = ({ jobs }: { readonly jobs: readonly PlannedJob[] }) => (
  <ul className={styles.plan}>
    {jobs.map((job) => (
      <li key={job.key}>
        <span className={styles.planned}>
          <strong className={job.runs === false ? styles.idle : undefined}>
            {cleanLine(job.name)}
          </strong>
          <Tags tags={job.runsOn.map(({ text }) => cleanLine(text))} />
          {job.needs.length > 0 && (
            <span className={styles.hint}>after {job.needs.map(localName).join(', ')}</span>
          )}
          {job.condition !== null && <code>if {cleanLine(job.condition)}</code>}
          {job.runs === false && <span className={styles.hint}>does not run if all goes well</span>}
          {job.open !== null && <span className={styles.hint}>{cleanLine(job.open)}</span>}
          {job.error !== null && <span className={styles.problem}>{cleanLine(job.error)}</span>}
        </span>
        {job.jobs.length > 0 && <Jobs jobs={job.jobs} />}
      </li>
    ))}
  </ul>
);

const localName = (key: string): string => cleanLine(key.slice(key.lastIndexOf('/') + 1));

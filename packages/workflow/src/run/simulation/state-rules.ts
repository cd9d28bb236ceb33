/** What must hold of the state of a run after every decision. */
import { needsOf } from '../contexts.ts';
import type { Job, Run } from '../run.ts';
import { must } from './must.ts';

const RUN_PHASES: readonly Run['phase'][] = ['NONE', 'PENDING', 'RUNNING', 'DONE', 'FAILED'];
const JOB_PHASES: readonly Job['phase'][] = [
  'WAITING',
  'REQUESTED',
  'GENERATING',
  'RUNNING',
  'EXPANDED',
  'RELEASING',
  'COMPLETED',
];

export function checkState(before: Run, after: Run): void {
  checkPhases(before, after);
  checkParallel(after);
  for (const job of after.jobs.values()) checkWaiting(after, job);
}

function checkPhases(before: Run, after: Run): void {
  const order = (run: Run) => RUN_PHASES.indexOf(run.phase);
  const isEnd = before.phase === 'DONE' || before.phase === 'FAILED';
  must(
    isEnd ? before.phase === after.phase : order(before) <= order(after),
    `The run goes from ${before.phase} back to ${after.phase}.`,
  );
  for (const job of after.jobs.values()) {
    const was = before.jobs.get(job.name)?.phase ?? 'WAITING';
    must(
      JOB_PHASES.indexOf(was) <= JOB_PHASES.indexOf(job.phase),
      `Job ${job.name} goes from ${was} back to ${job.phase}.`,
    );
  }
}

function checkParallel(run: Run): void {
  const { maxParallel: limit } = run.set;
  const running = jobsAtWork(run);
  must(limit === null || running <= limit, `${running} jobs run, though at most ${limit} may.`);
}

const jobsAtWork = (run: Run): number =>
  [...run.jobs.values()].filter(({ phase }) => phase !== 'WAITING' && phase !== 'COMPLETED').length;

/** A job that could start has started; one that has everything but a slot says so. */
function checkWaiting(run: Run, job: Job): void {
  if (job.phase !== 'WAITING' || !run.granted || !job.granted) return;
  if (!needsOf(job).every((need) => run.jobs.get(need)?.phase === 'COMPLETED')) return;
  const isFull = run.set.maxParallel === jobsAtWork(run);
  must(isFull && job.waiting?.reason === 'max-parallel', `Job ${job.name} waits for nothing.`);
}

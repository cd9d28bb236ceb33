/** Invariants of the state of a run after every decision. */
import { needsOf } from '../contexts.ts';
import { jobBeside, setsAround } from '../job-tree.ts';
import type { Job, JobSet, Run } from '../run.ts';
import { checkFailFast } from './fail-fast-rules.ts';
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
  checkFailFast(after);
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
    const known = before.jobs.get(job.key);
    const was = known?.phase ?? 'WAITING';
    // The file was fetched, and now somebody is asked for the jobs in it.
    const isFetched = (known ?? job).bundle?.download !== null && job.phase === 'GENERATING';
    must(
      isFetched || JOB_PHASES.indexOf(was) <= JOB_PHASES.indexOf(job.phase),
      `Job ${job.name} goes from ${was} back to ${job.phase}.`,
    );
  }
}

function checkParallel(run: Run): void {
  checkSet(run.set, jobsAtWork(run, ''));
  for (const { key, bundle } of run.jobs.values()) {
    if (bundle !== null) checkSet(bundle.set, jobsAtWork(run, `${key}/`));
  }
}

function checkSet({ maxParallel: limit, active }: JobSet, running: number): void {
  must(active === running, `${running} jobs run, but ${active} are counted.`);
  must(limit === null || running <= limit, `${running} jobs run, though at most ${limit} may.`);
}

const AT_WORK: readonly Job['phase'][] = ['REQUESTED', 'RUNNING', 'RELEASING'];

const jobsAtWork = (run: Run, within: string): number =>
  [...run.jobs.values()].filter(
    ({ key, phase }) => key.startsWith(within) && AT_WORK.includes(phase),
  ).length;

/** A job that could start has started; one that has everything but a slot says so. */
function checkWaiting(run: Run, job: Job): void {
  if (job.phase !== 'WAITING' || !run.granted || !job.granted) return;
  if (!needsOf(job).every((need) => jobBeside(run, job, need)?.phase === 'COMPLETED')) return;
  const isFull = setsAround(run, job).some(({ maxParallel, active }) => maxParallel === active);
  const isReported = job.bundle === null && isFull && job.waiting?.reason === 'max-parallel';
  must(isReported, `Job ${job.key} waits for nothing.`);
}

/** Decides which failure stops the sibling jobs. A failed job in a bundle stops them as soon as the bundle is certain to fail. */
import { bundlesAround, jobsOfBundle } from './job-tree.ts';
import { isCanceled, type Job, type JobSet, type Run } from './run.ts';

export interface HaltingFailure {
  /** The job of the set that failed, or is certain to fail. */
  readonly job: Job;
  /** The job that failed: `job` itself, or a job in it, at any depth. */
  readonly failed: Job;
  /** The bundle around it whose jobs go on, since its own setting says so. Null if all jobs stop. */
  readonly spared: Job | null;
}

/** Null when none of the jobs of a set has failed, and when no other is left that could stop. */
export function failureThatHalts(
  run: Run,
  set: JobSet,
  jobsOf: () => readonly Job[],
): HaltingFailure | null {
  if (!set.failFast || set.halted) return null;
  const jobs = jobsOf();
  if (jobs.every(({ result }) => result !== null)) return null;
  for (const job of jobs) {
    const failed = failureIn(run, job);
    if (failed === null) continue;
    const failure = { job, failed, spared: sparedOf(run, job, failed) };
    if (jobs.some((each) => couldStop(run, each, failure))) return failure;
  }
  return null;
}

/** A bundle around what failed stops by its jobs alone. */
function couldStop(run: Run, job: Job, { failed, spared }: HaltingFailure): boolean {
  if (job.result !== null || job === spared) return false;
  const isAround = failed.key.startsWith(`${job.key}/`);
  const failure = { job, failed, spared };
  return !isAround || jobsOfBundle(run, job).some((inside) => couldStop(run, inside, failure));
}

/** True for a failed or overdue job, but not for one that gave way to another run. */
export function hasFailed({ result, supersededBy }: Job): boolean {
  return result === 'failure' || (result === 'cancelled' && supersededBy === null);
}

/** The job for which it is certain that this one fails, or has failed. */
function failureIn(run: Run, job: Job): Job | null {
  if (job.result !== null) return hasFailed(job) ? job : null;
  if (job.phase !== 'EXPANDED' || isCanceled(job) || mayBeForgiven(job)) return null;
  // The download job that fetches the jobs of a bundle is none of them.
  if (job.bundle?.download != null) return null;
  const failures = jobsOfBundle(run, job).flatMap((inside) => failureIn(run, inside) ?? []);
  // A cancelled job may have been cancelled because another one failed.
  return failures.find(({ result }) => result === 'failure') ?? failures[0] ?? null;
}

/** Each job of a matrix has its own `continue-on-error`, so the bundle has none. Expressions are evaluated at the end alone. */
function mayBeForgiven({ bundle, definition }: Job): boolean {
  return bundle?.category !== 'matrix' && (definition['continue-on-error'] ?? false) !== false;
}

/** The outermost bundle from `job` on inwards, around what failed, whose author wants all of its jobs to go on. */
function sparedOf(run: Run, job: Job, failed: Job): Job | null {
  if (failed === job) return null;
  const around = bundlesAround(run, failed);
  return around.slice(around.findIndex(({ key }) => key === job.key)).find(goesOn) ?? null;
}

function goesOn({ bundle, definition }: Job): boolean {
  return definition.strategy?.['fail-fast'] !== undefined && bundle?.set.failFast === false;
}

/** `bundle`: null for the workflow. */
export function haltSentence(bundle: Job | null, { job, failed, spared }: HaltingFailure): string {
  const who = bundle === null ? 'The workflow' : `Job "${bundle.name}"`;
  const where = failed === job ? '' : ` of job "${job.name}"`;
  const but = spared === null ? '' : ` Job "${spared.name}" goes on to its end.`;
  return `${who} stops: job "${failed.name}"${where} failed (fail-fast).${but}`;
}

/** How a bundle goes on: it is expanded into jobs, and these may be told to stop. Each function gives the run after. */
import type { GeneratorResultEvent, Timestamp, WorkflowJobs } from '@tutti/manifests';
import { CLEANUP_MS, epochMs } from './deadlines.ts';
import { extension } from './extensions.ts';
import { waitingJob, withoutProviderCall } from './job-progress.ts';
import { keyOf, withJob } from './job-tree.ts';
import type { Cell } from './matrix.ts';
import { emptySet, type Job, type JobSet, jobById, type Run } from './run.ts';

/** The bundle gets its jobs; all of them wait. */
export function bundleExpanded(run: Run, event: GeneratorResultEvent): Run {
  const { metadata } = event;
  const key = extension.text(metadata, 'tutti.job');
  const job = key === null ? jobById(run, metadata.job_id) : (run.jobs.get(key) ?? null);
  if (job === null || job.bundle === null || job.phase !== 'WAITING') return run;
  const { creationTimestamp: at, job_id: jobId } = metadata;
  const timeoutMs = extension.number(metadata, 'tutti.timeout-ms') ?? 0;
  const children = Object.keys(event.jobs).map((name) => keyOf(job.key, name));
  const expanded: Job = {
    ...job,
    phase: 'EXPANDED',
    jobId,
    startedAt: at,
    timeoutMs,
    deadlineMs: timeoutMs === 0 ? null : epochMs(at) + timeoutMs,
    waiting: null,
    bundle: { ...job.bundle, set: setOf(metadata), children },
  };
  return {
    ...run,
    jobs: new Map([
      ...run.jobs,
      [job.key, expanded],
      ...jobsOf(expanded, event.jobs, cellsOf(event)),
    ]),
    jobKeys: new Map(run.jobKeys).set(jobId, job.key),
  };
}

/** The jobs of a bundle, or with null those of the workflow, by key. */
export function jobsOf(
  parent: Job | null,
  jobs: WorkflowJobs,
  cells: ReadonlyMap<string, Cell>,
): readonly [string, Job][] {
  return Object.entries(jobs).map(([name, definition]) => {
    const job = waitingJob(parent, name, definition, cells.get(name) ?? null);
    return [job.key, job];
  });
}

function cellsOf({ metadata, jobs }: GeneratorResultEvent): ReadonlyMap<string, Cell> {
  const cells = extension.record(metadata, 'tutti.matrix');
  const names = Object.keys(jobs).filter((name) => Object.hasOwn(cells, name));
  return new Map(names.map((name) => [name, extension.record(cells, name)]));
}

/** What the metadata of a `Workflow` or `GeneratorResult` say of the jobs that come with it. */
export function setOf(metadata: object): JobSet {
  return {
    ...emptySet,
    maxParallel: extension.number(metadata, 'tutti.max-parallel'),
    failFast: extension.isTrue(metadata, 'tutti.fail-fast'),
  };
}

/** All jobs in the bundle that are not over are told to stop; with the empty key, all of the run. */
export function setHalted(run: Run, key: string, at: Timestamp): Run {
  const jobs = new Map(run.jobs);
  const within = key === '' ? '' : `${key}/`;
  for (const job of run.jobs.values()) {
    if (job.key.startsWith(within)) jobs.set(job.key, toldToStop(job, at));
  }
  const bundle = jobs.get(key);
  if (bundle !== undefined) jobs.set(key, withHaltedSet(bundle));
  return { ...run, jobs, set: key === '' ? { ...run.set, halted: true } : run.set };
}

/** A bundle that takes too long is over once its jobs have stopped, which have their own time to clean up. */
export function bundleOverdue(run: Run, job: Job, at: Timestamp): Run {
  return setHalted(withJob(run, { ...job, overtime: 'cleanup' }), job.key, at);
}

/** What runs may clean up for a while; what does not run yet sees that its set is halted. */
export function toldToStop(job: Job, at: Timestamp): Job {
  if (job.phase === 'COMPLETED') return job;
  if (job.phase === 'EXPANDED') return { ...withHaltedSet(job), canceled: true };
  const limitMs = epochMs(at) + CLEANUP_MS;
  const deadlineMs = job.deadlineMs === null ? null : Math.min(job.deadlineMs, limitMs);
  const canceled = job.canceled || job.phase === 'RUNNING';
  return { ...withoutProviderCall(job, 'cancelled'), deadlineMs, canceled };
}

function withHaltedSet(job: Job): Job {
  const { bundle } = job;
  if (bundle === null) return job;
  return {
    ...job,
    deadlineMs: null,
    bundle: { ...bundle, set: { ...bundle.set, halted: true } },
  };
}

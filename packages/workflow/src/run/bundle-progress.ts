/** Progress of a bundle: it is expanded into jobs, and these may be told to stop. Each function returns the changed run. */
import type { Timestamp, WorkflowJobs } from '@tutti/manifests';
import { extension } from '../facts/extensions.ts';
import type { CalledWorkflow, FactOf, Limits } from '../facts/fact.ts';
import { repositoriesOf } from './calls.ts';
import { CLEANUP_MS, earliest, epochMs } from './deadlines.ts';
import { downloadJob, downloadName } from './download.ts';
import { waitingJob, withoutProviderCall } from './job-progress.ts';
import { isHalted, keyOf, withJob } from './job-tree.ts';
import type { Cell } from './matrix.ts';
import { emptySet, type Job, type JobSet, jobById, type Run } from './run.ts';

/** Time for the answer that gives a bundle its jobs, if the bundle has no limit: as for an environment. */
const ANSWER_MS = 360 * 60_000;

/** A job fetches the workflow that gives a bundle its jobs. */
export function downloadBegun(run: Run, fact: FactOf<'DownloadBegun'>): Run {
  const { repository, path, ref, stepId } = fact;
  const { creationTimestamp: at, job_id: jobId } = fact.event.metadata;
  const job = run.jobs.get(fact.bundle);
  if (job?.phase !== 'WAITING' || job.bundle === null || jobId === undefined) return run;
  const name = downloadName(job);
  const download = { repository, path, ref, stepId, job: keyOf(job.key, name) };
  const timeoutMs = fact.timeoutMs ?? 0;
  const begun: Job = {
    ...job,
    phase: 'EXPANDED',
    jobId,
    startedAt: at,
    timeoutMs,
    // The time limit of the bundle covers the download of its jobs and the jobs themselves.
    deadlineMs: timeoutMs === 0 ? null : epochMs(at) + timeoutMs,
    waiting: null,
    bundle: { ...job.bundle, set: setOf(fact), download, children: [download.job] },
  };
  const definition = downloadJob(download, repositoriesOf(run).includes(repository));
  return {
    ...run,
    jobs: new Map([
      ...run.jobs,
      [job.key, begun],
      ...jobsOf(begun, { [name]: definition }, new Map()),
    ]),
    jobKeys: new Map(run.jobKeys).set(jobId, job.key),
  };
}

/** Somebody is asked for the jobs of a bundle. */
export function jobsAsked(run: Run, fact: FactOf<'JobsAsked'>): Run {
  const { metadata } = fact.event;
  const job = run.jobs.get(fact.job ?? metadata.name) ?? null;
  if (job === null || job.bundle === null) return run;
  if (job.phase === 'EXPANDED' && job.bundle.download !== null) {
    const { creationTimestamp: at } = metadata;
    const deadlineMs = job.deadlineMs ?? epochMs(at) + ANSWER_MS;
    return withJob(run, { ...job, phase: 'GENERATING', requestedAt: at, deadlineMs });
  }
  if (job.phase !== 'WAITING') return run;
  const { creationTimestamp: at, job_id: jobId } = metadata;
  const timeoutMs = fact.timeoutMs ?? 0;
  const limitMs = timeoutMs === 0 ? ANSWER_MS : timeoutMs;
  const asked: Job = {
    ...job,
    phase: 'GENERATING',
    jobId,
    requestedAt: at,
    timeoutMs,
    deadlineMs: epochMs(at) + (isHalted(run, job) ? Math.min(limitMs, CLEANUP_MS) : limitMs),
    waiting: null,
    bundle: { ...job.bundle, set: setOf(fact) },
  };
  return { ...withJob(run, asked), jobKeys: new Map(run.jobKeys).set(jobId, job.key) };
}

/** The bundle gets no jobs, and the run is ending already. */
export function jobsRefused(run: Run, job: Job, error: string): Run {
  const { bundle } = job;
  return bundle === null ? run : withJob(run, { ...job, bundle: { ...bundle, error } });
}

/** The bundle gets its jobs; all of them wait. */
export function bundleExpanded(run: Run, fact: FactOf<'JobsGiven'>): Run {
  const { job: key, cells, event } = fact;
  const { metadata, jobs } = event;
  const job = key === null ? jobById(run, metadata.job_id) : (run.jobs.get(key) ?? null);
  if (job?.phase !== 'WAITING' && job?.phase !== 'GENERATING') return run;
  const expanded = expandedJob(job, fact);
  return {
    ...run,
    jobs: new Map([
      ...run.jobs,
      [job.key, expanded],
      ...jobsOf(expanded, jobs, new Map(Object.entries(cells ?? {}))),
    ]),
    jobKeys: new Map(run.jobKeys).set(metadata.job_id, job.key),
  };
}

/** A bundle that asked for its jobs has had its settings since then. */
function expandedJob(job: Job, fact: FactOf<'JobsGiven'>): Job {
  const { metadata, jobs, outputs = {} } = fact.event;
  const { called } = fact;
  const { bundle } = job;
  if (bundle === null) return job;
  const { creationTimestamp: at, job_id: jobId } = metadata;
  const isAsked = job.phase === 'GENERATING';
  const timeoutMs = isAsked ? job.timeoutMs : (fact.timeoutMs ?? 0);
  return {
    ...job,
    phase: 'EXPANDED',
    jobId,
    startedAt: at,
    timeoutMs,
    deadlineMs: earliest([deadlineOf(job, timeoutMs, at), deadlineWithin(called, at)]),
    waiting: null,
    bundle: {
      ...bundle,
      download: null,
      set: setWithin(isAsked ? bundle.set : setOf(fact), called),
      children: Object.keys(jobs).map((name) => keyOf(job.key, name)),
      outputs,
      managedTests: extension.record(metadata, 'managedTests'),
      called,
    },
  };
}

function deadlineWithin(called: CalledWorkflow | null, at: Timestamp): number | null {
  return called === null || called.timeoutMs === null ? null : epochMs(at) + called.timeoutMs;
}

function deadlineOf({ bundle, deadlineMs }: Job, timeoutMs: number, at: Timestamp): number | null {
  if (timeoutMs === 0) return null;
  return bundle?.download === null ? epochMs(at) + timeoutMs : deadlineMs;
}

/** The limits of the job that calls, and those of the workflow that it calls: both hold. */
function setWithin(set: JobSet, called: CalledWorkflow | null): JobSet {
  if (called === null) return set;
  const maxParallel = earliest([set.maxParallel, called.maxParallel]);
  return { ...set, maxParallel, failFast: set.failFast || called.failFast };
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

const setOf = ({ maxParallel, failFast }: Limits): JobSet => ({
  ...emptySet,
  maxParallel,
  failFast,
});

/** Keys, for what stops because of a job that failed. */
interface Halt {
  /** The job that failed: bundles around it fail, too, and are not cancelled. */
  readonly failed: string | null;
  /** The bundle around the failed job that goes on to its end. */
  readonly spared: string | null;
}

const HALT_OF_ALL: Halt = { failed: null, spared: null };

/** All jobs in the bundle that are not over are told to stop. With the empty key, all of the run. */
export function setHalted(
  run: Run,
  key: string,
  at: Timestamp,
  { failed, spared }: Halt = HALT_OF_ALL,
): Run {
  const jobs = new Map(run.jobs);
  const within = key === '' ? '' : `${key}/`;
  for (const job of run.jobs.values()) {
    if (!job.key.startsWith(within) || isWithin(job.key, spared)) continue;
    const isAround = failed?.startsWith(`${job.key}/`) === true;
    jobs.set(job.key, isAround ? failing(job, spared !== null) : stopped(job, at));
  }
  const bundle = jobs.get(key);
  if (bundle !== undefined) jobs.set(key, withHaltedSet(bundle));
  return {
    ...run,
    jobs,
    set: key === '' ? { ...run.set, halted: true, haltedBy: failed } : run.set,
  };
}

/** A bundle that takes too long ends once its jobs have stopped. The jobs have their own time to clean up. */
export function bundleOverdue(run: Run, job: Job, at: Timestamp): Run {
  return setHalted(withJob(run, { ...job, overtime: 'cleanup' }), job.key, at);
}

/** A running job may clean up for a while. A job that has not begun sees that its set is halted. */
export function stopped(job: Job, at: Timestamp): Job {
  if (job.phase === 'COMPLETED') return job;
  // A bundle whose workflow was fetched has begun, also while somebody reads it.
  const hasBegun = job.phase === 'EXPANDED' || (job.bundle?.download ?? null) !== null;
  if (hasBegun) return { ...withHaltedSet(job), canceled: true };
  const limitMs = epochMs(at) + CLEANUP_MS;
  const deadlineMs = job.deadlineMs === null ? null : Math.min(job.deadlineMs, limitMs);
  const canceled = job.canceled || job.phase === 'RUNNING';
  return { ...withoutProviderCall(job, 'cancelled'), deadlineMs, canceled };
}

const isWithin = (key: string, bundle: string | null): boolean =>
  bundle !== null && (key === bundle || key.startsWith(`${bundle}/`));

/** Its deadline stays while some of its jobs go on. */
function failing(job: Job, goesOn: boolean): Job {
  return job.phase === 'COMPLETED'
    ? job
    : { ...withHaltedSet(job), ...(goesOn ? { deadlineMs: job.deadlineMs } : {}) };
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

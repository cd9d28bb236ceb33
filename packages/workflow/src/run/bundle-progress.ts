/** How a bundle goes on: it is expanded into jobs, and these may be told to stop. Each function gives the run after. */
import type {
  GeneratorCommandEvent,
  GeneratorResultEvent,
  JobId,
  NotificationEvent,
  Timestamp,
  Variables,
  WorkflowJobs,
} from '@tutti/manifests';
import { repositoriesOf } from './calls.ts';
import { CLEANUP_MS, earliest, epochMs } from './deadlines.ts';
import { downloadIn, downloadJob, downloadName, fetchedIn } from './download.ts';
import { extension } from './extensions.ts';
import { waitingJob, withoutProviderCall } from './job-progress.ts';
import { isHalted, keyOf, withJob } from './job-tree.ts';
import type { Cell } from './matrix.ts';
import { type CalledWorkflow, emptySet, type Job, type JobSet, jobById, type Run } from './run.ts';

/** How long somebody may take to give the jobs of a bundle that has no time limit, like a job that waits for an environment. */
const ANSWER_MS = 360 * 60_000;

/** A job fetches the workflow that gives a bundle its jobs. */
export function downloadBegun(run: Run, event: NotificationEvent): Run {
  const { metadata } = event;
  const found = downloadIn(event);
  const job = found === null ? undefined : run.jobs.get(found.bundle);
  const { job_id: jobId } = metadata;
  if (found === null || job?.phase !== 'WAITING' || job.bundle === null || jobId === undefined) {
    return run;
  }
  const name = downloadName(job);
  const { bundle: _, ...reference } = found;
  const download = { ...reference, job: keyOf(job.key, name) };
  const bundle = { ...job.bundle, set: setOf(metadata), download, children: [download.job] };
  const begun: Job = { ...withBegin(job, jobId, event), bundle };
  const definition = downloadJob(download, repositoriesOf(run).includes(download.repository));
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

/** Its time limit is for all that comes: its jobs, and what it takes to get them. */
function withBegin(job: Job, jobId: JobId, { metadata }: NotificationEvent): Job {
  const { creationTimestamp: at } = metadata;
  const timeoutMs = extension.number(metadata, 'tutti.timeout-ms') ?? 0;
  const deadlineMs = timeoutMs === 0 ? null : epochMs(at) + timeoutMs;
  return { ...job, phase: 'EXPANDED', jobId, startedAt: at, timeoutMs, deadlineMs, waiting: null };
}

/** Somebody is asked for the jobs of a bundle. */
export function jobsAsked(run: Run, event: GeneratorCommandEvent): Run {
  const { metadata } = event;
  const job = run.jobs.get(extension.text(metadata, 'tutti.job') ?? metadata.name) ?? null;
  if (job === null || job.bundle === null) return run;
  if (job.phase === 'EXPANDED' && job.bundle.download !== null) {
    const { creationTimestamp: at } = metadata;
    const deadlineMs = job.deadlineMs ?? epochMs(at) + ANSWER_MS;
    return withJob(run, { ...job, phase: 'GENERATING', requestedAt: at, deadlineMs });
  }
  if (job.phase !== 'WAITING') return run;
  const { creationTimestamp: at, job_id: jobId } = metadata;
  const timeoutMs = extension.number(metadata, 'tutti.timeout-ms') ?? 0;
  const limitMs = timeoutMs === 0 ? ANSWER_MS : timeoutMs;
  const asked: Job = {
    ...job,
    phase: 'GENERATING',
    jobId,
    requestedAt: at,
    timeoutMs,
    deadlineMs: epochMs(at) + (isHalted(run, job) ? Math.min(limitMs, CLEANUP_MS) : limitMs),
    waiting: null,
    bundle: { ...job.bundle, set: setOf(metadata) },
  };
  return { ...withJob(run, asked), jobKeys: new Map(run.jobKeys).set(jobId, job.key) };
}

/** Nobody gives this bundle its jobs, and the run is ending already. */
export function jobsRefused(run: Run, job: Job, error: string): Run {
  const { bundle } = job;
  return bundle === null ? run : withJob(run, { ...job, bundle: { ...bundle, error } });
}

/** The bundle gets its jobs; all of them wait. */
export function bundleExpanded(run: Run, event: GeneratorResultEvent): Run {
  const { metadata } = event;
  const key = extension.text(metadata, 'tutti.job');
  const job = key === null ? jobById(run, metadata.job_id) : (run.jobs.get(key) ?? null);
  if (job?.phase !== 'WAITING' && job?.phase !== 'GENERATING') return run;
  const expanded = expandedJob(job, event);
  return {
    ...run,
    jobs: new Map([
      ...run.jobs,
      [job.key, expanded],
      ...jobsOf(expanded, event.jobs, cellsOf(event)),
    ]),
    jobKeys: new Map(run.jobKeys).set(metadata.job_id, job.key),
  };
}

/** What was asked for has its settings since then. */
function expandedJob(job: Job, { metadata, jobs, outputs = {} }: GeneratorResultEvent): Job {
  const { bundle } = job;
  if (bundle === null) return job;
  const { creationTimestamp: at, job_id: jobId } = metadata;
  const isAsked = job.phase === 'GENERATING';
  const called = calledIn(metadata);
  const timeoutMs = isAsked ? job.timeoutMs : (extension.number(metadata, 'tutti.timeout-ms') ?? 0);
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
      set: setWithin(isAsked ? bundle.set : setOf(metadata), called),
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

/** As the server wrote it, which alone can, and the run evaluated it. */
export function calledIn(metadata: object): CalledWorkflow | null {
  const called = extension.record(metadata, 'tutti.called');
  const name = extension.text(called, 'name');
  const uses = extension.record(metadata, 'tutti.uses');
  const file = extension.text(uses, 'file');
  if (name === null || file === null) return null;
  return {
    file,
    fetched: fetchedIn(uses),
    name,
    inputs: extension.record(called, 'inputs'),
    variables: extension.record(called, 'variables') as Variables,
    defaults: extension.record(called, 'defaults') as CalledWorkflow['defaults'],
    files: extension.list(called, 'files'),
    hooks: extension.hooks(called, 'hooks'),
    timeoutMs: extension.number(called, 'timeout-ms'),
    maxParallel: extension.number(called, 'max-parallel'),
    failFast: extension.isTrue(called, 'fail-fast'),
  };
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

/** The jobs of a bundle, or with the empty key those of the workflow, stop because of one that failed. */
export function haltedByFailure(run: Run, key: string, { spec, metadata }: NotificationEvent): Run {
  const failed = extension.text(spec, 'tutti.failed');
  const spared = extension.text(spec, 'tutti.spared');
  return setHalted(run, key, metadata.creationTimestamp, { failed, spared });
}

/** Keys, for what stops because of a job that failed. */
interface Halt {
  /** Of the job: what is around it fails, too, and is not cancelled. */
  readonly failed: string | null;
  /** Of the bundle around it that goes on to its end. */
  readonly spared: string | null;
}

const HALT_OF_ALL: Halt = { failed: null, spared: null };

/** All jobs in the bundle that are not over are told to stop; with the empty key, all of the run. */
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
    jobs.set(job.key, isAround ? failing(job, spared !== null) : toldToStop(job, at));
  }
  const bundle = jobs.get(key);
  if (bundle !== undefined) jobs.set(key, withHaltedSet(bundle));
  return {
    ...run,
    jobs,
    set: key === '' ? { ...run.set, halted: true, haltedBy: failed } : run.set,
  };
}

/** A bundle that takes too long is over once its jobs have stopped, which have their own time to clean up. */
export function bundleOverdue(run: Run, job: Job, at: Timestamp): Run {
  return setHalted(withJob(run, { ...job, overtime: 'cleanup' }), job.key, at);
}

/** What runs may clean up for a while; what does not run yet sees that its set is halted. */
export function toldToStop(job: Job, at: Timestamp): Job {
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

/** Where some of its jobs go on, so does its time. */
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

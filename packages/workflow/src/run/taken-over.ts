/** Results that a rerun takes over from an earlier run, so that it runs only the rest. */
import type { AttachmentId } from '@tutti/manifests';
import { type Artifact, artifactOfPath } from '../environment/attachments.ts';
import { maskEntries, takenEntries } from '../facts/encode.ts';
import type { TakenJob } from '../facts/fact.ts';
import { needsOf } from './contexts.ts';
import { isDownload } from './download.ts';
import { jobBeside, jobsOfBundle, jobsOfWorkflow } from './job-tree.ts';
import { markOf } from './rerun.ts';
import type { Job, Run } from './run.ts';

export interface TakenOver {
  /** Entries for the metadata of the `Workflow` event of the later run. */
  readonly metadata: object;
  /** Artifacts of jobs that do not run again. */
  readonly artifacts: readonly Artifact[];
  /** Nothing is left to run: all jobs were taken over. */
  readonly isAll: boolean;
}

/**
 * A job is taken over if it succeeded, or was skipped, and so did all jobs that it needs. A job that needs a rerun one may end in another
 * way, as with `if: failure()`. For a bundle that runs again, the jobs in it are looked at, if nothing before it changes.
 */
export function takenOver(run: Run): TakenOver {
  const taken = new Map<string, Job>();
  const jobs = jobsOfWorkflow(run);
  takeAmong(run, jobs, taken);
  const uploads = uploadsOf(run, taken);
  const entries = [...taken].map(([key, job]) => [key, takenJob(run, job, uploads)] as const);
  const { workflowId: from, masks } = run;
  return {
    // Outputs that are taken over may contain masked texts of the earlier run.
    metadata: { ...takenEntries(from, Object.fromEntries(entries)), ...maskEntries(masks) },
    artifacts: artifactsOf(run, uploads),
    isAll: jobs.every(({ key }) => taken.has(key)),
  };
}

function takeAmong(run: Run, jobs: readonly Job[], taken: Map<string, Job>): void {
  const changes = changesAmong(run);
  for (const job of jobs) {
    if (!changes(job)) taken.set(job.key, job);
    else if (job.bundle !== null && !needsThatChange(run, job, changes)) {
      takeAmong(run, jobsOfBundle(run, job), taken);
    }
  }
}

type Changes = (job: Job) => boolean;

/** Whether a job runs again, with memory: many jobs may need the same. */
function changesAmong(run: Run): Changes {
  const known = new Map<string, boolean>();
  const changes: Changes = (job) => {
    const answer = known.get(job.key);
    if (answer !== undefined) return answer;
    // No run with a cycle of needs is accepted, but events of other servers may have one.
    known.set(job.key, true);
    const isDone = job.result === 'success' || job.result === 'skipped';
    const changed = !isDone || isDownload(job) || needsThatChange(run, job, changes);
    known.set(job.key, changed);
    return changed;
  };
  return changes;
}

function needsThatChange(run: Run, job: Job, changes: Changes): boolean {
  return needsOf(job).some((name) => {
    const need = jobBeside(run, job, name);
    return need === null || changes(need);
  });
}

type Uploads = ReadonlyMap<AttachmentId, string>;

function takenJob(run: Run, job: Job, uploads: Uploads): TakenJob {
  const { key, result, outputs, jobId } = job;
  const ofJob = [...uploads].filter(([, by]) => by === key).map(([id]) => id);
  return {
    result: result ?? 'skipped',
    outputs,
    mark: markOf(run, job),
    jobId,
    artifacts: ofJob,
  };
}

/** Attachments and artifacts by id, each with the key of the job that is taken over with it. */
function uploadsOf(run: Run, taken: ReadonlyMap<string, Job>): Uploads {
  const uploads = new Map<AttachmentId, string>();
  const add = (key: string, ids: Iterable<AttachmentId>) => {
    const by = takenWith(taken, key);
    if (by !== null) for (const id of ids) uploads.set(id, by);
  };
  for (const [key, { artifacts }] of run.taken?.jobs ?? []) add(key, artifacts);
  for (const { key, attachments } of run.jobs.values()) add(key, attachments.keys());
  return uploads;
}

/** Finds the job, or the bundle around it, that is taken over; null where none is. */
export function takenWith(taken: { has(key: string): boolean }, key: string): string | null {
  const names = key.split('/');
  const around = names.map((_, index) => names.slice(0, index + 1).join('/'));
  return around.find((each) => taken.has(each)) ?? null;
}

function artifactsOf(run: Run, uploads: Uploads): readonly Artifact[] {
  return run.artifacts.flatMap((path) => {
    const artifact = artifactOfPath(path);
    return artifact !== null && uploads.has(artifact.uuid) ? [artifact] : [];
  });
}

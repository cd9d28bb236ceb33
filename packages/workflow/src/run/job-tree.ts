/** The jobs of a run as a tree. A bundle has jobs of its own, which may be bundles again. */
import type { WorkflowJob } from '@tutti/manifests';
import type { CalledWorkflow, Job, JobSet, Run } from './run.ts';
import { withEntry } from './with-entry.ts';

export function keyOf(parent: string | null, name: string): string {
  return parent === null ? name : `${parent}/${name}`;
}

/** The last name of a key. */
export const nameOfKey = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

/** The bundle that a job is of; null for a job of the workflow. */
export function parentOf(run: Run, job: Job): Job | null {
  return job.parent === null ? null : (run.jobs.get(job.parent) ?? null);
}

/** The bundles around a job, the outermost first. */
export function bundlesAround(run: Run, job: Job): readonly Job[] {
  const around: Job[] = [];
  for (let each = parentOf(run, job); each !== null; each = parentOf(run, each)) around.push(each);
  return around.reverse();
}

/** The definition that counts for a job and the jobs in it. A matrix has none: each of its jobs has its own copy. */
export function ownDefinition({ bundle, definition }: Job): WorkflowJob {
  return bundle?.category === 'matrix' ? {} : definition;
}

/** The bundle whose contexts a job sees, too. Null for jobs of a generator or a called workflow: they do not see their bundle. */
export function bundleSeenFrom(run: Run, job: Job): Job | null {
  const around = parentOf(run, job);
  const category = around?.bundle?.category;
  return category === 'generator' || category === 'uses' ? null : around;
}

/** The called workflow whose job this is; null for a job of the workflow that was started. */
export function calledAround(run: Run, job: Job): CalledWorkflow | null {
  return bundlesAround(run, job).findLast(({ bundle }) => bundle?.called)?.bundle?.called ?? null;
}

/** The job of this name in the same set, as `needs` says it. */
export function jobBeside(run: Run, job: Job, name: string): Job | null {
  return run.jobs.get(keyOf(job.parent, name)) ?? null;
}

export function jobsOfBundle(run: Run, bundle: Job): readonly Job[] {
  return (bundle.bundle?.children ?? []).flatMap((key) => run.jobs.get(key) ?? []);
}

export function jobsOfWorkflow(run: Run): readonly Job[] {
  return [...run.jobs.values()].filter(({ parent }) => parent === null);
}

/** The sets that a job is in, from its own to that of the workflow. */
export function setsAround(run: Run, job: Job): readonly JobSet[] {
  const sets: JobSet[] = [];
  for (let each = parentOf(run, job); each !== null; each = parentOf(run, each)) {
    if (each.bundle !== null) sets.push(each.bundle.set);
  }
  return [...sets, run.set];
}

/** The jobs beside this one that are not over were told to stop, and so is this one. */
export function isHalted(run: Run, job: Job): boolean {
  if (run.cancellation?.cause === 'error') return true;
  const parent = parentOf(run, job);
  return parent === null
    ? run.cancellation !== null || run.set.halted
    : parent.bundle?.set.halted === true;
}

/** Only a job of steps has, or asks for, an environment. */
function isActive({ bundle, phase }: Job): boolean {
  return bundle === null && (phase === 'REQUESTED' || phase === 'RUNNING' || phase === 'RELEASING');
}

/** The run with this job in the place of the one of the same key. Keeps the counts of the sets around it. */
export function withJob(run: Run, job: Job): Run {
  const before = run.jobs.get(job.key);
  let jobs = withEntry(run.jobs, job.key, job);
  const change = Number(isActive(job)) - Number(before !== undefined && isActive(before));
  if (change === 0) return { ...run, jobs };
  const counted = (set: JobSet): JobSet => ({ ...set, active: set.active + change });
  for (const around of bundlesAround(run, job)) {
    const { bundle } = around;
    if (bundle === null) continue;
    const set = counted(bundle.set);
    jobs = withEntry(jobs, around.key, { ...around, bundle: { ...bundle, set } });
  }
  return { ...run, jobs, set: counted(run.set) };
}

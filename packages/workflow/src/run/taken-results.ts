/** Test results of earlier runs that belong to a run, too: those of the jobs that it took over. */
import type { JobId, WorkflowId } from '@tutti/manifests';
import { markOf } from './rerun.ts';
import type { Run } from './run.ts';
import { takenWith } from './taken-over.ts';

export interface TakenResults {
  readonly from: WorkflowId;
  /** Keys of the jobs in that run, with the jobs in them. */
  readonly keys: ReadonlySet<string>;
}

/** Null where a run took over nothing that may have results. Skipped jobs have none. */
export function takenResults(run: Run): TakenResults | null {
  if (run.taken === null) return null;
  const keys = [...run.taken.jobs].flatMap(([key, { result, mark }]) => {
    const job = run.jobs.get(key);
    const isTaken = job !== undefined && mark === markOf(run, job);
    return isTaken && result !== 'skipped' ? [key] : [];
  });
  return keys.length === 0 ? null : { from: run.taken.from, keys: new Set(keys) };
}

export interface JobsWithin {
  readonly ids: ReadonlySet<JobId>;
  readonly names: ReadonlySet<string>;
  /** Keys of jobs whose results the run has itself. */
  readonly keys: readonly string[];
  /** Results that come from an earlier run. */
  readonly taken: TakenResults | null;
}

/** The jobs of these keys, and those in them. */
export function jobsWithin(run: Run, keys: ReadonlySet<string>): JobsWithin {
  const all = takenResults(run);
  const before = [...(all?.keys ?? [])].filter((key) => takenWith(keys, key) !== null);
  const jobs = [...run.jobs.values()].filter(({ key }) => takenWith(keys, key) !== null);
  return {
    ids: new Set(jobs.flatMap(({ jobId }) => jobId ?? [])),
    names: new Set(jobs.map(({ name }) => name)),
    keys: [...keys].filter((key) => !before.includes(key)),
    taken: all === null || before.length === 0 ? null : { ...all, keys: new Set(before) },
  };
}

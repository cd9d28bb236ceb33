/**
 * Lists of jobs of which none has a next event (`nextJobEvent`), found without a look at each job. A run of a thousand jobs has thousands of
 * decisions, and each looks for such jobs last.
 */
import { needsOf } from './contexts.ts';
import { isCanceled, type Job, type Run } from './run.ts';
import { listsOf, placesOf, rememberedByList } from './with-entry.ts';

/** False also where only a look at the jobs can tell. */
export function isQuietList(run: Run, index: number): boolean {
  const { jobs } = run;
  // In other runs, the next events depend on more than the jobs and those that they need.
  const isPlain =
    run.cancellation === null && !run.set.halted && run.chosen === null && run.taken === null;
  if (!isPlain || placesOf(jobs) === null) return false;
  const list = listsOf(jobs)[index];
  const awaited = list === undefined ? null : awaitedBy(list);
  return awaited?.every((key) => jobs.get(key)?.phase !== 'COMPLETED') ?? false;
}

/** Jobs outside of a list without whose end nothing happens in the list. Null where something may happen anyway. */
const awaitedBy = rememberedByList((list: readonly Job[]): readonly string[] | null => {
  const phases = new Map(list.map(({ key, phase }) => [key, phase]));
  const awaited = new Set<string>();
  for (const job of list) {
    if (isBusy(job)) continue;
    if (job.phase !== 'WAITING' || job.parent !== null) return null;
    const needs = needsOf(job);
    if (needs.some((key) => phases.has(key) && phases.get(key) !== 'COMPLETED')) continue;
    const outside = needs.findLast((key) => !phases.has(key));
    if (outside === undefined) return null;
    awaited.add(outside);
  }
  return [...awaited];
});

/** The job is over, or goes on when its environment answers. Only a halt of the run, or of a bundle, changes that. */
function isBusy(job: Job): boolean {
  switch (job.phase) {
    case 'COMPLETED':
    case 'RELEASING':
      return true;
    case 'REQUESTED':
      return job.parent === null;
    case 'RUNNING':
      return job.command === null ? job.providerCall !== null : !isCanceled(job);
    default:
      return false;
  }
}

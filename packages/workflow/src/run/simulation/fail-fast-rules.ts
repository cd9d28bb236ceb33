/** Expected effects of a failure. This looks from failed jobs outwards, while the run looks from the sets inwards. */
import { isDownload } from '../download.ts';
import { bundlesAround } from '../job-tree.ts';
import { isCanceled, type Job, type Run } from '../run.ts';
import { must } from './must.ts';

/** Keys of the sets of jobs in which a failure counts. They are its own set and the outer ones, until one forgives it. */
export function setsThatFailWith(run: Run, failed: Job): readonly string[] {
  const around = [...bundlesAround(run, failed)].reverse();
  const end = around.findIndex((bundle) => !isLost(bundle));
  const keys = around.map(({ key }) => key);
  return end === -1 ? [...keys, ''] : keys.slice(0, end + 1);
}

/** A bundle in which a job has failed, and that nothing can make good. */
function isLost({ bundle, definition }: Job): boolean {
  const isForgiving = bundle?.category !== 'matrix' && definition['continue-on-error'];
  return isForgiving === false || isForgiving === undefined;
}

/** No job is left alone beside one for which it should stop. */
export function checkFailFast(run: Run): void {
  if (run.cancellation !== null) return;
  for (const job of run.jobs.values()) {
    const isFailure = job.result === 'failure' && !isDownload(job);
    if (isFailure) checkFailure(run, job);
  }
}

function checkFailure(run: Run, failed: Job): void {
  const around = bundlesAround(run, failed);
  for (const key of setsThatFailWith(run, failed)) {
    const bundle = run.jobs.get(key) ?? null;
    // A bundle that ends for another reason stops all of its jobs.
    if (bundle !== null && (bundle.phase !== 'EXPANDED' || isCanceled(bundle))) return;
    const { failFast, halted } = bundle?.bundle?.set ?? run.set;
    if (!failFast || halted) continue;
    const within = around.slice(bundle === null ? 0 : around.indexOf(bundle) + 1);
    const open = jobsThatStop(run, key, within);
    must(open.length === 0, `Job ${open[0]?.key} goes on, though ${failed.key} failed.`);
  }
}

/** Jobs of a set that must stop: all that are not over, except those around the failure, and spared ones. */
function jobsThatStop(run: Run, set: string, around: readonly Job[]): readonly Job[] {
  const keys = around.map(({ key }) => key);
  const spared = around.find(
    ({ definition, bundle }) =>
      definition.strategy?.['fail-fast'] !== undefined && bundle?.set.failFast === false,
  );
  return [...run.jobs.values()].filter(
    ({ key, result }) =>
      result === null &&
      (set === '' || key.startsWith(`${set}/`)) &&
      !keys.includes(key) &&
      !(spared !== undefined && key.startsWith(`${spared.key}/`)),
  );
}

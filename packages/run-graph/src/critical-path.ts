/** Which jobs made a run as long as it was. */
import type { GraphJob } from './fold-jobs.ts';

export interface TimedJob extends Pick<GraphJob, 'key' | 'needs'> {
  /** Epoch milliseconds; null while it has not ended. */
  readonly endedAt: number | null;
}

/** Keys from the first job on. The last is the job that ended last, before it the one that it waited for longest. No bundles. */
export function criticalPath(jobs: readonly TimedJob[]): readonly string[] {
  const ofKey = new Map(jobs.map((job) => [job.key, job]));
  const bundles = new Set(jobs.map(({ key }) => key.slice(0, Math.max(0, key.lastIndexOf('/')))));
  const leaves = jobs.filter(({ key }) => !bundles.has(key));
  const lastOf = (list: readonly TimedJob[]): TimedJob | null =>
    list.reduce<TimedJob | null>(
      (last, job) => ((job.endedAt ?? 0) > (last?.endedAt ?? 0) ? job : last),
      null,
    );
  const path: string[] = [];
  const seen = new Set<TimedJob>();
  for (let job = lastOf(leaves); job !== null && !seen.has(job); ) {
    seen.add(job);
    path.push(job.key);
    const needs = needsOf(ofKey, job);
    job = lastOf(leaves.filter(({ key }) => needs.some((need) => isIn(key, need))));
  }
  return path.toReversed();
}

/** Its needs, or those of the nearest bundle around it that has some. */
function needsOf(jobs: ReadonlyMap<string, TimedJob>, job: TimedJob): readonly string[] {
  for (let key = job.key; key !== ''; key = key.slice(0, Math.max(0, key.lastIndexOf('/')))) {
    const needs = jobs.get(key)?.needs ?? [];
    if (needs.length > 0) return needs;
  }
  return [];
}

const isIn = (key: string, bundle: string): boolean =>
  key === bundle || key.startsWith(`${bundle}/`);

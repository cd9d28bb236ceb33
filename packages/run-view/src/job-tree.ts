/** Chooses the jobs of a running run to show, and their depth. It shows running and waiting jobs, and the bundles around them. */

import { countOf } from '@tutti/manifests';
import { isTooDeep } from './bounds.ts';
import type { CallView, JobView, StepView } from './job-view.ts';
import type { RunView } from './run-view.ts';

export interface TreeNode {
  readonly job: JobView;
  /** Number of bundles around the job that are shown above it. */
  readonly depth: number;
  /** Without the names of those bundles. */
  readonly name: string;
}

export interface JobTree {
  /** In the order of the workflow; the jobs of a bundle follow it. */
  readonly nodes: readonly TreeNode[];
  readonly hiddenRunning: number;
  readonly hiddenWaiting: number;
}

/**
 * The tree of jobs with at most `rowsMax` nodes. A line that says that jobs are hidden takes one row. Running jobs precede waiting ones.
 * With `jobDepth`, a bundle at that depth stands for the jobs in it (0: no limit).
 */
export function jobTree({ jobs }: RunView, rowsMax: number, jobDepth = 0): JobTree {
  const open = [...jobs.values()].filter(({ phase, isBundle }) => !isBundle && phase !== 'ENDED');
  const shown = (phase: JobView['phase']) =>
    new Set(open.filter((job) => job.phase === phase).map((job) => standIn(jobs, job, jobDepth)));
  const running = shown('RUNNING');
  const waiting = [...shown('WAITING')].filter((job) => !running.has(job));
  const all = [...running, ...waiting];
  const chosen = all.slice(0, Math.max(0, rowsMax));
  for (;;) {
    const isCut = chosen.length < all.length;
    const keys = withBundles(jobs, chosen);
    if (chosen.length === 0 || keys.size + (isCut ? 1 : 0) <= rowsMax) {
      const shownRunning = chosen.filter((job) => running.has(job)).length;
      return {
        nodes: nodesOf(jobs, keys),
        hiddenRunning: running.size - shownRunning,
        hiddenWaiting: waiting.length - (chosen.length - shownRunning),
      };
    }
    chosen.pop();
  }
}

/** The job itself, or the bundle shown instead. */
export function standIn(jobs: RunView['jobs'], job: JobView, jobDepth: number): JobView {
  const around = keysAround(job.key).length;
  if (!isTooDeep(around, jobDepth)) return job;
  return jobs.get(job.key.split('/').slice(0, jobDepth).join('/')) ?? job;
}

function withBundles(jobs: RunView['jobs'], chosen: readonly JobView[]): ReadonlySet<string> {
  const keys = new Set(chosen.map(({ key }) => key));
  for (const { key } of chosen) {
    for (const around of keysAround(key)) if (jobs.has(around)) keys.add(around);
  }
  return keys;
}

/** Keys of the bundles around a job, nearest first. */
function keysAround(key: string): readonly string[] {
  const end = key.lastIndexOf('/');
  return end < 0 ? [] : [key.slice(0, end), ...keysAround(key.slice(0, end))];
}

function nodesOf(jobs: RunView['jobs'], keys: ReadonlySet<string>): readonly TreeNode[] {
  return [...jobs.values()]
    .filter(({ key }) => keys.has(key))
    .map((job) => {
      const bundles = keysAround(job.key).flatMap((key) => jobs.get(key) ?? []);
      const path = `${bundles[0]?.name}/`;
      const name = job.name.startsWith(path) ? job.name.slice(path.length) : job.name;
      return { job, depth: bundles.length, name };
    });
}

/** Progress of a bundle. */
export function bundleText({ jobs }: RunView, { key }: JobView): string {
  const inside = [...jobs.values()].filter((job) => !job.isBundle && job.key.startsWith(`${key}/`));
  const ended = inside.filter(({ phase }) => phase === 'ENDED').length;
  return `${ended} of ${countOf(inside.length, 'job')} done`;
}

/** The current step of a job, or the function shown instead. */
export const shownStep = (job: JobView, stepDepth: number): StepView | CallView | null =>
  isTooDeep(job.current?.depth ?? 0, stepDepth) ? job.call : job.current;

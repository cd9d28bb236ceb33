/** Differences between two runs, as far as their documents have them. */
import { parseTimestamp } from '@tutti/manifests';
import type { RunDocument } from './run-document.ts';

type Job = RunDocument['jobs'][number];

/** A job of both runs. */
export interface JobPair {
  readonly key: string;
  readonly name: string;
  readonly before: Job;
  readonly after: Job;
}

export interface RunDifferences {
  readonly onlyBefore: readonly Job[];
  readonly onlyAfter: readonly Job[];
  /** With another result. */
  readonly changed: readonly JobPair[];
  /** With the same result, and much slower. */
  readonly slower: readonly JobPair[];
  readonly same: number;
  /** In another environment, or for other tags, whatever their results are. */
  readonly moved: readonly JobPair[];
}

/** Less is chance. */
const SLOWER_SHARE = 0.2;
const SLOWER_MS = 1_000;

/** Jobs are the same if their keys are; bundles stand for their jobs. */
export function runDifferences(before: RunDocument, after: RunDocument): RunDifferences {
  const earlier = jobsIn(before);
  const later = jobsIn(after);
  const pairs = [...later].flatMap(([key, job]): readonly JobPair[] => {
    const other = earlier.get(key);
    return other === undefined ? [] : [{ key, name: job.name, before: other, after: job }];
  });
  const changed = pairs.filter((pair) => pair.before.status !== pair.after.status);
  const slower = pairs.filter((pair) => !changed.includes(pair) && isSlower(pair));
  return {
    onlyBefore: [...earlier.values()].filter(({ key }) => !later.has(key)),
    onlyAfter: [...later.values()].filter(({ key }) => !earlier.has(key)),
    changed,
    slower,
    same: pairs.length - changed.length - slower.length,
    moved: pairs.filter(isMoved),
  };
}

const jobsIn = ({ jobs }: RunDocument): ReadonlyMap<string, Job> =>
  new Map(jobs.flatMap((job) => (job.jobs === null ? [[job.key, job] as const] : [])));

/** Running time of a job in milliseconds; null for one that did not run, or still does. */
export function durationOf({ started, ended }: Pick<Job, 'started' | 'ended'>): number | null {
  const from = parseTimestamp(started ?? '');
  const to = parseTimestamp(ended ?? '');
  return from === null || to === null ? null : to - from;
}

/** Jobs that did not get to an environment in both runs say nothing of them. */
function isMoved({ before, after }: JobPair): boolean {
  if (before.environment === null || after.environment === null) return false;
  return before.environment !== after.environment || tagsText(before) !== tagsText(after);
}

const tagsText = ({ tags }: Job): string => JSON.stringify([...(tags ?? [])].sort());

function isSlower({ before, after }: JobPair): boolean {
  const [one, other] = [durationOf(before), durationOf(after)];
  if (one === null || other === null) return false;
  return other - one > SLOWER_MS && other > one * (1 + SLOWER_SHARE);
}

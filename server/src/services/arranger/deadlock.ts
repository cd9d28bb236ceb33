/**
 * Claims that wait for each other in a circle. Who holds a group, a run or a bundle, gives it up when all jobs in it have ended; where
 * one of these waits for a group, the holder waits with it. What waits for a single job waits for no group.
 */
import type { Claim } from './claim.ts';

/** How claims stand at one moment. */
export interface ClaimStanding {
  /** Who holds the group of a claim that waits for it; null for one that holds it, or that will not wait for ever. */
  holderFor(claim: Claim): Claim | null;
  /** The claims of jobs in the run, or in the bundle, whose claim this is. */
  within(holder: Claim): Iterable<Claim>;
}

/** Whether what a claim waits for waits, at last, for the claim itself. */
export function isInCircle(claim: Claim, standing: ClaimStanding): boolean {
  const holders = [standing.holderFor(claim)];
  const seen = new Set<string>();
  for (const holder of holders) {
    if (holder === null || seen.has(keyOf(holder))) continue;
    if (isWithin(holder, claim)) return true;
    seen.add(keyOf(holder));
    for (const other of standing.within(holder)) holders.push(standing.holderFor(other));
  }
  return false;
}

const keyOf = ({ workflowId, job }: Claim): string => `${workflowId} ${job ?? ''}`;

/** Whether a claim is that of a job in the run, or in the bundle, whose claim the first one is. */
function isWithin(outer: Claim, { workflowId, job }: Claim): boolean {
  if (outer.workflowId !== workflowId || job === null) return false;
  return outer.job === null || job.startsWith(`${outer.job}/`);
}

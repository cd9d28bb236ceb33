/**
 * Finds claims that wait for each other in a circle. A run or bundle that holds a group gives it up when all its jobs have ended.
 * If one of these jobs waits for a group, the holder waits, too. A holder that is a single job waits for no group.
 */
import type { Claim } from './claim.ts';

/** The holders and the waiting claims at one moment. */
export interface ClaimStanding {
  /** The holder of the group that a claim waits for; null if the claim holds it, or will not wait for ever. */
  holderFor(claim: Claim): Claim | null;
  /** Claims of jobs in the holder's run or bundle. */
  within(holder: Claim): Iterable<Claim>;
}

/** Whether the claim waits, through others, for itself. */
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

/** Whether a claim belongs to a job in the outer claim's run or bundle. */
function isWithin(outer: Claim, { workflowId, job }: Claim): boolean {
  if (outer.workflowId !== workflowId || job === null) return false;
  return outer.job === null || job.startsWith(`${outer.job}/`);
}

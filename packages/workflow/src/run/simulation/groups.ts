/** Concurrency groups as other runs would leave them: at times held for a while, granted in the end. */
import type { WorkflowId } from '@tutti/manifests';
import { groupClaims } from '../concurrency.ts';
import type { RunInput } from '../decide.ts';
import type { Run } from '../run.ts';
import type { Random } from './random.ts';

/** One input for each group that the run waits for. A group that the run itself holds is never granted to it again. */
export function groupInputs(run: Run, random: Random): readonly RunInput[] {
  const claims = groupClaims(run);
  const taken = new Set(claims.filter(({ holds }) => holds).map(({ group }) => group));
  return claims
    .filter(({ holds }) => !holds)
    .map(({ job, group }) => {
      const isFree = !taken.has(group) && random.chance(0.5);
      if (isFree) taken.add(group);
      const heldBy = (taken.has(group) ? 'workflow' : 'other') as WorkflowId;
      return isFree ? { type: 'granted', job } : { type: 'held', job, group, heldBy };
    });
}

/** Another run takes over a group that the run holds or waits for. Null where it has none. */
export function takeover(run: Run, random: Random): RunInput | null {
  const claims = groupClaims(run);
  const claim = claims[random.below(claims.length)];
  if (claim === undefined) return null;
  return { type: 'superseded', job: claim.job, group: claim.group, by: 'other' as WorkflowId };
}

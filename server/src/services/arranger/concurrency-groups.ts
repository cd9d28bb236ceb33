/**
 * Who holds which concurrency group. A group belongs to one holder at a time, in the order of asking; the registry is rebuilt
 * from the live runs at start, where what was granted stands in their logs.
 */
import type { WorkflowId } from '@tutti/manifests';
import { groupClaims, type Run } from '@tutti/workflow';

/** `job` is null for the group of the workflow itself. */
export interface Claim {
  readonly workflowId: WorkflowId;
  readonly job: string | null;
  /** Groups of different namespaces never meet. */
  readonly namespace: string;
  readonly group: string;
}

export interface GroupChange {
  readonly granted: readonly Claim[];
  readonly held: readonly (Claim & { readonly heldBy: WorkflowId })[];
}

interface Group {
  holder: Claim;
  readonly waiting: Claim[];
}

const sameClaim = (a: Claim, b: Claim): boolean =>
  a.workflowId === b.workflowId && a.job === b.job && a.group === b.group;

/** Names of namespaces have no slash. */
const keyOf = ({ namespace, group }: Claim): string => `${namespace}/${group}`;

export class ConcurrencyGroups {
  readonly #groups = new Map<string, Group>();
  readonly #byRun = new Map<WorkflowId, readonly Claim[]>();

  /** At start, for all runs before any `update`: what was granted before the restart is held before anybody else asks. */
  restore(run: Run): void {
    const held = claimsOf(run).flatMap(({ claim, holds }) => (holds ? [claim] : []));
    for (const claim of held) this.#claim(claim);
    if (held.length > 0) this.#byRun.set(run.workflowId, held);
  }

  /** Takes in how a run stands now; answers which claims, of any run, are granted or must wait. */
  update(run: Run): GroupChange {
    const before = this.#byRun.get(run.workflowId) ?? [];
    const now = claimsOf(run);
    if (before.length === 0 && now.length === 0) return { granted: [], held: [] };
    const granted: Claim[] = [];
    const held: (Claim & { heldBy: WorkflowId })[] = [];
    for (const claim of before) {
      if (!now.some(({ claim: other }) => sameClaim(claim, other))) {
        const next = this.#release(claim);
        if (next !== null) granted.push(next);
      }
    }
    for (const { claim, holds } of now) {
      if (before.some((other) => sameClaim(claim, other))) continue;
      const holder = this.#claim(claim);
      if (holder !== null) held.push({ ...claim, heldBy: holder.workflowId });
      else if (!holds) granted.push(claim);
    }
    if (now.length === 0) this.#byRun.delete(run.workflowId);
    else
      this.#byRun.set(
        run.workflowId,
        now.map(({ claim }) => claim),
      );
    return { granted, held };
  }

  /** Null when the claim holds the group now; else who does. */
  #claim(claim: Claim): Claim | null {
    const group = this.#groups.get(keyOf(claim));
    if (group === undefined) {
      this.#groups.set(keyOf(claim), { holder: claim, waiting: [] });
      return null;
    }
    group.waiting.push(claim);
    return group.holder;
  }

  /** Gives up a group, or a place in its queue; answers who holds the group from now on, if that changed. */
  #release(claim: Claim): Claim | null {
    const group = this.#groups.get(keyOf(claim));
    if (group === undefined) return null;
    if (!sameClaim(group.holder, claim)) {
      const index = group.waiting.findIndex((other) => sameClaim(other, claim));
      if (index >= 0) group.waiting.splice(index, 1);
      return null;
    }
    const next = group.waiting.shift();
    if (next === undefined) {
      this.#groups.delete(keyOf(claim));
      return null;
    }
    group.holder = next;
    return next;
  }
}

interface RunClaim {
  readonly claim: Claim;
  readonly holds: boolean;
}

function claimsOf(run: Run): readonly RunClaim[] {
  const { workflowId, namespace } = run;
  return groupClaims(run).map(({ job, group, holds }) => ({
    claim: { workflowId, namespace, job, group },
    holds,
  }));
}

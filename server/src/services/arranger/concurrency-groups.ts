/**
 * Who holds which concurrency group. A group belongs to one holder at a time, in the order of asking. Who takes a group over ends
 * the holder and all that waits for it by then, and is next once these are gone.
 *
 * The registry is rebuilt from the live runs at start, where what was granted stands in their logs. Nothing else is kept: who must
 * end follows from the order of asking, and is told again.
 */
import type { Timestamp, WorkflowId } from '@tutti/manifests';
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
  /** Those that must end, as another one takes their group over. */
  readonly superseded: readonly (Claim & { readonly by: WorkflowId })[];
}

interface Group {
  holder: Claim;
  readonly waiting: Claim[];
  /** How many of those that wait, from the first on, were told to end. */
  told: number;
}

const sameClaim = (a: Claim, b: Claim): boolean =>
  a.workflowId === b.workflowId && a.job === b.job && a.group === b.group;

/** Names of namespaces have no slash. */
const keyOf = ({ namespace, group }: Claim): string => `${namespace}/${group}`;

export class ConcurrencyGroups {
  readonly #groups = new Map<string, Group>();
  readonly #byRun = new Map<WorkflowId, readonly Claim[]>();

  /**
   * At start, with all runs: what was granted before the restart is held before anybody else asks, and the others ask again in the
   * order in which they did.
   */
  restore(runs: readonly Run[]): GroupChange {
    const all = runs.flatMap(claimsOf);
    for (const { claim, holds } of all) if (holds) this.#claim(claim);
    const change = new Change();
    const waiting = all.filter(({ holds }) => !holds);
    for (const each of waiting.toSorted(bySince)) this.#ask(each, change);
    for (const run of runs) this.#remember(run.workflowId, claimsOf(run));
    return change;
  }

  /** Takes in how a run stands now; answers which claims, of any run, are granted, must wait or must end. */
  update(run: Run): GroupChange {
    const before = this.#byRun.get(run.workflowId) ?? [];
    const now = claimsOf(run);
    const change = new Change();
    if (before.length === 0 && now.length === 0) return change;
    for (const claim of before) {
      if (!now.some(({ claim: other }) => sameClaim(claim, other))) {
        const next = this.#release(claim);
        if (next !== null) change.granted.push(next);
      }
    }
    for (const each of now) {
      if (!before.some((other) => sameClaim(each.claim, other))) this.#ask(each, change);
    }
    this.#remember(run.workflowId, now);
    return change;
  }

  #remember(workflowId: WorkflowId, claims: readonly RunClaim[]): void {
    if (claims.length === 0) this.#byRun.delete(workflowId);
    else
      this.#byRun.set(
        workflowId,
        claims.map(({ claim }) => claim),
      );
  }

  #ask({ claim, holds, takesOver }: RunClaim, change: Change): void {
    const { workflowId: by } = claim;
    const group = this.#groups.get(keyOf(claim));
    if (group !== undefined && takesOver) {
      const others = [group.holder, ...group.waiting.slice(group.told)];
      for (const each of others) change.superseded.push({ ...each, by });
      group.told = group.waiting.length;
    }
    const holder = this.#claim(claim);
    if (holder !== null) change.held.push({ ...claim, heldBy: holder.workflowId });
    else if (!holds) change.granted.push(claim);
  }

  /** Null when the claim holds the group now; else who does. */
  #claim(claim: Claim): Claim | null {
    const group = this.#groups.get(keyOf(claim));
    if (group === undefined) {
      this.#groups.set(keyOf(claim), { holder: claim, waiting: [], told: 0 });
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
      if (index >= 0 && index < group.told) group.told -= 1;
      return null;
    }
    const next = group.waiting.shift();
    if (next === undefined) {
      this.#groups.delete(keyOf(claim));
      return null;
    }
    group.holder = next;
    group.told = Math.max(0, group.told - 1);
    return next;
  }
}

class Change implements GroupChange {
  readonly granted: Claim[] = [];
  readonly held: GroupChange['held'][number][] = [];
  readonly superseded: GroupChange['superseded'][number][] = [];
}

interface RunClaim {
  readonly claim: Claim;
  readonly holds: boolean;
  readonly takesOver: boolean;
  readonly since: Timestamp;
}

function claimsOf(run: Run): readonly RunClaim[] {
  const { workflowId, namespace } = run;
  return groupClaims(run).map(({ job, group, ...rest }) => ({
    claim: { workflowId, namespace, job, group },
    ...rest,
  }));
}

/** Ids of runs are in the order in which these began, so they decide where the clock does not. Jobs of a run stay in its order. */
function bySince(a: RunClaim, b: RunClaim): number {
  const [left, right] = [a, b].map(({ since, claim }) => `${since} ${claim.workflowId}`);
  if (left === undefined || right === undefined || left === right) return 0;
  return left < right ? -1 : 1;
}

/**
 * Grants concurrency groups. A group has one holder at a time; claims are granted in their order. A claim that takes the group
 * over ends the holder and all waiting claims. It is granted once these are gone.
 *
 * At start, the registry is rebuilt from the live runs, whose logs contain the grants. Nothing else is stored: the order of
 * claims decides which runs must end, and they are notified again.
 */
import type { Timestamp, WorkflowId } from '@tutti/manifests';
import { groupClaims, type Run } from '@tutti/workflow';
import type { Claim } from './claim.ts';

export interface GroupChange {
  readonly granted: readonly Claim[];
  readonly held: readonly (Claim & {
    readonly heldBy: WorkflowId;
    readonly heldByJob: string | null;
  })[];
  /** Claims that must end, because another run takes their group over. */
  readonly superseded: readonly (Claim & { readonly by: WorkflowId })[];
  /** Jobs that must end, because they and the holder of their group wait for each other. */
  readonly deadlocked: readonly (Claim & { readonly job: string; readonly heldBy: WorkflowId })[];
}

interface Group {
  holder: Claim;
  readonly waiting: Claim[];
  /** Number of waiting claims, from the first on, that were told to end. */
  notified: number;
}

const sameClaim = (a: Claim, b: Claim): boolean =>
  a.workflowId === b.workflowId && a.job === b.job && a.group === b.group;

/** Key of a claim, unique in its run; the name of a group may contain any character. */
const markOf = ({ job, group }: Claim): string => JSON.stringify([job, group]);

const nameOf = ({ workflowId, job }: Claim): string => `${workflowId} ${job ?? ''}`;

/** Names of namespaces have no slash. */
const keyOf = ({ namespace, group }: Claim): string => `${namespace}/${group}`;

/** The claims of a run. */
interface ClaimsOfRun {
  /** By `markOf`, so that the comparison of a run with itself is linear in its claims. */
  readonly byMark: ReadonlyMap<string, Claim>;
  /** Claims of the jobs in each bundle, by the key of the bundle; null for the run itself. */
  readonly inside: ReadonlyMap<string | null, readonly Claim[]>;
}

const NO_CLAIMS: ClaimsOfRun = { byMark: new Map(), inside: new Map() };

export class ConcurrencyGroups {
  readonly #groups = new Map<string, Group>();
  readonly #byRun = new Map<WorkflowId, ClaimsOfRun>();
  /** The latest claims, not yet checked for circles. */
  readonly #unchecked: Claim[] = [];
  /** Claims that were told to end, so neither they nor claims behind them wait for ever. */
  readonly #ending = new Set<string>();
  /** Claims that wait for holders which were told to end for them. */
  readonly #takingOver = new Set<string>();

  /** At start, with all runs: granted claims hold their groups first. Waiting claims ask again in their earlier order. */
  restore(runs: readonly Run[]): GroupChange {
    const byRun = runs
      .map((run) => ({ run, claims: claimsOf(run) }))
      .filter(({ claims }) => claims.length > 0);
    const all = byRun.flatMap(({ claims }) => claims);
    for (const { claim, holds } of all) if (holds) this.#claim(claim);
    const change = new Change();
    const waiting = all.filter(({ holds }) => !holds);
    for (const each of waiting.toSorted(bySince)) this.#ask(each, change);
    for (const { run, claims } of byRun) this.#remember(run.workflowId, claims);
    // The latest claim of a circle gives way, as it would have before the restart.
    for (const { claim } of waiting.toSorted(bySince).reverse()) this.#findDeadlock(claim, change);
    return change;
  }

  /** Takes the state of a run; returns claims of all runs that are granted, must wait or must end. `checkNext` follows. */
  update(run: Run): GroupChange {
    const { byMark: before } = this.#byRun.get(run.workflowId) ?? NO_CLAIMS;
    const now = claimsOf(run);
    const change = new Change();
    if (before.size === 0 && now.length === 0) return change;
    const fresh = now.filter(({ claim }) => !before.has(markOf(claim)));
    this.#remember(run.workflowId, now);
    const { byMark: still } = this.#byRun.get(run.workflowId) ?? NO_CLAIMS;
    for (const [mark, claim] of before) if (!still.has(mark)) this.#drop(claim, change);
    for (const each of fresh) this.#ask(each, change);
    for (const { claim } of fresh) this.#unchecked.push(claim);
    return change;
  }

  /** Checks one of the latest claims; null if there is none. A thousand may arrive together, and each may take a millisecond. */
  checkNext(): GroupChange | null {
    for (
      let claim = this.#unchecked.shift();
      claim !== undefined;
      claim = this.#unchecked.shift()
    ) {
      const { byMark } = this.#byRun.get(claim.workflowId) ?? NO_CLAIMS;
      if (!byMark.has(markOf(claim))) continue;
      const change = new Change();
      this.#findDeadlock(claim, change);
      return change;
    }
    return null;
  }

  #drop(claim: Claim, change: Change): void {
    this.#ending.delete(nameOf(claim));
    this.#takingOver.delete(nameOf(claim));
    const next = this.#release(claim);
    if (next !== null) change.granted.push(next);
  }

  #remember(workflowId: WorkflowId, claims: readonly RunClaim[]): void {
    const byMark = new Map(claims.map(({ claim }) => [markOf(claim), claim]));
    if (byMark.size === 0) this.#byRun.delete(workflowId);
    else this.#byRun.set(workflowId, { byMark, inside: claimsInside(byMark.values()) });
  }

  #ask({ claim, holds, takesOver }: RunClaim, change: Change): void {
    const { workflowId: by } = claim;
    const group = this.#groups.get(keyOf(claim));
    if (group !== undefined && takesOver) {
      this.#takingOver.add(nameOf(claim));
      const others = [group.holder, ...group.waiting.slice(group.notified)];
      for (const each of others) {
        this.#ending.add(nameOf(each));
        change.superseded.push({ ...each, by });
      }
      group.notified = group.waiting.length;
    }
    const holder = this.#claim(claim);
    if (holder !== null)
      change.held.push({ ...claim, heldBy: holder.workflowId, heldByJob: holder.job });
    else if (!holds) change.granted.push(claim);
  }

  #findDeadlock(claim: Claim, change: Change): void {
    const { job } = claim;
    const holder = this.#holderFor(claim);
    if (job === null || holder === null || !isInCircle(claim, this.#standing)) return;
    this.#ending.add(nameOf(claim));
    change.deadlocked.push({ ...claim, job, heldBy: holder.workflowId });
  }

  readonly #standing: ClaimStanding = {
    holderFor: (claim) => this.#holderFor(claim),
    within: ({ workflowId, job }) =>
      (this.#byRun.get(workflowId) ?? NO_CLAIMS).inside.get(job) ?? [],
  };

  #holderFor(claim: Claim): Claim | null {
    const holder = this.#groups.get(keyOf(claim))?.holder ?? null;
    if (holder === null || sameClaim(holder, claim)) return null;
    const isEnding = [holder, claim].some((each) => this.#ending.has(nameOf(each)));
    return isEnding || this.#takingOver.has(nameOf(claim)) ? null : holder;
  }

  /** Null if the claim holds the group now; else the holder. */
  #claim(claim: Claim): Claim | null {
    const group = this.#groups.get(keyOf(claim));
    if (group === undefined) {
      this.#groups.set(keyOf(claim), { holder: claim, waiting: [], notified: 0 });
      return null;
    }
    group.waiting.push(claim);
    return group.holder;
  }

  /** Gives up a group or a place in its queue; returns the new holder, if it changed. */
  #release(claim: Claim): Claim | null {
    const group = this.#groups.get(keyOf(claim));
    if (group === undefined) return null;
    if (!sameClaim(group.holder, claim)) {
      const index = group.waiting.findIndex((other) => sameClaim(other, claim));
      if (index >= 0) group.waiting.splice(index, 1);
      if (index >= 0 && index < group.notified) group.notified -= 1;
      return null;
    }
    const next = group.waiting.shift();
    if (next === undefined) {
      this.#groups.delete(keyOf(claim));
      return null;
    }
    group.holder = next;
    this.#takingOver.delete(nameOf(next));
    group.notified = Math.max(0, group.notified - 1);
    return next;
  }
}

function claimsInside(claims: Iterable<Claim>): ClaimsOfRun['inside'] {
  const inside = new Map<string | null, Claim[]>();
  const add = (around: string | null, claim: Claim) => {
    const known = inside.get(around);
    if (known === undefined) inside.set(around, [claim]);
    else known.push(claim);
  };
  for (const claim of claims) {
    const { job } = claim;
    if (job === null) continue;
    add(null, claim);
    for (let end = job.indexOf('/'); end !== -1; end = job.indexOf('/', end + 1)) {
      add(job.slice(0, end), claim);
    }
  }
  return inside;
}

class Change implements GroupChange {
  readonly granted: Claim[] = [];
  readonly held: GroupChange['held'][number][] = [];
  readonly superseded: GroupChange['superseded'][number][] = [];
  readonly deadlocked: GroupChange['deadlocked'][number][] = [];
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

/** Ids of runs sort by their start, so they decide between equal times. Jobs of a run keep its order. */
function bySince(a: RunClaim, b: RunClaim): number {
  const [left, right] = [a, b].map(({ since, claim }) => `${since} ${claim.workflowId}`);
  if (left === undefined || right === undefined || left === right) return 0;
  return left < right ? -1 : 1;
}

/** The holders and the waiting claims at one moment. */
interface ClaimStanding {
  /** The holder of the group that a claim waits for. Null if the claim holds it, or will not wait for ever. */
  holderFor(claim: Claim): Claim | null;
  /** Claims of jobs in the holder's run or bundle. */
  within(holder: Claim): Iterable<Claim>;
}

/**
 * Whether the claim waits, through others, for itself. A run or bundle that holds a group gives it up when all its jobs have ended. If one
 * of these jobs waits for a group, the holder waits, too. A holder that is a single job waits for no group.
 */
function isInCircle(claim: Claim, standing: ClaimStanding): boolean {
  const holders = [standing.holderFor(claim)];
  const seen = new Set<string>();
  for (const holder of holders) {
    if (holder === null || seen.has(claimKey(holder))) continue;
    if (isWithin(holder, claim)) return true;
    seen.add(claimKey(holder));
    for (const other of standing.within(holder)) holders.push(standing.holderFor(other));
  }
  return false;
}

const claimKey = ({ workflowId, job }: Claim): string => `${workflowId} ${job ?? ''}`;

/** Whether a claim belongs to a job in the outer claim's run or bundle. */
function isWithin(outer: Claim, { workflowId, job }: Claim): boolean {
  if (outer.workflowId !== workflowId || job === null) return false;
  return outer.job === null || job.startsWith(`${outer.job}/`);
}

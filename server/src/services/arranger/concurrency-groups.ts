/**
 * Who holds which concurrency group. A group belongs to one holder at a time, in the order of asking. Who takes a group over ends
 * the holder and all that waits for it by then, and is next once these are gone.
 *
 * The registry is rebuilt from the live runs at start, where what was granted stands in their logs. Nothing else is kept: who must
 * end follows from the order of asking, and is told again.
 */
import type { Timestamp, WorkflowId } from '@tutti/manifests';
import { groupClaims, type Run } from '@tutti/workflow';
import type { Claim } from './claim.ts';
import { type ClaimStanding, isInCircle } from './deadlock.ts';

export interface GroupChange {
  readonly granted: readonly Claim[];
  readonly held: readonly (Claim & {
    readonly heldBy: WorkflowId;
    readonly heldByJob: string | null;
  })[];
  /** Those that must end, as another one takes their group over. */
  readonly superseded: readonly (Claim & { readonly by: WorkflowId })[];
  /** Jobs that must end, as they and who holds their group wait for each other. */
  readonly deadlocked: readonly (Claim & { readonly job: string; readonly heldBy: WorkflowId })[];
}

interface Group {
  holder: Claim;
  readonly waiting: Claim[];
  /** How many of those that wait, from the first on, were told to end. */
  told: number;
}

const sameClaim = (a: Claim, b: Claim): boolean =>
  a.workflowId === b.workflowId && a.job === b.job && a.group === b.group;

/** Of the claims of one run, tells each from all others; the name of a group may have any character. */
const markOf = ({ job, group }: Claim): string => JSON.stringify([job, group]);

const nameOf = ({ workflowId, job }: Claim): string => `${workflowId} ${job ?? ''}`;

/** Names of namespaces have no slash. */
const keyOf = ({ namespace, group }: Claim): string => `${namespace}/${group}`;

/** The claims of a run. */
interface ClaimsOfRun {
  /** By `markOf`, so that a run is compared with itself in a time that grows with its claims alone. */
  readonly byMark: ReadonlyMap<string, Claim>;
  /** Those of jobs in each bundle, by its key, and in the run itself. */
  readonly inside: ReadonlyMap<string | null, readonly Claim[]>;
}

const NO_CLAIMS: ClaimsOfRun = { byMark: new Map(), inside: new Map() };

export class ConcurrencyGroups {
  readonly #groups = new Map<string, Group>();
  readonly #byRun = new Map<WorkflowId, ClaimsOfRun>();
  /** Claims that came last: whether they wait in a circle is still to be found. */
  readonly #unchecked: Claim[] = [];
  /** Those that were told to end: nobody waits for them for ever, nor do they. */
  readonly #ending = new Set<string>();
  /** Those that wait for somebody who was told to end, for them. */
  readonly #takingOver = new Set<string>();

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
    // Of a circle the last one that asked gives way, as it would have had to before the restart.
    for (const { claim } of waiting.toSorted(bySince).reverse()) this.#findDeadlock(claim, change);
    return change;
  }

  /** Takes in how a run stands now; answers which claims, of any run, are granted, must wait or must end. `checkNext` follows. */
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

  /** Looks at one of the claims that came last; null when there is none. A thousand may come at a time, and each may take a millisecond. */
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
      const others = [group.holder, ...group.waiting.slice(group.told)];
      for (const each of others) {
        this.#ending.add(nameOf(each));
        change.superseded.push({ ...each, by });
      }
      group.told = group.waiting.length;
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
    this.#takingOver.delete(nameOf(next));
    group.told = Math.max(0, group.told - 1);
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

/** Ids of runs are in the order in which these began, so they decide where the clock does not. Jobs of a run stay in its order. */
function bySince(a: RunClaim, b: RunClaim): number {
  const [left, right] = [a, b].map(({ since, claim }) => `${since} ${claim.workflowId}`);
  if (left === undefined || right === undefined || left === right) return 0;
  return left < right ? -1 : 1;
}

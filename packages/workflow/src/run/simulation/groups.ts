/**
 * Concurrency groups as the server keeps them. A group has one holder at a time, and the others wait in order. A run or job that takes a
 * group over ends its holder and all waiting ones. Other runs hold groups as well, for a while.
 */
import type { WorkflowId } from '@tutti/manifests';
import { type GroupClaim, groupClaims } from '../concurrency.ts';
import type { RunInput } from '../decide.ts';
import type { Run } from '../run.ts';
import { must } from './must.ts';
import { jobsOnWay, type WorkflowPlan } from './plan.ts';
import type { Random } from './random.ts';

type Superseded = Extract<RunInput, { type: 'superseded' }>;

export const OTHER_RUN = 'other' as WorkflowId;

/** Keys of jobs; null is the workflow itself. */
type Owner = string | null;

interface Group {
  /** Undefined while nobody has it. */
  holder: Owner | typeof OTHER | undefined;
  readonly waiting: Owner[];
  /** The other run that holds it was told to end. */
  isLeaving: boolean;
}

const OTHER = Symbol('a job of another run');

export class Groups {
  readonly #plan: WorkflowPlan;
  readonly #random: Random;
  readonly #groups = new Map<string, Group>();
  readonly #inputs: RunInput[] = [];

  constructor(plan: WorkflowPlan, random: Random) {
    this.#plan = plan;
    this.#random = random;
  }

  /** Whether something comes of them without the run. */
  get isBusy(): boolean {
    const waits = ({ holder, waiting }: Group) => holder === OTHER && waiting.length > 0;
    return this.#inputs.length > 0 || [...this.#groups.values()].some(waits);
  }

  /** The next input of the run, in order. */
  take(): RunInput | undefined {
    return this.#inputs.shift();
  }

  /** A crash clears the groups: afterwards only the runs know them. */
  restart(): void {
    this.#groups.clear();
    this.#inputs.length = 0;
  }

  update(run: Run): void {
    const claims = groupClaims(run);
    this.#drop(claims);
    for (const claim of claims.toSorted(byOrder)) {
      this.#checkHolder(claim);
      if (!this.#isKnown(claim)) this.#ask(claim);
    }
    for (const [name, group] of this.#groups) this.#pass(name, group);
  }

  #drop(claims: readonly GroupClaim[]): void {
    for (const [name, group] of this.#groups) {
      const isThere = (owner: Owner) =>
        claims.some(({ job, group: wanted }) => job === owner && wanted === name);
      const left = group.waiting.filter(isThere);
      group.waiting.splice(0, group.waiting.length, ...left);
      const { holder } = group;
      if (holder !== OTHER && holder !== undefined && !isThere(holder)) group.holder = undefined;
    }
  }

  #checkHolder({ job, group, holds, takesOver }: GroupClaim): void {
    const { holder } = this.#groups.get(group) ?? {};
    const isFree = holder === undefined || holder === job;
    must(!holds || isFree, `Two of the run hold the group ${group}.`);
    const plan = job === null ? this.#plan : jobsOnWay(this.#plan, job).at(-1);
    const wanted = plan?.takesOver === true;
    must(takesOver === wanted, `It should be ${wanted} that "${job}" takes a group over.`);
  }

  #isKnown({ job, group: name }: GroupClaim): boolean {
    const group = this.#groups.get(name);
    return group !== undefined && (group.holder === job || group.waiting.includes(job));
  }

  #ask({ job, group: name, holds, takesOver }: GroupClaim): void {
    const group = this.#groups.get(name) ?? this.#begun(holds);
    this.#groups.set(name, group);
    if (holds) {
      group.holder = job;
      return;
    }
    if (takesOver) this.#takeOver(name, group);
    group.waiting.push(job);
  }

  #begun(isHeld: boolean): Group {
    const isTaken = !isHeld && this.#random.chance(0.4);
    return { holder: isTaken ? OTHER : undefined, waiting: [], isLeaving: false };
  }

  #takeOver(name: string, group: Group): void {
    const { holder, waiting } = group;
    const others: readonly Group['holder'][] = [holder, ...waiting];
    for (const job of others) {
      if (job === undefined) continue;
      if (job === OTHER) group.isLeaving = true;
      else
        this.#inputs.push({ type: 'superseded', job, group: name, by: 'workflow' as WorkflowId });
    }
  }

  #pass(name: string, group: Group): void {
    const random = this.#random;
    if (group.holder === OTHER && (group.isLeaving || random.chance(0.3))) group.holder = undefined;
    if (group.holder === undefined) {
      const next = group.waiting.shift();
      group.holder = next;
      if (next === undefined) this.#groups.delete(name);
      else this.#inputs.push({ type: 'granted', job: next });
    }
    const { holder = null } = group;
    const heldBy = holder === OTHER ? OTHER_RUN : ('workflow' as WorkflowId);
    const heldByJob = holder === OTHER ? null : holder;
    for (const job of group.waiting) {
      if (!random.chance(0.2)) continue;
      this.#inputs.push({ type: 'held', job, group: name, heldBy, heldByJob });
    }
  }
}

/** Held groups first, then waiting ones by time. */
function byOrder(a: GroupClaim, b: GroupClaim): number {
  if (a.holds !== b.holds) return a.holds ? -1 : 1;
  if (a.since === b.since) return 0;
  return a.since < b.since ? -1 : 1;
}

/** Another run takes over a group that the run holds or waits for. Null where it has none. */
export function takeover(run: Run, random: Random): Superseded | null {
  const claims = groupClaims(run);
  const claim = claims[random.below(claims.length)];
  if (claim === undefined) return null;
  return { type: 'superseded', job: claim.job, group: claim.group, by: OTHER_RUN };
}

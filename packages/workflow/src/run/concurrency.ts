/**
 * The concurrency groups of a run: which ones it and its jobs want, and which they hold. The name of a group may be an expression. It is
 * evaluated when the job asks for it. Its contexts stay the same from then on, so it is not stored in the log. Many jobs may wait for many
 * events, so the value is cached until its contexts change.
 */
import {
  type EvaluationBudget,
  interpolateText,
  type Scope,
  spendSteps,
  stepsLeft,
} from '@tutti/expressions';
import { OrchestratorError, type Timestamp, type WorkflowManifest } from '@tutti/manifests';
import { jobScope, needsOf, workflowScope } from './contexts.ts';
import { attempt, createDecisionBudget, type Evaluated, flag } from './evaluation.ts';
import { bundlesAround, jobBeside, parentOf } from './job-tree.ts';
import { isGroupOfCells } from './matrix-jobs.ts';
import { isEnded, type Job, type Run } from './run.ts';
import { listsOf, rememberedByList } from './with-entry.ts';

export interface GroupClaim {
  /** Key of the job; null for the group of the workflow itself. */
  readonly job: string | null;
  /** Unique in the namespace of the run. */
  readonly group: string;
  /** Whether it cancels what holds the group, and what waits for it. */
  readonly takesOver: boolean;
  /** False while the run waits for it. */
  readonly holds: boolean;
  /** When the run began to want it. */
  readonly since: Timestamp;
}

/** A group as a run names it. */
export interface Group {
  readonly name: string;
  readonly takesOver: boolean;
}

/**
 * Concurrency groups that a run holds or waits for. A group that cannot be evaluated is an error of the run, and no claim. Each group has
 * its own budget here, since the claims must not depend on the number of groups.
 */
export function groupClaims(run: Run): readonly GroupClaim[] {
  if (run.phase === 'NONE' || isEnded(run)) return [];
  const claims: GroupClaim[] = [];
  const add = (job: Job | null, group: Evaluated<Group> | null, holds: boolean): void => {
    if (group?.ok !== true) return;
    const { name, takesOver } = group.value;
    const since = job === null ? run.createdAt : askedSince(run, job);
    claims.push({ job: job?.key ?? null, group: name, takesOver, holds, since });
  };
  add(null, groupOfWorkflow(run, createDecisionBudget()), run.granted);
  for (const job of listsOf(run.jobs).flatMap(jobsWithGroup)) {
    if (!job.granted && !isReady(run, job)) continue;
    add(job, groupOfJob(run, job, createDecisionBudget()), job.granted);
  }
  return claims;
}

const jobsWithGroup = rememberedByList((jobs: readonly Job[]) =>
  jobs.filter((job) => job.phase !== 'COMPLETED' && ownConcurrency(job) !== null),
);

/** Since nothing but the group keeps the job from starting. */
function askedSince(run: Run, job: Job): Timestamp {
  const times = needsOf(job).map((need) => jobBeside(run, job, need)?.endedAt ?? run.createdAt);
  const begun = parentOf(run, job)?.startedAt ?? run.grantedAt ?? run.createdAt;
  return [...times, begun].toSorted().at(-1) ?? begun;
}

/** Null when the workflow has no group. */
export function groupOfWorkflow(run: Run, within: EvaluationBudget): Evaluated<Group> | null {
  const { manifest, name, namespace, inputs } = run;
  const { concurrency } = manifest;
  if (concurrency === undefined) return null;
  return rememberedGroup(manifest, [name, namespace, inputs], within, () =>
    evaluate('concurrency', concurrency, () => workflowScope(run, within)),
  );
}

/** Null when the job has no group. One that the workflow or a bundle around it holds would make it wait for itself for ever. */
export function groupOfJob(run: Run, job: Job, within: EvaluationBudget): Evaluated<Group> | null {
  const group = ownGroup(run, job, within);
  if (group?.ok !== true) return group;
  const { name } = group.value;
  const holder = holderAround(run, job, name, within);
  if (holder === null) return group;
  return {
    ok: false,
    error: `${placeOf(job)}.group: Group "${name}" is held by the ${holder} of the job.`,
  };
}

const placeOf = (job: Job): string => `jobs.${job.key}.concurrency`;

/** The group of the job itself; another job may hold it. */
function ownGroup(run: Run, job: Job, within: EvaluationBudget): Evaluated<Group> | null {
  const concurrency = ownConcurrency(job);
  if (concurrency === null) return null;
  return rememberedGroup(job, basisOf(run, job), within, () =>
    evaluate(placeOf(job), concurrency, () => {
      // The job as it was when it asked: later changes must not change the name of the group.
      const asked = { ...job, jobId: null, channel: null };
      const { functions: _, ...scope } = jobScope(run, asked, within);
      return scope;
    }),
  );
}

interface RememberedGroup {
  /** Values that the group was evaluated from; an owner always has the same number. */
  readonly basis: readonly unknown[];
  readonly group: Evaluated<Group>;
  /** Steps that the evaluation took. */
  readonly steps: number;
  /** Budgets that have paid for the evaluation. */
  readonly paidBy: WeakSet<EvaluationBudget>;
}

const remembered = new WeakMap<Job | WorkflowManifest, RememberedGroup>();

/** Each budget pays once, so that a decision costs the same whatever was evaluated before it. */
function rememberedGroup(
  owner: Job | WorkflowManifest,
  basis: readonly unknown[],
  within: EvaluationBudget,
  evaluated: () => Evaluated<Group>,
): Evaluated<Group> {
  const known = remembered.get(owner);
  if (known?.basis.every((each, index) => each === basis[index]) === true) {
    if (!known.paidBy.has(within)) spendSteps(within, known.steps);
    known.paidBy.add(within);
    return known.group;
  }
  const before = stepsLeft(within);
  const group = evaluated();
  const steps = before - stepsLeft(within);
  // A budget without steps left has not evaluated the group to its end.
  if (stepsLeft(within) < 0) return group;
  remembered.set(owner, { basis, group, steps, paidBy: new WeakSet([within]) });
  return group;
}

/** All values that the group of a job is evaluated from. States never change but are replaced, so the same objects give the same group. */
function basisOf(run: Run, job: Job): readonly unknown[] {
  const levels = [job, ...bundlesAround(run, job)];
  const jobs = levels.flatMap((each) => [
    each,
    ...needsOf(each).map((need) => jobBeside(run, each, need)),
  ]);
  return [run.manifest, run.name, run.namespace, run.inputs, ...jobs];
}

type Concurrency = NonNullable<WorkflowManifest['concurrency']>;

function evaluate(where: string, concurrency: Concurrency, scope: () => Scope): Evaluated<Group> {
  const name = attempt(`${where}.group`, () => named(interpolateText(concurrency.group, scope())));
  if (!name.ok) return name;
  const takesOver = attempt(`${where}.cancel-in-progress`, () =>
    flag(concurrency['cancel-in-progress'], scope()),
  );
  return takesOver.ok
    ? { ok: true, value: { name: name.value, takesOver: takesOver.value } }
    : takesOver;
}

function ownConcurrency({ definition }: Job): Concurrency | null {
  return isGroupOfCells(definition) ? null : (definition.concurrency ?? null);
}

function holderAround(run: Run, job: Job, group: string, within: EvaluationBudget): string | null {
  const isHeldBy = (claim: Evaluated<Group> | null) =>
    claim?.ok === true && claim.value.name === group;
  if (isHeldBy(groupOfWorkflow(run, within))) return 'workflow';
  return bundlesAround(run, job).some((bundle) => isHeldBy(ownGroup(run, bundle, within)))
    ? 'bundle'
    : null;
}

function named(group: string): string {
  if (group.trim() !== '') return group;
  throw new OrchestratorError('Invalid', 'Expected the name of a group, got none.');
}

/** A job asks for its group only when nothing else keeps it from starting. */
function isReady(run: Run, job: Job): boolean {
  return (
    run.granted && needsOf(job).every((need) => jobBeside(run, job, need)?.phase === 'COMPLETED')
  );
}

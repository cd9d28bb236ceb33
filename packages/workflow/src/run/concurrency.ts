/**
 * The concurrency groups of a run: which ones it and its jobs want, and which they hold. The name of a group may be an expression.
 * It is evaluated when it is asked for, in contexts that stay the same from then on, so it is nowhere stored.
 */
import { interpolateText } from '@tutti/expressions';
import { OrchestratorError } from '@tutti/manifests';
import { jobScope, needsOf, workflowScope } from './contexts.ts';
import { attempt, type Evaluated } from './evaluation.ts';
import { bundlesAround, jobBeside } from './job-tree.ts';
import { isEnded, type Job, type Run } from './run.ts';

export interface GroupClaim {
  /** Key of the job; null for the group of the workflow itself. */
  readonly job: string | null;
  /** Unique in the namespace of the run. */
  readonly group: string;
  /** False while the run waits for it. */
  readonly holds: boolean;
}

/** What a run holds or wants; a group that cannot be evaluated is an error of the run, and no claim. */
export function groupClaims(run: Run): readonly GroupClaim[] {
  if (run.phase === 'NONE' || isEnded(run)) return [];
  const claims: GroupClaim[] = [];
  const add = (job: string | null, group: Evaluated<string> | null, holds: boolean): void => {
    if (group?.ok === true) claims.push({ job, group: group.value, holds });
  };
  add(null, groupOfWorkflow(run), run.granted);
  for (const job of run.jobs.values()) {
    if (job.definition.concurrency === undefined || job.phase === 'COMPLETED') continue;
    if (job.granted || isReady(run, job)) add(job.key, groupOfJob(run, job), job.granted);
  }
  return claims;
}

/** Null when the workflow has no group. */
export function groupOfWorkflow(run: Run): Evaluated<string> | null {
  const { concurrency } = run.manifest;
  if (concurrency === undefined) return null;
  return attempt('concurrency.group', () =>
    named(interpolateText(concurrency.group, workflowScope(run))),
  );
}

/** Null when the job has no group. One that the workflow or a bundle around it holds would make it wait for itself for ever. */
export function groupOfJob(run: Run, job: Job): Evaluated<string> | null {
  const { concurrency } = job.definition;
  if (concurrency === undefined) return null;
  return attempt(`jobs.${job.key}.concurrency.group`, () => {
    // As the job was when it asked: what it got since then must not change the name.
    const { contexts } = jobScope(run, { ...job, jobId: null, channel: null });
    const group = named(interpolateText(concurrency.group, { contexts }));
    const holder = holderAround(run, job, group);
    if (holder === null) return group;
    throw new OrchestratorError('Invalid', `Group "${group}" is held by the ${holder} of the job.`);
  });
}

function holderAround(run: Run, job: Job, group: string): string | null {
  const isHeldBy = (claim: Evaluated<string> | null) => claim?.ok === true && claim.value === group;
  if (isHeldBy(groupOfWorkflow(run))) return 'workflow';
  return bundlesAround(run, job).some((bundle) => isHeldBy(groupOfJob(run, bundle)))
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

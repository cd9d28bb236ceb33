/** Limits of bundles: those of the job, and those of the workflow that it calls. */
import { epochMs } from '../deadlines.ts';
import type { Job, Run } from '../run.ts';
import { must } from './must.ts';
import {
  type BundlePlan,
  type JobPlan,
  jobsOnWay,
  NOTHING_CALLED,
  type WorkflowPlan,
} from './plan.ts';

/** `done`: keys of bundles that were looked at since they got their jobs. */
export function checkLimits(plan: WorkflowPlan, run: Run, done: Set<string>): void {
  for (const job of run.jobs.values()) {
    if (job.phase !== 'EXPANDED' || job.bundle?.download !== null || done.has(job.key)) continue;
    done.add(job.key);
    const wanted = jobsOnWay(plan, job.key).at(-1);
    // A stopped bundle has another time limit.
    if (wanted !== undefined && !job.bundle.set.halted) checkBundle(job, wanted);
  }
}

function checkBundle({ key, bundle, deadlineMs, startedAt }: Job, plan: JobPlan): void {
  const isMatrix = bundle?.category === 'matrix';
  const own = plan.matrix === null || isMatrix ? plan : NO_LIMITS;
  const called = isMatrix ? NOTHING_CALLED : calledBy(plan.bundle);
  const { maxParallel, failFast } = bundle?.set ?? {};
  const limit = least([own.maxParallel, called.maxParallel]);
  must(maxParallel === limit, `Of ${key} ${limit} jobs may run, not ${maxParallel}.`);
  const halts = own.failFast || called.failFast;
  must(failFast === halts, `It should be ${halts} that jobs of ${key} stop for one that fails.`);
  const minutes = least([isMatrix ? null : plan.timeoutMinutes, called.timeoutMinutes]);
  const isTimed = (deadlineMs ?? Number.POSITIVE_INFINITY) <= latest(startedAt, minutes);
  must(isTimed, `Job ${key} may take longer than ${minutes} minutes.`);
}

const NO_LIMITS = { maxParallel: null, failFast: false };

const calledBy = (bundle: BundlePlan | null) => bundle?.called ?? NOTHING_CALLED;

const latest = (since: Job['startedAt'], minutes: number | null): number =>
  since === null || minutes === null ? Number.POSITIVE_INFINITY : epochMs(since) + minutes * 60_000;

function least(numbers: readonly (number | null)[]): number | null {
  const given = numbers.filter((number) => number !== null);
  return given.length === 0 ? null : Math.min(...given);
}

/** Errors in settings of a job or of the workflow that are certain to end a run. Expanding a bundle checks its own. */

import { groupOfJob, groupOfWorkflow } from '../run/concurrency.ts';
import { jobScope } from '../run/contexts.ts';
import { attempt, createDecisionBudget, minutesToMs } from '../run/evaluation.ts';
import { tagLevels, tagsOf } from '../run/inherited.ts';
import { bundlesAround, ownDefinition } from '../run/job-tree.ts';
import type { Job } from '../run/run.ts';
import { settingsOfWorkflow } from '../run/workflow-settings.ts';
import { isKnown } from './known-values.ts';
import type { PlannedRun } from './planned-run.ts';

interface Outcome {
  readonly ok: boolean;
  readonly error?: string;
}

const errorOf = (outcome: Outcome | null): string | null =>
  outcome?.ok === false ? (outcome.error ?? null) : null;

/** Null when nothing is known to be wrong. Values that only the run knows are not checked. */
export function errorOfJob(planned: PlannedRun, job: Job): string | null {
  const place = `jobs.${job.key}`;
  return (
    errorOf(groupOf(planned, job)) ??
    (job.bundle === null ? errorOf(attempt(place, () => placedOf(planned, job))) : null)
  );
}

/** Errors in settings that are evaluated when the run begins. */
export function errorOfWorkflow({ run, known }: PlannedRun): string | null {
  const { concurrency, strategy, 'timeout-minutes': minutes } = run.manifest;
  const budget = createDecisionBudget();
  const settings = isKnown([strategy, minutes], run, null, known)
    ? settingsOfWorkflow(run, budget)
    : null;
  const group = isKnown(concurrency, run, null, known) ? groupOfWorkflow(run, budget) : null;
  return errorOf(settings) ?? errorOf(group);
}

/** Null where the group is not known. A bundle around the job may hold the group already, so its groups are evaluated, too. */
function groupOf({ run, known }: PlannedRun, job: Job): Outcome | null {
  const around = bundlesAround(run, job).map((bundle) => ownDefinition(bundle).concurrency);
  const groups = [run.manifest.concurrency, ...around, job.definition.concurrency];
  return isKnown(groups, run, job, known) ? groupOfJob(run, job, createDecisionBudget()) : null;
}

/** Throws `Invalid` where it is known that no environment can be asked for. */
function placedOf({ run, known }: PlannedRun, job: Job): void {
  const budget = createDecisionBudget();
  const tags = tagLevels(run, job).map(({ written }) => written);
  if (isKnown(tags, run, job, known)) tagsOf(run, job, budget);
  const minutes = job.definition['timeout-minutes'] ?? 1;
  if (isKnown(minutes, run, job, known)) minutesToMs(minutes, jobScope(run, job, budget));
}

/** The jobs that take the place of a bundle, where the run itself knows them: those written in it, or those of its matrix. */
import { interpolate, type Scope } from '@tutti/expressions';
import { JOBS_MAX, OrchestratorError, type RunEvent, type WorkflowJobs } from '@tutti/manifests';
import { jobScope } from './contexts.ts';
import { attempt, countOf, type Evaluated, flag, minutesToMs } from './evaluation.ts';
import type { BundleSettings, RunEvents } from './events.ts';
import { matrixCells } from './matrix.ts';
import { matrixJobs } from './matrix-jobs.ts';
import type { Job, Run } from './run.ts';

/** The event that gives a bundle its jobs; an error where something of it cannot be evaluated. */
export function expansionOf(run: Run, job: Job, events: RunEvents): Evaluated<RunEvent> {
  const scope = jobScope(run, job);
  return attempt(`jobs.${job.key}`, () => {
    const settings = settingsOf(job, scope);
    const matrix = job.definition.strategy?.matrix;
    if (matrix === undefined) {
      return events.expanded(job, withinRun(run, job.definition.jobs ?? {}), settings, null);
    }
    const cells = matrixCells(interpolate(matrix, scope));
    const { jobs, cells: byName } = matrixJobs(job.name, job.definition, cells, scope);
    return events.expanded(job, withinRun(run, jobs), settings, byName);
  });
}

/** A time limit beside a matrix is that of each of its jobs. */
function settingsOf({ definition }: Job, scope: Scope): BundleSettings {
  const { matrix, 'max-parallel': limit, 'fail-fast': failFast } = definition.strategy ?? {};
  const minutes = matrix === undefined ? definition['timeout-minutes'] : undefined;
  return {
    timeoutMs: minutes === undefined ? null : minutesToMs(minutes, scope),
    maxParallel: limit === undefined ? null : countOf(limit, scope),
    failFast: failFast === undefined ? matrix !== undefined : flag(failFast, scope),
  };
}

/** Throws `Invalid` for more jobs than a run may have. */
function withinRun(run: Run, jobs: WorkflowJobs): WorkflowJobs {
  const count = run.jobs.size + Object.keys(jobs).length;
  if (count <= JOBS_MAX) return jobs;
  const message = `The run would have ${count} jobs; at most ${JOBS_MAX} are possible.`;
  throw new OrchestratorError('Invalid', message);
}

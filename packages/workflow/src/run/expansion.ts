/** Expands a bundle: the run itself makes jobs written in it, and those of its matrix. For all others it asks. */
import { type EvaluationBudget, interpolate, type Scope } from '@tutti/expressions';
import {
  JOBS_MAX,
  OrchestratorError,
  type RunEvent,
  type WorkflowJob,
  type WorkflowJobs,
} from '@tutti/manifests';
import { nameMask } from '../environment/masks.ts';
import type { BundleSettings } from '../facts/fact.ts';
import { callOf } from './calls.ts';
import { jobScope } from './contexts.ts';
import { attempt, countOf, type Evaluated, flag, minutesToMs } from './evaluation.ts';
import type { RunEvents } from './events.ts';
import { matrixCells } from './matrix.ts';
import { matrixJobs } from './matrix-jobs.ts';
import type { Job, Run } from './run.ts';

/** The event that gives a bundle its jobs, or asks for them. An error where something of it cannot be evaluated. */
export function expansionOf(run: Run, job: Job, events: RunEvents): Evaluated<RunEvent> {
  const scope = jobScope(run, job, events.budget);
  return attempt(`jobs.${job.key}`, () => {
    const settings = settingsOf(job, scope);
    const { strategy, generator, uses, with: inputs, jobs: inside = {} } = job.definition;
    if (strategy?.matrix !== undefined) {
      const cells = matrixCells(interpolate(withoutBlanks(strategy.matrix), scope));
      const { jobs, cells: byName } = matrixJobs(job, cells, scope, nameMask(run.masks));
      return events.expanded(job, withinRun(run, jobs), settings, byName);
    }
    const asked = { inputs: evaluated(inputs, scope), settings };
    if (generator !== undefined) return events.generatorCommand(job, { generator, ...asked });
    if (uses === undefined) return events.expanded(job, withinRun(run, inside), settings, null);
    const called = callOf(run, job, uses, scope);
    if (called.kind === 'file') {
      return events.generatorCommand(job, { generator: '.uses', ...asked, called });
    }
    // The file is fetched before it is read.
    refuseTooMany(run, 1);
    return events.download(job, called, settings);
  });
}

/** Blanks do not count around an expression that stands for the matrix, an axis or a list of entries. */
function withoutBlanks(matrix: object | string): unknown {
  if (typeof matrix === 'string') return matrix.trim();
  return Object.fromEntries(
    Object.entries(matrix).map(([name, values]: [string, unknown]) => [
      name,
      typeof values === 'string' ? values.trim() : values,
    ]),
  );
}

type Inputs = Readonly<Record<string, unknown>> | null;

/** The inputs of a call, evaluated again. Their contexts are as they were when the fetch of its file began. */
export function inputsOf(run: Run, job: Job, within: EvaluationBudget): Inputs {
  return evaluated(job.definition.with, jobScope(run, job, within));
}

function evaluated(
  inputs: WorkflowJob['with'],
  scope: Scope,
): Readonly<Record<string, unknown>> | null {
  if (inputs === undefined) return null;
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [name, interpolate(value, scope)]),
  );
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
  refuseTooMany(run, Object.keys(jobs).length);
  return jobs;
}

function refuseTooMany(run: Run, more: number): void {
  const count = run.jobs.size + more;
  if (count <= JOBS_MAX) return;
  const message = `The run would have ${count} jobs; at most ${JOBS_MAX} are possible.`;
  throw new OrchestratorError('Invalid', message);
}

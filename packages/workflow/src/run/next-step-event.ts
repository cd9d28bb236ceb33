/** What follows for the next step of a job: it is skipped, sent to the environment, or handed to a provider. */
import { interpolate, interpolateText, type Scope } from '@tutti/expressions';
import type { ExecutionCommandEvent, RunEvent, Timestamp, Variables } from '@tutti/manifests';
import { stepScope } from './contexts.ts';
import { earliest } from './deadlines.ts';
import { attempt, condition, flag, interpolateVariables, minutesToMs } from './evaluation.ts';
import { type RunEvents, stepOriginOf } from './events.ts';
import { epochMs } from './evolve.ts';
import type { Frame, IdentifiedStep, Job, Run } from './run.ts';

/** Providers that yield providers that yield … end here. */
const FRAMES_MAX = 10;

export function nextStepEvent(
  run: Run,
  job: Job,
  frame: Frame,
  events: RunEvents,
  mayRun: boolean,
): RunEvent | null {
  const step = frame.steps[frame.next];
  if (step === undefined) return null;
  if (!mayRun) return skipStep(job, step, events);
  const where = `jobs.${job.name}, step ${step.name ?? step.id}`;
  const wanted = attempt(where, () => condition(step.if, stepScope(run, job, step.variables)));
  if (!wanted.ok) return failStep(run, job, step, events, wanted.error);
  if (!wanted.value) return skipStep(job, step, events);
  const started = attempt(where, () => startStep(run, job, step, events));
  return started.ok ? started.value : failStep(run, job, step, events, started.error);
}

/** An error in an expression ends the run; once it is ending, the step alone does not run. */
function failStep(
  run: Run,
  job: Job,
  step: IdentifiedStep,
  events: RunEvents,
  error: string,
): RunEvent {
  return run.cancellation === null ? events.error(job, error) : skipStep(job, step, events);
}

function skipStep(job: Job, step: IdentifiedStep, events: RunEvents): RunEvent {
  const state = { outcome: 'skipped', conclusion: 'skipped', outputs: {} } as const;
  return events.stepEnded(job, step.id, stepOriginOf(job), state, []);
}

function startStep(run: Run, job: Job, step: IdentifiedStep, events: RunEvents): RunEvent {
  // Values of the step's own variables see all other variables, not each other.
  const outer = stepScope(run, job, undefined);
  const variables = interpolateVariables(step.variables, outer);
  const scope = stepScope(run, job, variables);
  return step.uses === undefined
    ? commandOf(run, job, step, variables, scope, events)
    : providerCommandOf(run, job, step, step.uses, variables, scope, events);
}

function commandOf(
  run: Run,
  job: Job,
  step: IdentifiedStep,
  own: Variables | undefined,
  scope: Scope,
  events: RunEvents,
): ExecutionCommandEvent {
  const local = { ...surroundingVariables(job), ...own };
  const variables = { ...levelVariables(run, job), ...local };
  const names = Object.keys(local);
  const deadlineMs = deadlineOf(job, step, scope, events.at);
  const workingDirectory = workingDirectoryOf(run, job, step);
  const shell = step.shell ?? defaultsOf(run, job).shell;
  return events.step(job, job.nextSequence, {
    stepId: step.id,
    stepOrigin: stepOriginOf(job),
    scripts: interpolateText(step.run ?? '', scope)
      .replace(/\r?\n$/, '')
      .split(/\r?\n/),
    metadata: {
      ...(flag(step['continue-on-error'], scope) ? { 'tutti.continue-on-error': true } : {}),
      ...(deadlineMs === null ? {} : { 'tutti.deadline-ms': deadlineMs }),
      ...(names.length === 0 ? {} : { annotations: { local_variables_names: names } }),
    },
    body: {
      ...(Object.keys(variables).length === 0 ? {} : { variables }),
      ...(shell === undefined ? {} : { shell }),
      ...(workingDirectory === undefined
        ? {}
        : { 'working-directory': interpolateText(workingDirectory, scope) }),
    },
  });
}

function providerCommandOf(
  run: Run,
  job: Job,
  step: IdentifiedStep,
  uses: string,
  own: Variables | undefined,
  scope: Scope,
  events: RunEvents,
): RunEvent {
  if (job.frames.length >= FRAMES_MAX) {
    return events.error(job, `Step ${uses}: providers are nested more than ${FRAMES_MAX} deep.`);
  }
  const variables = { ...surroundingVariables(job), ...own };
  const workingDirectory = workingDirectoryOf(run, job, step);
  return events.providerCommand(
    job,
    {
      uses,
      id: step.id,
      ...(step.name === undefined ? {} : { name: interpolateText(step.name, scope) }),
      with: interpolate(step.with ?? {}, scope),
      ...(Object.keys(variables).length === 0 ? {} : { variables }),
      'continue-on-error': flag(step['continue-on-error'], scope),
      ...(workingDirectory === undefined
        ? {}
        : { 'working-directory': interpolateText(workingDirectory, scope) }),
    },
    {
      stepOrigin: stepOriginOf(job),
      labels: labelsOf(uses, run.apiGroup),
      contexts: scope.contexts,
      deadlineMs: deadlineOf(job, step, scope, events.at),
    },
  );
}

/** `a/b@v1` has prefix `a`, category `b` and version `v1`; `_` stands for what is missing (wire facts 2.12). */
function labelsOf(uses: string, apiGroup: string): Readonly<Record<string, string>> {
  const [, prefix, category, version] = /^(?:([^/@]+)\/)?([^@]+)(?:@(.+))?$/.exec(uses) ?? [];
  return {
    [`${apiGroup}/category`]: category ?? '_',
    [`${apiGroup}/categoryPrefix`]: prefix ?? '_',
    [`${apiGroup}/categoryVersion`]: version ?? '_',
  };
}

function levelVariables(run: Run, job: Job): Variables {
  // Without the steps' contexts: a variable of the job means the same in each of its steps.
  const scope = stepScope(run, { ...job, frames: [] }, undefined);
  return {
    ...interpolateVariables(run.manifest.variables, scope),
    ...interpolateVariables(job.definition.variables, scope),
  };
}

function surroundingVariables(job: Job): Variables {
  return Object.assign({}, ...job.frames.map((frame) => frame.provider?.variables ?? {}));
}

function defaultsOf(run: Run, job: Job): { shell?: string; 'working-directory'?: string } {
  return { ...run.manifest.defaults?.run, ...job.definition.defaults?.run };
}

function workingDirectoryOf(run: Run, job: Job, step: IdentifiedStep): string | undefined {
  return (
    step['working-directory'] ??
    job.frames.at(-1)?.provider?.workingDirectory ??
    defaultsOf(run, job)['working-directory']
  );
}

/** The step's own limit, or that of a provider step around it, whichever comes first. */
function deadlineOf(job: Job, step: IdentifiedStep, scope: Scope, at: Timestamp): number | null {
  const minutes = step['timeout-minutes'];
  const own = minutes === undefined ? null : epochMs(at) + minutesToMs(minutes, scope);
  return earliest([own, ...job.frames.map((frame) => frame.provider?.deadlineMs ?? null)]);
}

/** The next event for a job's step: it is skipped, sent to the environment, or handed to a provider. */
import {
  type EvaluationBudget,
  interpolate,
  interpolateText,
  OPENING,
  type Scope,
} from '@tutti/expressions';
import {
  type ExecutionCommandEvent,
  OrchestratorError,
  type RunEvent,
  type Timestamp,
  type Variables,
} from '@tutti/manifests';
import { hookAnnotation } from '../environment/hook-annotation.ts';
import { metadataEntries } from '../facts/encode.ts';
import {
  basicContexts,
  levelVariables,
  outerScope,
  secretVariables,
  stepScope,
} from './contexts.ts';
import { earliest, epochMs } from './deadlines.ts';
import { isDownload } from './download.ts';
import {
  attempt,
  bareCondition,
  condition,
  type Evaluated,
  flag,
  interpolateVariables,
  lazily,
  minutesToMs,
} from './evaluation.ts';
import type { RunEvents } from './events.ts';
import { functionLabels } from './function-name.ts';
import { isInHook, isTeardown } from './hooks.ts';
import { defaultsOf } from './inherited.ts';
import { calledAround } from './job-tree.ts';
import { plainResources } from './resources.ts';
import { type Frame, type IdentifiedStep, type Job, type Run, stepOriginOf } from './run.ts';
import { calledAsWritten, placeOfStep } from './step-place.ts';
import { annotationOfStep } from './workspace.ts';

/** Providers that yield providers that yield … end here. */
const FRAMES_MAX = 10;

/** A step that is next, where it stands. */
export interface NextStep {
  readonly run: Run;
  readonly job: Job;
  readonly step: IdentifiedStep;
  readonly events: RunEvents;
}

export function nextStepEvent(next: NextStep, frame: Frame, mayRun: boolean): RunEvent {
  if (!mayRun) return skipStep(next);
  const where = placeOfStep(next.job, frame, next.step);
  const wanted = isStepWanted(next, where);
  if (!wanted.ok) return failStep(next, wanted.error);
  if (!wanted.value) return skipStep(next);
  const started = attempt(where, () => startStep(next));
  return started.ok ? started.value : failStep(next, started.error);
}

export function isStepWanted(
  { run, job, step, events: { budget } }: NextStep,
  where: string,
): Evaluated<boolean> {
  const own = lazily(() => interpolateVariables(step.variables, outerScope(run, job, budget)));
  return attempt(where, () => {
    const scope = stepScope(run, job, own, budget);
    if (!bareCondition(step.hook?.condition, scope)) return false;
    return isTeardown(step.hook?.part) ? bareCondition(step.if, scope) : condition(step.if, scope);
  });
}

/** An error in an expression ends the run; once it is ending, the step alone fails. */
function failStep({ run, job, step, events }: NextStep, error: string): RunEvent {
  if (run.cancellation === null) return events.error(job, error);
  const state = { outcome: 'failure', conclusion: 'failure', outputs: {} } as const;
  return events.stepEnded(job, step.id, state, { logs: [`ERROR,${error}`] });
}

function skipStep({ job, step, events }: NextStep): RunEvent {
  const state = { outcome: 'skipped', conclusion: 'skipped', outputs: {} } as const;
  const more = step.hook === undefined ? {} : { name: calledAsWritten(step) };
  return events.stepEnded(job, step.id, state, more);
}

function startStep(next: NextStep): RunEvent {
  // Values of the step's own variables see all other variables, not each other.
  const { run, job, step, events } = next;
  const { budget } = events;
  const variables = interpolateVariables(step.variables, outerScope(run, job, budget));
  const scope = stepScope(run, job, () => variables, budget);
  if (step['use-workspace'] !== undefined || step['keep-workspace'] !== undefined) {
    return chooseWorkspace(next, scope);
  }
  return step.uses === undefined
    ? commandOf(next, variables, scope)
    : providerCommandOf(next, variables, scope);
}

/** An attempt of a judged step after the first. */
interface NextAttempt {
  readonly attempt: number;
  readonly selection: readonly string[];
  /** The deadline of the first attempt: the time limit is one for all. */
  readonly deadlineMs: number | null;
}

/** Calls the function of a step again; the job is as it was before the call. */
export function callAgain(next: NextStep, again: NextAttempt): RunEvent {
  const { run, job, step, events } = next;
  const { budget } = events;
  const called = attempt(`jobs.${job.key}, step ${step.uses}`, () => {
    const variables = interpolateVariables(step.variables, outerScope(run, job, budget));
    const scope = stepScope(run, job, () => variables, budget);
    return providerCommandOf(next, variables, scope, again);
  });
  return called.ok ? called.value : failStep(next, called.error);
}

function chooseWorkspace({ job, step, events }: NextStep, scope: Scope): RunEvent {
  const { 'use-workspace': used, 'keep-workspace': kept } = step;
  const isSetup = used !== undefined;
  // Hooks of providers outside come unchecked.
  if (step.hook?.part !== (isSetup ? 'setup-before' : 'teardown-before')) {
    const sentence = isSetup
      ? '"use-workspace" must be in "before" of "channel: setup".'
      : '"keep-workspace" must be in "before" of "channel: teardown".';
    throw new OrchestratorError('Invalid', sentence);
  }
  const directory = used === undefined ? null : interpolateText(used, scope);
  const isKept = kept === undefined ? null : flag(kept, scope);
  if (directory === '') {
    throw new OrchestratorError('Invalid', 'Expected the path of a workspace, got none.');
  }
  const state = { outcome: 'success', conclusion: 'success', outputs: {} } as const;
  return events.stepEnded(job, step.id, state, { directory, isKept });
}

function commandOf(
  { run, job, step, events }: NextStep,
  own: Variables | undefined,
  scope: Scope,
): ExecutionCommandEvent {
  const inputs = job.frames.at(-1)?.provider?.inputs;
  const local = { ...inputs, ...surroundingVariables(job), ...own };
  const levels = levelVariables(run, job, events.budget);
  const secrets = secretVariables(run);
  const variables: Variables = { ...secrets, ...levels, ...local };
  const names = Object.keys(local);
  const secretNames = Object.keys(secrets).filter((name) => variables[name] === secrets[name]);
  const deadlineMs = deadlineOf(job, step, scope, events.at);
  // Defaults are for the steps of the jobs of the manifest. Steps of providers and hooks are written for the shell they need.
  const defaults = job.frames.length > 1 || isInHook(job) ? {} : defaultsOf(run, job);
  const workingDirectory = workingDirectoryOf(job, step, scope, defaults['working-directory']);
  const shell = step.shell ?? defaults.shell;
  return events.step(job, job.nextSequence, {
    stepId: step.id,
    stepOrigin: stepOriginOf(job),
    scripts: interpolateText(step.run ?? '', scope)
      .replace(/\r?\n$/, '')
      .split(/\r?\n/),
    metadata: {
      ...metadataEntries({
        type: 'StepStarted',
        continueOnError: flag(step['continue-on-error'], scope),
        deadlineMs,
        hook: step.hook?.name ?? null,
        name: evaluatedName(step, scope),
        secrets: secretNames,
      }),
      ...annotationsOf(run, job, names),
      ...(run.artifacts.length === 0 ? {} : { artifacts: run.artifacts }),
    },
    body: {
      ...(Object.keys(variables).length === 0 ? {} : { variables }),
      ...(shell === undefined ? {} : { shell: interpolateText(shell, scope) }),
      ...(workingDirectory === undefined ? {} : { 'working-directory': workingDirectory }),
    },
  });
}

/** A name without expressions stands in the workflow, unless it is of a hook, which may come from anywhere. */
function evaluatedName({ name, hook }: IdentifiedStep, scope: Scope): string | null {
  return name !== undefined && (hook !== undefined || name.includes(OPENING))
    ? interpolateText(name, scope)
    : null;
}

function annotationsOf(run: Run, job: Job, localNames: readonly string[]) {
  const hooks = annotationOfStep(job);
  const annotations = {
    ...(isDownload(job) ? { transient: true } : {}),
    ...(localNames.length === 0 ? {} : { local_variables_names: localNames }),
    ...(hooks === null ? {} : hookAnnotation(run.apiGroup, hooks)),
  };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

function providerCommandOf(
  { run, job, step, events }: NextStep,
  own: Variables | undefined,
  scope: Scope,
  again?: NextAttempt,
): RunEvent {
  const { uses = '' } = step;
  if (job.frames.length >= FRAMES_MAX) {
    throw new OrchestratorError('Invalid', `Providers are nested more than ${FRAMES_MAX} deep.`);
  }
  const variables = { ...surroundingVariables(job), ...own };
  const workingDirectory = workingDirectoryOf(job, step, scope, undefined);
  return events.providerCommand(
    job,
    {
      uses,
      id: step.id,
      ...(step.name === undefined ? {} : { name: interpolateText(step.name, scope) }),
      with: interpolate(step.with ?? {}, scope),
      ...(Object.keys(variables).length === 0 ? {} : { variables }),
      'continue-on-error': flag(step['continue-on-error'], scope),
      ...(workingDirectory === undefined ? {} : { 'working-directory': workingDirectory }),
    },
    {
      stepOrigin: stepOriginOf(job),
      labels: functionLabels(uses, run.apiGroup),
      contexts: contextsForProvider(run, job, scope, events.budget),
      deadlineMs: deadlineOf(job, step, scope, events.at),
      isHooked: !isInHook(job) && !isDownload(job),
      attempt: 1,
      selection: [],
      ...again,
    },
  );
}

/** A function gets the secrets that it is given as inputs, and no others. */
function contextsForProvider(
  run: Run,
  job: Job,
  { contexts }: Scope,
  within: EvaluationBudget,
): Scope['contexts'] {
  const { secrets: _, ...others } = contexts;
  const resources = { contexts: basicContexts(run), called: calledAround(run, job) };
  return { ...others, resources: plainResources(run, resources, within) };
}

function surroundingVariables(job: Job): Variables {
  return Object.fromEntries(
    job.frames.flatMap((frame) => Object.entries(frame.provider?.variables ?? {})),
  );
}

/** The directory of a provider step around this one was evaluated with that step. */
function workingDirectoryOf(
  job: Job,
  step: IdentifiedStep,
  scope: Scope,
  fallback: string | undefined,
): string | undefined {
  const surrounding = job.frames.at(-1)?.provider?.workingDirectory ?? undefined;
  const own = step['working-directory'];
  if (own === undefined && surrounding !== undefined) return surrounding;
  const text = own ?? fallback;
  return text === undefined ? undefined : interpolateText(text, scope);
}

/** The step's own limit, or that of a provider step around it, whichever comes first. */
function deadlineOf(job: Job, step: IdentifiedStep, scope: Scope, at: Timestamp): number | null {
  const minutes = step['timeout-minutes'];
  const own = minutes === undefined ? null : epochMs(at) + minutesToMs(minutes, scope);
  return earliest([own, ...job.frames.map((frame) => frame.provider?.deadlineMs ?? null)]);
}

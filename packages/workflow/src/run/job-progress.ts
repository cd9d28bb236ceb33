/** Progress of one job: from its offer over commands and providers to the ends of its steps. Each function returns the changed job. */
import type {
  ChannelId,
  ExecutionResultEvent,
  Hook,
  ProviderResultEvent,
  StepId,
  Timestamp,
  Variables,
  WorkflowJob,
} from '@tutti/manifests';
import { variablesAsSeen } from '../environment/recorded-workspace.ts';
import { extension } from '../facts/extensions.ts';
import type { FactOf } from '../facts/fact.ts';
import { CLEANUP_MS, epochMs } from './deadlines.ts';
import { functionName } from './function-name.ts';
import { aroundFunction, aroundJob } from './hooks.ts';
import { inputVariables } from './input-variables.ts';
import { keyOf } from './job-tree.ts';
import type { Cell } from './matrix.ts';
import { isGroupOfCells } from './matrix-jobs.ts';
import {
  attachmentOf,
  type Bundle,
  type BundleCategory,
  emptyBundle,
  type Frame,
  type IdentifiedStep,
  type Job,
  type ProviderFrame,
  type RunningCommand,
  type StepSpan,
  type StepState,
  spanOf,
  stepOriginOf,
  topFrame,
} from './run.ts';
import {
  NO_WORKSPACE,
  workspaceAfterCommand,
  workspaceAfterStep,
  workspaceAfterStop,
} from './workspace.ts';

// One of each for all jobs: states are replaced, never changed.
const NO_ATTACHMENTS: Job['attachments'] = new Map();
const NO_SPANS: Job['spans'] = [];

/** A job of a run, or of a bundle, that just began. */
export function waitingJob(
  parent: Job | null,
  name: string,
  definition: WorkflowJob,
  matrix: Cell | null = null,
): Job {
  const parentKey = parent?.key ?? null;
  return {
    key: keyOf(parentKey, name),
    parent: parentKey,
    origin: originWithin(parent),
    name: matrix === null ? name : (definition.name ?? name),
    matrix,
    definition,
    phase: 'WAITING',
    bundle: bundleOf(definition),
    jobId: null,
    tags: [],
    requestedAt: null,
    startedAt: null,
    workedAt: null,
    endedAt: null,
    deadlineMs: null,
    timeoutMs: 0,
    canceled: false,
    overtime: 'none',
    channel: null,
    ranOn: null,
    nextSequence: 0,
    frames: [],
    command: null,
    providerCall: null,
    judging: null,
    persisted: {},
    workspace: NO_WORKSPACE,
    waiting: null,
    granted: definition.concurrency === undefined || isGroupOfCells(definition),
    supersededBy: null,
    result: null,
    outputs: {},
    attachments: NO_ATTACHMENTS,
    spans: NO_SPANS,
  };
}

function originWithin(parent: Job | null): Job['origin'] {
  if (parent === null) return [];
  return parent.jobId === null ? parent.origin : [...parent.origin, parent.jobId];
}

function bundleOf(definition: WorkflowJob): Bundle | null {
  const category = categoryOf(definition);
  return category === null ? null : { ...emptyBundle, category };
}

/** A job that has a matrix and jobs is, for each cell, a bundle with these. */
function categoryOf({ strategy, jobs, generator, uses }: WorkflowJob): BundleCategory | null {
  if (strategy?.matrix !== undefined) return 'matrix';
  if (generator !== undefined) return 'generator';
  if (uses !== undefined) return 'uses';
  return jobs === undefined ? null : 'jobs';
}

/** `hooks`: those of the workflow. */
export function jobStarted(
  job: Job,
  channelId: ChannelId,
  { event: { metadata }, hooks: own }: FactOf<'EnvironmentOffered'>,
  hooks: readonly Hook[],
): Job {
  const steps = identified(job.definition.steps ?? [], 'step-');
  return {
    ...job,
    phase: 'RUNNING',
    startedAt: metadata.creationTimestamp,
    deadlineMs: job.timeoutMs === 0 ? null : epochMs(metadata.creationTimestamp) + job.timeoutMs,
    waiting: null,
    ranOn: channelId,
    channel: {
      id: channelId,
      handlerId: extension.text(metadata, 'channelhandler_id'),
      os: metadata.channel_os ?? 'linux',
      temp: metadata.channel_temp ?? null,
    },
    frames: [frameOf(aroundJob(steps, hooks, own), null)],
  };
}

/** Steps of a manifest that did not pass the receptionist may lack ids; their position then is the id. */
function identified(steps: readonly object[], prefix: string): readonly IdentifiedStep[] {
  return steps.map((step, index) => {
    const id = 'id' in step && typeof step.id === 'string' ? step.id : `${prefix}${index}`;
    return { ...step, id: id as StepId } as IdentifiedStep;
  });
}

function frameOf(steps: readonly IdentifiedStep[], provider: ProviderFrame | null): Frame {
  return { steps, next: 0, ended: [], status: 'success', provider };
}

export function commandStarted(job: Job, fact: FactOf<'StepStarted'>): Job {
  const { event, name, continueOnError, deadlineMs } = fact;
  const { metadata } = event;
  const { step_sequence_id: sequence, step_id: stepId, creationTimestamp: at } = metadata;
  const command = {
    sequence,
    stepId,
    name,
    startedAt: at,
    continueOnError,
    deadlineMs,
    terminated: null,
  };
  const spans = spansStarted(job, manifestStepOf(metadata), at);
  const workspace = workspaceAfterCommand(job.workspace, event);
  const workedAt = job.workedAt ?? at;
  return { ...job, workedAt, command, nextSequence: sequence + 1, spans, workspace };
}

/** The command was told to stop; it still works until its result comes. */
export function commandStopped(job: Job, terminated: 'canceled' | 'timeout'): Job {
  return job.command === null ? job : { ...job, command: { ...job.command, terminated } };
}

/** The result gives the outcome; the step it is about follows from the command. */
export function commandEnded(job: Job, event: ExecutionResultEvent): Job {
  const { command } = job;
  if (command?.sequence !== event.metadata.step_sequence_id) return job;
  const manifestStep = stepOriginOf(job)[0] ?? command.stepId;
  const persisted = { ...job.persisted, ...variablesLeft(job, event) };
  const { workspace } = job;
  const ended: Job = {
    ...job,
    command: null,
    persisted,
    workspace: command.terminated === null ? workspace : workspaceAfterStop(workspace, persisted),
    spans: spansEnded(job, manifestStep, event.metadata.creationTimestamp),
    attachments: attachmentsAfter(job, manifestStep, event),
  };
  const state = { ...conclusionOf(command, event.status), outputs: event.outputs ?? {} };
  return stepEnded(ended, command.stepId, state);
}

/** Variables of the step for expressions: the environment reads its own file. */
function variablesLeft({ channel }: Job, { variables = {} }: ExecutionResultEvent) {
  return variablesAsSeen(variables, channel?.os ?? 'linux');
}

function conclusionOf(command: RunningCommand, exitCode: number): Omit<StepState, 'outputs'> {
  if (command.terminated === 'canceled') return { outcome: 'cancelled', conclusion: 'cancelled' };
  const outcome = exitCode === 0 && command.terminated === null ? 'success' : 'failure';
  const forgiven = outcome === 'failure' && command.continueOnError;
  return { outcome, conclusion: forgiven ? 'success' : outcome };
}

export function providerCalled(job: Job, fact: FactOf<'FunctionCalled'>): Job {
  const { metadata, step } = fact.event;
  const providerCall = {
    stepId: metadata.step_id,
    name: extension.text(step, 'name'),
    startedAt: metadata.creationTimestamp,
    uses: step.uses,
    continueOnError: step['continue-on-error'] === true,
    deadlineMs: fact.deadlineMs,
    inputs: inputVariables(extension.record(step, 'with')),
    // The run itself wrote them, as they are in the type.
    variables: extension.record(step, 'variables') as Variables,
    workingDirectory: extension.text(step, 'working-directory'),
    isHooked: fact.isHooked,
  };
  const spans = spansAsked(job, manifestStepOf(metadata), metadata.creationTimestamp);
  return { ...withoutJudgedFrame(job, fact.attempt), providerCall, spans };
}

/** The steps of an earlier attempt make place for those of the next. */
function withoutJudgedFrame(job: Job, attempt: number): Job {
  const answer = job.judging?.ended?.answer ?? null;
  if (attempt === 1 || answer === null || job.frames.length !== 2) return job;
  const judging = { attempt, retried: new Set(answer.retried), ended: null };
  return { ...job, frames: job.frames.slice(0, -1), judging };
}

/** `hooks`: those of the workflow. */
export function providerAnswered(
  job: Job,
  event: ProviderResultEvent,
  hooks: readonly Hook[],
): Job {
  const call = job.providerCall;
  if (call?.stepId !== event.metadata.step_id) return job;
  const provider = { ...call, outputs: event.outputs ?? {} };
  const steps = identified(event.steps, `${call.stepId}-`);
  const hooked = call.isHooked
    ? aroundFunction(steps, functionName(call.uses), hooks, extension.hooks(event, 'hooks'))
    : steps;
  const frame = frameOf(hooked, provider);
  return { ...job, providerCall: null, frames: [...job.frames, frame] };
}

/** A step that was skipped or given up, or a provider step whose own steps are all done. */
export function stepEndedByRun(job: Job, fact: FactOf<'StepEnded'>): Job {
  const { metadata } = fact.event;
  const { step_id: stepId } = metadata;
  if (stepId === undefined) return job;
  const { outcome, conclusion, outputs } = fact;
  const state: StepState = { outcome, conclusion, outputs };
  // Steps of a provider may have the id of the step around them, so the depth decides.
  const origin = metadata.step_origin ?? [];
  const closesFrame = origin.length < stepOriginOf(job).length;
  const at = metadata.creationTimestamp;
  const spans = origin.length === 0 ? spansEnded(job, stepId, at) : job.spans;
  const frames = closesFrame ? job.frames.slice(0, -1) : job.frames;
  const workspace = workspaceAfterStep(job.workspace, fact);
  const judging = origin.length === 0 ? null : job.judging;
  const ended = { ...job, providerCall: null, judging, frames, spans, workspace };
  return stepEnded(ended, stepId, state);
}

/** A provider that was asked before the end is not waited for any more. */
export function withoutProviderCall(job: Job, outcome: 'cancelled' | 'failure'): Job {
  if (job.providerCall === null) return job;
  const forgiven = outcome === 'failure' && job.providerCall.continueOnError;
  const state: StepState = { outcome, conclusion: forgiven ? 'success' : outcome, outputs: {} };
  const judging = job.frames.length === 1 ? null : job.judging;
  return stepEnded({ ...job, providerCall: null, judging }, job.providerCall.stepId, state);
}

export function overdueJob(job: Job, at: Timestamp): Job {
  // A cancelled job has had its time to clean up.
  return job.overtime === 'none' && !job.canceled
    ? { ...job, overtime: 'cleanup', deadlineMs: epochMs(at) + CLEANUP_MS }
    : { ...job, overtime: 'over', deadlineMs: null };
}

/** Records the end of the current step of the innermost frame and moves on to the next one. */
function stepEnded(job: Job, stepId: StepId, state: StepState): Job {
  const frame = topFrame(job);
  if (frame === null) return job;
  const failedNow = state.conclusion === 'failure';
  const next: Frame = {
    ...frame,
    next: frame.next + 1,
    ended: [...frame.ended, { id: stepId, state }],
    status: failedNow ? 'failure' : frame.status,
  };
  return { ...job, frames: [...job.frames.slice(0, -1), next] };
}

function manifestStepOf(metadata: {
  readonly step_id: StepId;
  readonly step_origin: readonly StepId[];
}): StepId {
  return metadata.step_origin[0] ?? metadata.step_id;
}

function attachmentsAfter(
  job: Job,
  stepId: StepId,
  event: ExecutionResultEvent,
): Job['attachments'] {
  const found = Object.values(event.metadata.attachments ?? {});
  if (found.length === 0) return job.attachments;
  const attachments = new Map(job.attachments);
  const of = attachmentOf(job, stepId);
  for (const { uuid, type } of found) {
    const at = event.metadata.creationTimestamp;
    attachments.set(uuid, { ...of, type: type ?? null, at });
  }
  return attachments;
}

function spansAsked(job: Job, stepId: StepId, at: Timestamp): Job['spans'] {
  return spanOf(job, stepId) === null ? [...job.spans, spanAsked(stepId, at)] : job.spans;
}

const spanAsked = (stepId: StepId, at: Timestamp): StepSpan => ({
  stepId,
  askedAt: at,
  startedAt: null,
  endedAt: null,
});

function spansStarted(job: Job, stepId: StepId, at: Timestamp): Job['spans'] {
  const asked = spanOf(job, stepId);
  if (asked === null) return [...job.spans, { ...spanAsked(stepId, at), startedAt: at }];
  return asked.startedAt === null ? spansWith(job, asked, { ...asked, startedAt: at }) : job.spans;
}

function spansEnded(job: Job, stepId: StepId, at: Timestamp): Job['spans'] {
  const span = spanOf(job, stepId);
  return span === null ? job.spans : spansWith(job, span, { ...span, endedAt: at });
}

const spansWith = ({ spans }: Job, before: StepSpan, after: StepSpan): Job['spans'] =>
  spans.with(spans.lastIndexOf(before), after);

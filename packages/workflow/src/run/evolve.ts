/** How each event changes a run. Total and deterministic: no event throws, whatever the state. */
import {
  type ExecutionCommandEvent,
  type ExecutionErrorEvent,
  type ExecutionResultEvent,
  type NotificationEvent,
  type ProviderCommandEvent,
  type ProviderResultEvent,
  parseTimestamp,
  type RunEvent,
  STEP_SEQUENCE,
  type StepId,
  type Timestamp,
  type Variables,
  type WaitingReason,
  type WorkflowCancellationEvent,
  type WorkflowEvent,
  type WorkflowManifest,
} from '@tutti/manifests';
import { extension } from './extensions.ts';
import {
  type Cancellation,
  emptyRun,
  type Frame,
  type IdentifiedStep,
  isEnded,
  type Job,
  jobById,
  type Run,
  type StepState,
  stepOriginOf,
  topFrame,
  withJob,
} from './run.ts';

export function evolve(run: Run, event: RunEvent): Run {
  switch (event.kind) {
    case 'Workflow':
      return workflowReceived(event);
    case 'ExecutionCommand':
      return commandSent(run, event);
    case 'ExecutionResult':
      return resultReceived(run, event);
    case 'ProviderCommand':
      return providerCalled(run, event);
    case 'ProviderResult':
      return providerAnswered(run, event);
    case 'ExecutionError':
      return failed(run, event);
    case 'Notification':
      return notified(run, event);
    case 'WorkflowResult':
      return run;
    case 'WorkflowCancellation':
      return cancellationAsked(run, event);
    case 'WorkflowCompleted':
      return { ...run, phase: 'DONE', completedAt: event.metadata.creationTimestamp };
    case 'WorkflowCanceled':
      return { ...run, phase: 'FAILED', completedAt: event.metadata.creationTimestamp };
  }
}

export const epochMs = (timestamp: Timestamp): number => parseTimestamp(timestamp) ?? 0;

function workflowReceived(event: WorkflowEvent): Run {
  const { metadata } = event;
  const manifest = event as unknown as WorkflowManifest;
  const jobs = new Map<string, Job>();
  for (const [name, definition] of Object.entries(event.jobs)) {
    jobs.set(name, {
      name,
      definition,
      phase: 'WAITING',
      jobId: null,
      tags: [],
      requestedAt: null,
      startedAt: null,
      endedAt: null,
      deadlineMs: null,
      timeoutMs: 0,
      canceled: false,
      overtime: 'none',
      channel: null,
      nextSequence: 0,
      frames: [],
      command: null,
      providerCall: null,
      persisted: {},
      waiting: null,
      granted: definition.concurrency === undefined,
      result: null,
      outputs: {},
      attachments: new Map(),
      spans: new Map(),
    });
  }
  return {
    ...emptyRun,
    phase: 'PENDING',
    workflowId: metadata.workflow_id,
    name: metadata.name,
    namespace: metadata.namespace,
    apiGroup: event.apiVersion.slice(0, event.apiVersion.lastIndexOf('/')),
    createdAt: metadata.creationTimestamp,
    deadlineMs: extension.number(metadata, 'tutti.deadline-ms'),
    labels: metadata.labels ?? {},
    inputs: extension.record(metadata.annotations, 'tutti.inputs'),
    manifest,
    jobs,
    granted: manifest.concurrency === undefined,
  };
}

function commandSent(run: Run, event: ExecutionCommandEvent): Run {
  const { step_sequence_id: sequence, creationTimestamp: at } = event.metadata;
  if (sequence === STEP_SEQUENCE.request) return environmentRequested(run, event);
  const job = jobById(run, event.metadata.job_id);
  if (job === null) return run;
  if (sequence === STEP_SEQUENCE.terminate || sequence === STEP_SEQUENCE.kill) {
    return job.command === null
      ? run
      : withJob(run, { ...job, command: { ...job.command, terminated: terminationCause(event) } });
  }
  if (sequence === STEP_SEQUENCE.release) return releaseSent(run, job, event);
  const command = {
    sequence,
    stepId: event.metadata.step_id,
    continueOnError: event.metadata['tutti.continue-on-error'] === true,
    deadlineMs: extension.number(event.metadata, 'tutti.deadline-ms'),
    terminated: null,
  };
  return withJob(run, {
    ...job,
    command,
    nextSequence: sequence + 1,
    spans: spansStarted(job, manifestStepOf(event.metadata), at),
  });
}

function terminationCause(event: ExecutionCommandEvent): 'canceled' | 'timeout' {
  return event.metadata['tutti.cause'] === 'timeout' ? 'timeout' : 'canceled';
}

function environmentRequested(run: Run, event: ExecutionCommandEvent): Run {
  const { metadata } = event;
  const job = run.jobs.get(metadata.name);
  if (job === undefined) return run;
  const timeoutMs = extension.number(metadata, 'tutti.timeout-ms') ?? 0;
  const waitMs = run.cancellation === null ? timeoutMs : Math.min(timeoutMs, CLEANUP_MS);
  const requested = withJob(run, {
    ...job,
    phase: 'REQUESTED',
    jobId: metadata.job_id,
    tags: event['runs-on'],
    requestedAt: metadata.creationTimestamp,
    timeoutMs,
    deadlineMs: timeoutMs === 0 ? null : epochMs(metadata.creationTimestamp) + waitMs,
    waiting: null,
  });
  return { ...requested, jobNames: new Map(run.jobNames).set(metadata.job_id, job.name) };
}

function releaseSent(run: Run, job: Job, event: ExecutionCommandEvent): Run {
  const { metadata } = event;
  return withJob(run, {
    ...job,
    phase: 'RELEASING',
    command: null,
    providerCall: null,
    deadlineMs: null,
    frames: [],
    result: extension.result(metadata, 'tutti.conclusion'),
    outputs: extension.texts(metadata, 'tutti.outputs'),
  });
}

function resultReceived(run: Run, event: ExecutionResultEvent): Run {
  const { metadata } = event;
  const job = jobById(run, metadata.job_id);
  if (job === null) return run;
  const sequence = metadata.step_sequence_id;
  if (sequence === STEP_SEQUENCE.request) return offerAccepted(run, job, event);
  if (sequence === STEP_SEQUENCE.release) {
    const endedAt = metadata.creationTimestamp;
    return withJob(run, { ...job, phase: 'COMPLETED', channel: null, endedAt });
  }
  if (job.command === null || job.command.sequence !== sequence) return run;
  const { stepId } = job.command;
  const conclusion = conclusionOf(job, event.status);
  const persisted =
    event.variables === undefined ? job.persisted : { ...job.persisted, ...event.variables };
  // The result is believed in what came out, not in which step it is about: the command tells that.
  const manifestStep = stepOriginOf(job)[0] ?? stepId;
  const spans = spansEnded(job, manifestStep, metadata.creationTimestamp);
  const attachments = attachmentsAfter(job, manifestStep, event);
  const ended = { ...job, command: null, persisted, spans, attachments };
  const outputs = event.outputs ?? {};
  return withJob(run, stepEnded(ended, stepId, { ...conclusion, outputs }));
}

function conclusionOf(job: Job, exitCode: number): Omit<StepState, 'outputs'> {
  const { command } = job;
  if (command?.terminated === 'canceled') {
    return { outcome: 'cancelled', conclusion: 'cancelled' };
  }
  const outcome = exitCode === 0 && command?.terminated !== 'timeout' ? 'success' : 'failure';
  const forgiven = outcome === 'failure' && command?.continueOnError === true;
  return { outcome, conclusion: forgiven ? 'success' : outcome };
}

function offerAccepted(run: Run, job: Job, event: ExecutionResultEvent): Run {
  const { metadata } = event;
  if (job.phase !== 'REQUESTED' || metadata.channel_id === undefined) return run;
  const started = withJob(run, {
    ...job,
    phase: 'RUNNING',
    startedAt: metadata.creationTimestamp,
    deadlineMs: job.timeoutMs === 0 ? null : epochMs(metadata.creationTimestamp) + job.timeoutMs,
    waiting: null,
    channel: {
      id: metadata.channel_id,
      handlerId: extension.text(metadata, 'channelhandler_id'),
      os: metadata.channel_os ?? 'linux',
      temp: metadata.channel_temp ?? null,
    },
    frames: [jobFrame(job)],
  });
  return { ...started, phase: 'RUNNING' };
}

/** Steps of a manifest that did not pass the receptionist may lack ids; their position then is the id. */
function identified(steps: readonly object[], prefix: string): readonly IdentifiedStep[] {
  return steps.map((step, index) => {
    const id = 'id' in step && typeof step.id === 'string' ? step.id : `${prefix}${index}`;
    return { ...step, id: id as StepId } as IdentifiedStep;
  });
}

function jobFrame(job: Job): Frame {
  return {
    steps: identified(job.definition.steps, 'step-'),
    next: 0,
    states: {},
    status: 'success',
    provider: null,
  };
}

/** Records the end of the current step of the innermost frame and moves on to the next one. */
function stepEnded(job: Job, stepId: StepId, state: StepState): Job {
  const frame = topFrame(job);
  if (frame === null) return job;
  const failedNow = state.conclusion === 'failure';
  const next: Frame = {
    ...frame,
    next: frame.next + 1,
    states: { ...frame.states, [stepId]: state },
    status: failedNow ? 'failure' : frame.status,
  };
  return { ...job, frames: [...job.frames.slice(0, -1), next] };
}

function providerCalled(run: Run, event: ProviderCommandEvent): Run {
  const job = jobById(run, event.metadata.job_id);
  if (job === null) return run;
  const providerCall = {
    stepId: event.metadata.step_id,
    uses: event.step.uses,
    continueOnError: event.step['continue-on-error'] === true,
    deadlineMs: extension.number(event.metadata, 'tutti.deadline-ms'),
    variables: extension.record(event.step, 'variables') as Variables,
    workingDirectory: extension.text(event.step, 'working-directory'),
  };
  const at = event.metadata.creationTimestamp;
  const spans = spansStarted(job, manifestStepOf(event.metadata), at);
  return withJob(run, { ...job, providerCall, spans });
}

function providerAnswered(run: Run, event: ProviderResultEvent): Run {
  const job = jobById(run, event.metadata.job_id);
  const call = job?.providerCall ?? null;
  if (job === null || call === null || call.stepId !== event.metadata.step_id) return run;
  const frame: Frame = {
    steps: identified(event.steps, `${call.stepId}-`),
    next: 0,
    states: {},
    status: 'success',
    provider: { ...call, outputs: event.outputs ?? {} },
  };
  return withJob(run, { ...job, providerCall: null, frames: [...job.frames, frame] });
}

function failed(run: Run, event: ExecutionErrorEvent): Run {
  if (isEnded(run)) return run;
  if (run.cancellation !== null) return providerFailed(run, event);
  const cancellation = { reason: event.details.error, source: null, cause: 'error' } as const;
  return stopping(run, cancellation, event.metadata.creationTimestamp);
}

/** An error does not end again a run that is ending, but the provider that gave it is not waited for. */
function providerFailed(run: Run, { metadata }: ExecutionErrorEvent): Run {
  const jobId = extension.text(metadata, 'job_id');
  const job = [...run.jobs.values()].find((each) => each.jobId !== null && each.jobId === jobId);
  const call = job?.providerCall ?? null;
  if (job === undefined || call?.stepId !== extension.text(metadata, 'step_id')) return run;
  return withJob(run, withoutProviderCall(job, 'failure'));
}

/** A user may end what a time limit began to end; otherwise the first cause stays. */
function cancellationAsked(run: Run, event: WorkflowCancellationEvent): Run {
  if (isEnded(run)) return run;
  const cancellation = {
    reason: event.details?.reason ?? null,
    source: event.details?.source ?? null,
    cause: event.metadata['tutti.cause'] === 'timeout' ? 'timeout' : 'user',
  } as const;
  const before = run.cancellation?.cause ?? null;
  const counts = before === null || (before === 'timeout' && cancellation.cause === 'user');
  return counts ? stopping(run, cancellation, event.metadata.creationTimestamp) : run;
}

function stopping(run: Run, cancellation: Cancellation, at: Timestamp): Run {
  const jobs = new Map(run.jobs);
  for (const job of run.jobs.values()) {
    const limitMs = epochMs(at) + CLEANUP_MS;
    const deadlineMs = job.deadlineMs === null ? null : Math.min(job.deadlineMs, limitMs);
    const canceled = job.canceled || job.phase === 'RUNNING';
    jobs.set(job.name, { ...withoutProviderCall(job, 'cancelled'), deadlineMs, canceled });
  }
  return { ...run, cancellation, jobs };
}

/** A provider that was asked before the end is not waited for any more. */
function withoutProviderCall(job: Job, outcome: 'cancelled' | 'failure'): Job {
  if (job.providerCall === null) return job;
  const forgiven = outcome === 'failure' && job.providerCall.continueOnError;
  const state: StepState = { outcome, conclusion: forgiven ? 'success' : outcome, outputs: {} };
  return stepEnded({ ...job, providerCall: null }, job.providerCall.stepId, state);
}

/** How long steps that run always may take after their job was cancelled or ran too long. */
const CLEANUP_MS = 5 * 60_000;

function overdueJob(job: Job, at: Timestamp): Job {
  // One that was cancelled has had its time to clean up.
  return job.overtime === 'none' && !job.canceled
    ? { ...job, overtime: 'cleanup', deadlineMs: epochMs(at) + CLEANUP_MS }
    : { ...job, overtime: 'over', deadlineMs: null };
}

function notified(run: Run, event: NotificationEvent): Run {
  const { spec, metadata } = event;
  if (spec.worker !== undefined) return workerChanged(run, spec.worker);
  const ended = extension.text(spec, 'tutti.job');
  if (ended !== null) return jobEndedUnplaced(run, ended, event);
  const granted = extension.text(spec, 'tutti.granted');
  if (granted !== null) return groupGranted(run, granted);
  const job = metadata.job_id === undefined ? null : jobById(run, metadata.job_id);
  if (spec['tutti.waiting'] !== undefined) {
    return waits(run, job, event, spec['tutti.waiting']);
  }
  if (job === null) return run;
  if (spec['tutti.timeout'] === 'job') {
    return withJob(
      run,
      overdueJob(withoutProviderCall(job, 'cancelled'), metadata.creationTimestamp),
    );
  }
  if (metadata.step_id !== undefined && spec['tutti.step-ended'] === true) {
    return stepEndedByUs(run, job, metadata.step_id, event);
  }
  return run;
}

/** Told late, a reason must not stick to what waits no more. */
function waits(run: Run, known: Job | null, event: NotificationEvent, waiting: WaitingReason): Run {
  const { metadata } = event;
  const name = extension.text(metadata, 'tutti.job');
  if (name === null && metadata.job_id === undefined) {
    return run.granted || isEnded(run) ? run : { ...run, waiting };
  }
  const job = name === null ? known : run.jobs.get(name);
  const isWaiting = job?.phase === 'WAITING' || job?.phase === 'REQUESTED';
  return job && isWaiting ? withJob(run, { ...job, waiting }) : run;
}

/** A step that was skipped, or a provider step whose own steps are all done. */
function stepEndedByUs(run: Run, job: Job, stepId: StepId, event: NotificationEvent): Run {
  const { spec, metadata } = event;
  const state: StepState = {
    outcome: extension.result(spec, 'outcome'),
    conclusion: extension.result(spec, 'conclusion'),
    outputs: extension.texts(spec, 'tutti.outputs'),
  };
  // Steps of a provider may have the id of the step around them, so the depth decides.
  const origin = metadata.step_origin ?? [];
  const closesFrame = origin.length < stepOriginOf(job).length;
  const at = metadata.creationTimestamp;
  const spans = origin.length === 0 ? spansEnded(job, stepId, at) : job.spans;
  const frames = closesFrame ? job.frames.slice(0, -1) : job.frames;
  return withJob(run, stepEnded({ ...job, providerCall: null, frames, spans }, stepId, state));
}

/** A job that ends without ever having had an environment. */
function jobEndedUnplaced(run: Run, name: string, event: NotificationEvent): Run {
  const job = run.jobs.get(name);
  if (job === undefined || job.phase === 'COMPLETED') return run;
  return withJob(run, {
    ...job,
    phase: 'COMPLETED',
    deadlineMs: null,
    waiting: null,
    endedAt: event.metadata.creationTimestamp,
    result: extension.result(event.spec, 'conclusion'),
  });
}

/** `name` is a job, or empty for the workflow's own group. */
function groupGranted(run: Run, name: string): Run {
  if (name === '') return { ...run, granted: true, waiting: null };
  const job = run.jobs.get(name);
  return job === undefined ? run : withJob(run, { ...job, granted: true, waiting: null });
}

function workerChanged(
  run: Run,
  worker: { readonly worker_id: string; readonly status: 'setup' | 'teardown' },
): Run {
  const workers = new Set(run.workers);
  if (worker.status === 'setup') workers.add(worker.worker_id);
  else workers.delete(worker.worker_id);
  return { ...run, workers };
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
  for (const { uuid, type } of found) {
    const at = event.metadata.creationTimestamp;
    attachments.set(uuid, { stepId, type: type ?? null, at });
  }
  return attachments;
}

function spansStarted(job: Job, stepId: StepId, at: Timestamp): Job['spans'] {
  if (job.spans.has(stepId)) return job.spans;
  return new Map(job.spans).set(stepId, { startedAt: at, endedAt: null });
}

function spansEnded(job: Job, stepId: StepId, at: Timestamp): Job['spans'] {
  const span = job.spans.get(stepId);
  if (span === undefined) return job.spans;
  return new Map(job.spans).set(stepId, { ...span, endedAt: at });
}

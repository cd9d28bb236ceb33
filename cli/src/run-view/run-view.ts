/** What a person following a run needs to know of it, folded from its events. */
import {
  type Hook,
  isRunEvent,
  type JobId,
  type LoggedEvent,
  parseTimestamp,
  type RunEvent,
  type RunEventOf,
  STEP_SEQUENCE,
  type StepId,
} from '@tutti/manifests';
import {
  firstLine,
  type LabeledStep,
  labelOfStep,
  type StepLabel,
} from '@tutti/workflow/step-label';
import { notifiedLines } from '@tutti/workflow/step-output';
import { cutCommand } from './display.ts';
import { callBegun, callEnded, commandEnded, stepSkipped } from './ended-steps.ts';
import { askedText, isTrueEntry, textEntry } from './event-entries.ts';
import {
  type JobResult,
  type JobView,
  jobsOfBundle,
  newJob,
  type StepView,
  type ToldError,
  withJobsOf,
} from './job-view.ts';
import {
  filesAttached,
  functionCalled,
  NO_RUN_TESTS,
  type RunTests,
  resultsTold,
  workerTold,
} from './run-tests.ts';
import { labelText, nameLabel, shortLabel, stepsOfFunction } from './step-labels.ts';
import { subjectIn } from './subject-in.ts';
import { addCounts, countsSince } from './test-tally.ts';

export interface RunView {
  readonly workflowId: string;
  readonly name: string;
  readonly namespace: string;
  readonly phase: 'PENDING' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELED';
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** By key, in the order of the manifest; the jobs of a bundle behind it. */
  readonly jobs: ReadonlyMap<string, JobView>;
  readonly jobKeys: ReadonlyMap<JobId, string>;
  /** Labels of steps by job key and step id, joined by a slash. */
  readonly labels: ReadonlyMap<string, StepLabel>;
  /** Test cases so far; what else is known of them is a data source of the server. */
  readonly tests: RunTests;
  /** How many files it has so far. */
  readonly files: FileCounts;
  /** Errors that belong to no job, and the reason of the end if one was given. */
  readonly errors: readonly ToldError[];
  readonly reason: string | null;
  /** The subject of the token that canceled the run; null where nobody did, and where the server does not say. */
  readonly canceledBy: string | null;
  /** Why the run as a whole waits. */
  readonly waiting: string | null;
  /** Characters of commands in labels; 0: all of the first line. Stays as it is. */
  readonly commandLength: number;
}

export interface FileCounts {
  /** Of steps. */
  readonly attachments: number;
  /** On the run, that nobody asked for. */
  readonly reports: number;
}

export const LAST_LINES_MAX = 15;
/** A step may fail in a loop of providers; more failures of one job than that help nobody. */
const FAILED_STEPS_MAX = 50;
const ERRORS_MAX = 20;

export const emptyRunView: RunView = {
  workflowId: '',
  name: '',
  namespace: '',
  phase: 'PENDING',
  startedAt: null,
  endedAt: null,
  jobs: new Map(),
  jobKeys: new Map(),
  labels: new Map(),
  tests: NO_RUN_TESTS,
  files: { attachments: 0, reports: 0 },
  errors: [],
  reason: null,
  canceledBy: null,
  waiting: null,
  commandLength: 0,
};

export function reduceRunView(view: RunView, event: LoggedEvent): RunView {
  if (!isRunEvent(event)) return view;
  switch (event.kind) {
    case 'Workflow':
      return received(view, event);
    case 'ExecutionCommand':
      return commanded(view, event);
    case 'ExecutionResult':
      return answered(attached(view, event), event);
    case 'ProviderCommand':
      return called(view, event);
    case 'ProviderResult':
      return providerAnswered(view, event);
    case 'GeneratorCommand':
      return requested(view, event);
    case 'GeneratorResult':
      return expanded(view, event);
    case 'ExecutionError':
      return erred(view, event);
    case 'Notification':
      return notified(view, event);
    case 'WorkflowCompleted':
      return { ...view, phase: 'DONE', endedAt: timeOf(event) };
    case 'WorkflowCanceled':
      return stopped(view, event);
    case 'WorkflowResult':
      return attached(view, event);
    case 'WorkflowCancellation':
      return view;
  }
}

/** Epoch milliseconds of an event. */
export function timeOf(event: RunEvent): number {
  return parseTimestamp(event.metadata.creationTimestamp ?? '') ?? 0;
}

export function jobOf(view: RunView, jobId: JobId | undefined): JobView | null {
  const key = jobId === undefined ? undefined : view.jobKeys.get(jobId);
  return key === undefined ? null : (view.jobs.get(key) ?? null);
}

/** The lines of a result that no notification gave before. */
export function freshLines(event: RunEventOf<'ExecutionResult'>): readonly string[] {
  const streamed = event.metadata['tutti.streamed'];
  return (event.logs ?? []).slice(typeof streamed === 'number' ? streamed : 0);
}

function withJob(view: RunView, job: JobView): RunView {
  return { ...view, jobs: new Map(view.jobs).set(job.key, job) };
}

function received({ commandLength }: RunView, event: RunEventOf<'Workflow'>): RunView {
  const { metadata } = event;
  const labels = Object.entries(event.jobs).flatMap(([name, job]) =>
    labelsOf(name, job.steps ?? [], commandLength),
  );
  return {
    ...emptyRunView,
    workflowId: metadata.workflow_id,
    name: metadata.name,
    namespace: metadata.namespace,
    startedAt: timeOf(event),
    jobs: new Map(
      Object.entries(event.jobs).map(([name, { needs }]) => [name, newJob(name, name, needs)]),
    ),
    labels: new Map([...labels, ...labelsOfHooks(event.hooks, commandLength)]),
    commandLength,
  };
}

function providerAnswered(view: RunView, event: RunEventOf<'ProviderResult'>): RunView {
  const { job_id: jobId, step_id: stepId } = event.metadata;
  const label = view.labels.get(`${jobOf(view, jobId)?.key}/${stepId}`);
  const { commandLength } = view;
  const steps =
    label === undefined ? event.steps : stepsOfFunction(label, event.steps, commandLength);
  const labels = labelsWith(view, jobId, steps);
  return { ...view, labels: new Map([...labels, ...labelsOfHooks(event.hooks, commandLength)]) };
}

/** Under the empty name: a hook is around many jobs. */
function labelsOfHooks(hooks: unknown, commandLength: number) {
  const list: readonly Hook[] = Array.isArray(hooks) ? hooks : [];
  return list.flatMap(({ before = [], after = [] }) =>
    labelsOf('', [...before, ...after], commandLength),
  );
}

function labelsOf(
  job: string,
  steps: readonly LabeledStep[],
  commandLength: number,
): [key: string, label: StepLabel][] {
  return steps.flatMap((step) => {
    const label = shortLabel(step, commandLength);
    return typeof step.id === 'string' && label !== null ? [[`${job}/${step.id}`, label]] : [];
  });
}

function labelsWith(view: RunView, jobId: JobId, steps: readonly LabeledStep[]) {
  const job = jobOf(view, jobId);
  return job === null
    ? view.labels
    : new Map([...view.labels, ...labelsOf(job.key, steps, view.commandLength)]);
}

/** `evaluated` is the command of the step as it runs, empty when it does not run. */
export function labelOf(view: RunView, job: JobView, stepId: StepId, evaluated: string): string {
  const label = view.labels.get(`${job.key}/${stepId}`) ?? view.labels.get(`/${stepId}`);
  return labelText(label, stepId, evaluated);
}

function commanded(view: RunView, event: RunEventOf<'ExecutionCommand'>): RunView {
  const { metadata } = event;
  if (metadata.step_sequence_id === STEP_SEQUENCE.request) return requested(view, event);
  const job = jobOf(view, metadata.job_id);
  if (job === null) return view;
  if (metadata.step_sequence_id === STEP_SEQUENCE.release) return releasing(view, job, event);
  if (metadata.step_sequence_id < 0) return terminated(view, job, event);
  const isForgiven = metadata['tutti.continue-on-error'] === true;
  const command = cutCommand(firstLine(event.scripts.join('\n')), view.commandLength);
  return stepStarted(view, event, command, isForgiven);
}

function requested(
  view: RunView,
  event: RunEventOf<'ExecutionCommand' | 'GeneratorCommand'>,
): RunView {
  const key = keyOf(view, event);
  const job = view.jobs.get(key) ?? newJob(key);
  return {
    ...withJob(view, { ...job, asked: askedText(event), waiting: null }),
    jobKeys: new Map(view.jobKeys).set(event.metadata.job_id, key),
  };
}

/** Plugins and other servers do not tell the key: an event that came before may have, and the bundles around a job do. */
function keyOf(
  view: RunView,
  { metadata }: RunEventOf<'ExecutionCommand' | 'GeneratorCommand' | 'GeneratorResult'>,
): string {
  const around = jobOf(view, metadata.job_origin?.at(-1));
  const told = textEntry(metadata, 'tutti.job') ?? view.jobKeys.get(metadata.job_id);
  return told ?? (around === null ? metadata.name : `${around.key}/${metadata.name}`);
}

/** A job turns out to be a bundle. */
function expanded(view: RunView, event: RunEventOf<'GeneratorResult'>): RunView {
  const key = keyOf(view, event);
  const job = view.jobs.get(key) ?? newJob(key);
  const bundle: JobView = {
    ...job,
    isBundle: true,
    phase: 'RUNNING',
    startedAt: timeOf(event),
    waiting: null,
  };
  const around = view.jobs.get(key.slice(0, Math.max(0, key.lastIndexOf('/')))) ?? null;
  const inside = jobsOfBundle(bundle, around, event);
  const labels = Object.entries(event.jobs).flatMap(([name, { steps = [] }]) =>
    labelsOf(`${key}/${name}`, steps, view.commandLength),
  );
  return {
    ...view,
    jobs: withJobsOf(new Map(view.jobs).set(key, bundle), bundle, inside),
    jobKeys: new Map(view.jobKeys).set(event.metadata.job_id, key),
    labels: new Map([...view.labels, ...labels]),
  };
}

/** What came of it is known; it goes on until its environment is free. */
function releasing(view: RunView, job: JobView, event: RunEventOf<'ExecutionCommand'>): RunView {
  const told = textEntry(event.metadata, 'tutti.conclusion');
  const result = isJobResult(told) ? told : job.failed.length > 0 ? 'failure' : 'success';
  const isForgiven = event.metadata['tutti.continue-on-error'] === true;
  return withJob(view, { ...job, result, isForgiven, current: null });
}

function released(view: RunView, job: JobView, event: RunEventOf<'ExecutionResult'>): RunView {
  if (job.phase === 'ENDED') return view;
  const end = { phase: 'ENDED', endedAt: timeOf(event), current: null } as const;
  return withJob(view, { ...job, ...end });
}

function isJobResult(text: string | null): text is JobResult {
  return text === 'success' || text === 'failure' || text === 'cancelled' || text === 'skipped';
}

function terminated(view: RunView, job: JobView, event: RunEventOf<'ExecutionCommand'>): RunView {
  if (job.current === null) return view;
  const cause = textEntry(event.metadata, 'tutti.cause') === 'timeout' ? 'timeout' : 'canceled';
  return withJob(view, { ...job, current: { ...job.current, terminated: cause } });
}

function stepStarted(
  view: RunView,
  event: RunEventOf<'ExecutionCommand' | 'ProviderCommand'>,
  otherwise: unknown,
  isForgiven: boolean,
): RunView {
  const { metadata } = event;
  const job = jobOf(view, metadata.job_id);
  if (job === null) return view;
  const isFirst = event.kind === 'ExecutionCommand' && job.startedAt === null;
  const startedAt = isFirst ? timeOf(event) : job.startedAt;
  const fallback = typeof otherwise === 'string' ? otherwise : metadata.name;
  const current: StepView = {
    id: metadata.step_id,
    label: nameLabel(evaluatedName(event)) ?? labelOf(view, job, metadata.step_id, fallback),
    depth: metadata.step_origin?.length ?? 0,
    startedAt: timeOf(event),
    lastLines: [],
    lineCount: 0,
    isForgiven,
    terminated: null,
  };
  if (current.depth > 0) return withJob(view, { ...job, startedAt, current });
  const begun = { ...callEnded(job, current.startedAt), startedAt, current };
  return withJob(view, event.kind === 'ProviderCommand' ? callBegun(begun, current) : begun);
}

/** Functions are told the name of their step; of a command it stands beside it, where it had expressions. */
function evaluatedName(event: RunEventOf<'ExecutionCommand' | 'ProviderCommand'>): string | null {
  return event.kind === 'ProviderCommand'
    ? textEntry(event.step, 'name')
    : textEntry(event.metadata, 'tutti.step-name');
}

function answered(view: RunView, event: RunEventOf<'ExecutionResult'>): RunView {
  const { metadata } = event;
  const asked = jobOf(view, metadata.job_id);
  if (asked === null) return view;
  const sequence = metadata.step_sequence_id;
  if (sequence === STEP_SEQUENCE.request) return offered(view, asked, event);
  if (sequence === STEP_SEQUENCE.release) return released(view, asked, event);
  if (sequence < 0 || asked.current === null) return view;
  const job = {
    ...commandEnded(asked, asked.current, event.status, timeOf(event)),
    current: asked.current,
  };
  if (event.status === 0) return withJob(view, { ...job, current: null });
  const printed = withOutput(job.current, freshLines(event));
  const failure = { ...printed, exitCode: event.status, endedAt: timeOf(event) };
  // What could not run for what failed before is no second failure.
  const isConsequence = metadata['tutti.not-run'] === true && job.failed.length > 0;
  const isLeftOut = job.current.isForgiven || isConsequence;
  const failed = isLeftOut ? job.failed : [...job.failed, failure];
  return withJob(view, { ...job, current: null, failed: failed.slice(-FAILED_STEPS_MAX) });
}

/** Of several offers the run takes the first. */
function offered(view: RunView, job: JobView, event: RunEventOf<'ExecutionResult'>): RunView {
  if (job.phase !== 'WAITING') return view;
  const started: JobView = { ...job, phase: 'RUNNING', waiting: null };
  const labels = labelsOfHooks(event.metadata['tutti.channel-hooks'], view.commandLength);
  return {
    ...withJob(view, started),
    labels: labels.length === 0 ? view.labels : new Map([...view.labels, ...labels]),
    phase: 'RUNNING',
    waiting: null,
  };
}

function withOutput(step: StepView, lines: readonly string[]): StepView {
  const lastLines = [...step.lastLines, ...lines.slice(-LAST_LINES_MAX)].slice(-LAST_LINES_MAX);
  return { ...step, lastLines, lineCount: step.lineCount + lines.length };
}

function erred(view: RunView, event: RunEventOf<'ExecutionError'>): RunView {
  const job = jobOf(view, event.metadata.job_id as JobId | undefined);
  const error = { at: timeOf(event), text: event.details?.error ?? 'Unknown error.' };
  if (job === null) return { ...view, errors: [...view.errors, error].slice(-ERRORS_MAX) };
  return withJob(view, { ...job, errors: [...job.errors, error].slice(-ERRORS_MAX) });
}

function notified(given: RunView, event: RunEventOf<'Notification'>): RunView {
  const { spec, metadata } = event;
  const view = { ...given, tests: workerTold(given.tests, event) };
  if (spec.testResults !== undefined) {
    return tested(view, event);
  }
  const ended = textEntry(spec, 'tutti.job');
  if (ended !== null) return endedUnplaced(view, ended, event);
  if (spec['tutti.waiting'] !== undefined) return waiting(view, event);
  if (spec['tutti.timeout'] === 'job') return overdue(view, event);
  if (spec['tutti.timeout'] === 'step') return stepOverdue(view, event);
  const job = jobOf(view, metadata.job_id);
  if (job !== null && spec.conclusion === 'skipped') return skipped(view, job, event);
  if (job?.current?.id !== metadata.step_id || job?.current == null) return view;
  if (spec.conclusion !== undefined) return withJob(view, { ...job, current: null });
  return withJob(view, { ...job, current: withOutput(job.current, notifiedLines(event)) });
}

function skipped(view: RunView, job: JobView, event: RunEventOf<'Notification'>): RunView {
  const { step_id: stepId, step_origin: origin = [] } = event.metadata;
  const current = job.current?.id === stepId ? null : job.current;
  if (stepId === undefined || origin.length > 0) return withJob(view, { ...job, current });
  const label = skippedLabel(view, job, event);
  return withJob(view, { ...stepSkipped(job, label, timeOf(event)), current });
}

/** What a step is called that did not run. */
export function skippedLabel(
  view: RunView,
  job: JobView,
  { metadata, spec }: RunEventOf<'Notification'>,
): string {
  const told = labelOfStep({ name: textEntry(spec, 'tutti.step-name') });
  return told?.text ?? labelOf(view, job, metadata.step_id ?? ('' as StepId), '');
}

function tested(view: RunView, event: RunEventOf<'Notification'>): RunView {
  const job = jobOf(view, event.metadata.job_id);
  const tests = resultsTold(view.tests, job?.key ?? '', event);
  if (job === null) return { ...view, tests };
  // A later result may take the place of one of the same job.
  const more = countsSince(view.tests.tally.counts, tests.tally.counts);
  return { ...withJob(view, { ...job, tests: addCounts(job.tests, more) }), tests };
}

function attached(view: RunView, event: RunEventOf<'ExecutionResult' | 'WorkflowResult'>): RunView {
  const tests = filesAttached(view.tests, event);
  if (tests === view.tests) return view;
  const count = Object.keys(event.metadata.attachments ?? {}).length;
  const { attachments, reports } = view.files;
  const isReport = event.kind === 'WorkflowResult' && event.metadata.job_id === undefined;
  const files = isReport
    ? { attachments, reports: reports + (event.metadata.request_id === undefined ? count : 0) }
    : { attachments: attachments + count, reports };
  return { ...view, tests, files };
}

function called(view: RunView, event: RunEventOf<'ProviderCommand'>): RunView {
  const { step, metadata } = event;
  const started = stepStarted(view, event, step.name, step['continue-on-error'] === true);
  const key = view.jobKeys.get(metadata.job_id) ?? '';
  return { ...started, tests: functionCalled(view.tests, key, event) };
}

/** A job that ended without ever having had an environment, or a bundle. */
function endedUnplaced(view: RunView, key: string, event: RunEventOf<'Notification'>): RunView {
  const job = view.jobs.get(key) ?? newJob(key);
  const conclusion = event.spec.conclusion ?? null;
  const result = isJobResult(conclusion) ? conclusion : 'failure';
  const isForgiven = isTrueEntry(event.spec, 'tutti.continue-on-error');
  const end = {
    phase: 'ENDED',
    result,
    isForgiven,
    endedAt: timeOf(event),
    waiting: null,
    why: job.why ?? reasonIn(event),
  } as const;
  return withJob(view, { ...job, ...end });
}

/** Jobs that were stopped for the sake of others say no more than that. */
function reasonIn({ spec }: RunEventOf<'Notification'>): string | null {
  const sentence = spec.logs?.[0] ?? null;
  return sentence === null || sentence.endsWith(' canceled.') ? null : sentence;
}

function overdue(view: RunView, event: RunEventOf<'Notification'>): RunView {
  const job = jobOf(view, event.metadata.job_id);
  return job === null ? view : withJob(view, { ...job, why: reasonIn(event) });
}

/** Its command is told to stop next. */
function stepOverdue(view: RunView, event: RunEventOf<'Notification'>): RunView {
  const job = jobOf(view, event.metadata.job_id);
  if (job?.current == null) return view;
  return withJob(view, { ...job, current: { ...job.current, terminated: 'timeout' } });
}

function waiting(view: RunView, event: RunEventOf<'Notification'>): RunView {
  const { metadata, spec } = event;
  const sentence = spec.logs?.[0] ?? null;
  const key = textEntry(metadata, 'tutti.job');
  const job = key === null ? jobOf(view, metadata.job_id) : (view.jobs.get(key) ?? null);
  return job === null
    ? { ...view, waiting: sentence }
    : withJob(view, { ...job, waiting: sentence });
}

function stopped(view: RunView, event: RunEventOf<'WorkflowCanceled'>): RunView {
  const { reason, status } = event.details ?? {};
  return {
    ...view,
    phase: status === 'cancelled' ? 'CANCELED' : 'FAILED',
    endedAt: timeOf(event),
    reason: reason ?? null,
    canceledBy: status === 'cancelled' ? subjectIn(event.metadata) : null,
    waiting: null,
  };
}

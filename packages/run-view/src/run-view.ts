/** The state of a run for its followers, folded from its events. */

import {
  isRunEvent,
  type JobId,
  type LoggedEvent,
  parseTimestamp,
  REPORT_FOLDER_TYPE,
  type RunEvent,
  type RunEventOf,
  type StepId,
} from '@tutti/manifests';
import { type Fact, type FactOf, factOf, notifiedLines } from '@tutti/workflow/facts';
import {
  firstLine,
  type LabeledStep,
  labelOfStep,
  type StepLabel,
} from '@tutti/workflow/step-label';
import { withEntry } from '@tutti/workflow/with-entry';
import { askedText } from './asked-text.ts';
import { cutCommand } from './bounds.ts';
import { callBegun, callEnded, commandEnded, stepSkipped } from './ended-steps.ts';
import {
  type JobView,
  jobsOfBundle,
  newJob,
  reasonIn,
  type ShownError,
  type StepView,
  withJobsOf,
  withoutAttempt,
} from './job-view.ts';
import {
  filesAttached,
  functionCalled,
  NO_RUN_TESTS,
  type RunTests,
  resultsShown,
  workerShown,
} from './run-tests.ts';
import { labelsOf, labelsOfHooks, labelText, nameLabel, stepsOfFunction } from './step-labels.ts';
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
  /** Test cases so far; their details are in a data source of the server. */
  readonly tests: RunTests;
  /** Number of files so far. */
  readonly files: FileCounts;
  /** Errors that belong to no job, and the reason of the end if one was given. */
  readonly errors: readonly ShownError[];
  readonly reason: string | null;
  /** Subject of the token that canceled the run; null without one, or if the server does not say. */
  readonly canceledBy: string | null;
  /** Why the run as a whole waits. */
  readonly waiting: string | null;
  /** Number of characters of commands in labels; 0: the whole first line. It never changes. */
  readonly commandLength: number;
}

export interface FileCounts {
  /** Attachments of steps. */
  readonly attachments: number;
  /** Report folders among them. */
  readonly folders: number;
  /** Reports on the run that no request asked for. */
  readonly reports: number;
}

export const LAST_LINES_MAX = 15;
/** A step may fail in a loop of providers; more failures of one job do not help. */
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
  files: { attachments: 0, folders: 0, reports: 0 },
  errors: [],
  reason: null,
  canceledBy: null,
  waiting: null,
  commandLength: 0,
};

export const reduceRunView = (view: RunView, event: LoggedEvent): RunView =>
  isRunEvent(event) ? after(view, factOf(event)) : view;

function after(view: RunView, fact: Fact): RunView {
  switch (fact.type) {
    case 'RunReceived':
      return received(view, fact.event);
    case 'EnvironmentRequested':
    case 'JobsAsked':
      return requested(view, fact);
    case 'EnvironmentOffered':
      return offered(attached(view, fact.event), fact);
    case 'StepStarted':
      return commanded(view, fact);
    case 'StepStopped':
      return terminated(view, fact);
    case 'StepAnswered':
      return answered(attached(view, fact.event), fact);
    case 'JobReleased':
      return releasing(view, fact);
    case 'EnvironmentFreed':
      return released(attached(view, fact.event), fact.event);
    case 'FunctionCalled':
      return called(view, fact.event);
    case 'FunctionAnswered':
      return providerAnswered(view, fact.event);
    case 'JobsGiven':
      return expanded(view, fact);
    case 'RunFailed':
      return erred(view, fact.event);
    case 'JobEnded':
      return endedUnplaced(view, fact);
    case 'Held':
      return waiting(view, fact);
    case 'JobOverdue':
      return overdue(view, fact.event);
    case 'StepOverdue':
      return stepOverdue(view, fact.event);
    case 'DownloadBegun':
    case 'Granted':
    case 'Halted':
    case 'Superseded':
    case 'StepEnded':
    case 'StepPrinted':
    case 'WorkerChanged':
    case 'ReportRead':
    case 'Noted':
      return notified(view, fact.event);
    case 'FilesPublished':
      return attached(view, fact.event);
    case 'RunSucceeded':
      return { ...view, phase: 'DONE', endedAt: timeOf(fact.event) };
    case 'RunEnded':
      return stopped(view, fact.event);
    case 'CancellationAsked':
    case 'TestsAsked':
      return view;
    case 'TestsJudged':
      return judged(view, fact.event);
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
export const freshLines = ({ event, streamed }: FactOf<ResultType>): readonly string[] =>
  (event.logs ?? []).slice(streamed);

export type ResultType = 'EnvironmentOffered' | 'EnvironmentFreed' | 'StepAnswered';

function withJob(view: RunView, job: JobView): RunView {
  return { ...view, jobs: withEntry(view.jobs, job.key, job) };
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

function commanded(
  view: RunView,
  { event, name, continueOnError }: FactOf<'StepStarted'>,
): RunView {
  const command = cutCommand(firstLine(event.scripts.join('\n')), view.commandLength);
  return stepStarted(view, event, { name, otherwise: command, isForgiven: continueOnError });
}

function requested(view: RunView, fact: FactOf<'EnvironmentRequested' | 'JobsAsked'>): RunView {
  const key = keyOf(view, fact);
  const job = view.jobs.get(key) ?? newJob(key);
  return {
    ...withJob(view, { ...job, asked: askedText(fact), waiting: null }),
    jobKeys: new Map(view.jobKeys).set(fact.event.metadata.job_id, key),
  };
}

/** Events of plugins and other servers lack the key. Earlier events may have it, or the bundles around the job. */
function keyOf(
  view: RunView,
  { event, job }: FactOf<'EnvironmentRequested' | 'JobsAsked' | 'JobsGiven'>,
): string {
  const { metadata } = event;
  const around = jobOf(view, metadata.job_origin?.at(-1));
  const jobKey = job ?? view.jobKeys.get(metadata.job_id);
  return jobKey ?? (around === null ? metadata.name : `${around.key}/${metadata.name}`);
}

/** A job turns out to be a bundle. */
function expanded(view: RunView, fact: FactOf<'JobsGiven'>): RunView {
  const { event } = fact;
  const key = keyOf(view, fact);
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

/** The job has a result, but goes on until its environment is free. */
function releasing(view: RunView, fact: FactOf<'JobReleased'>): RunView {
  const job = jobOf(view, fact.event.metadata.job_id);
  if (job === null) return view;
  const result = fact.result ?? (job.failed.length > 0 ? 'failure' : 'success');
  return withJob(view, { ...job, result, isForgiven: fact.isForgiven, current: null });
}

function released(view: RunView, event: RunEventOf<'ExecutionResult'>): RunView {
  const job = jobOf(view, event.metadata.job_id);
  if (job === null || job.phase === 'ENDED') return view;
  const end = { phase: 'ENDED', endedAt: timeOf(event), current: null } as const;
  return withJob(view, { ...job, ...end });
}

function terminated(view: RunView, { event, cause }: FactOf<'StepStopped'>): RunView {
  const job = jobOf(view, event.metadata.job_id);
  if (job?.current == null) return view;
  return withJob(view, { ...job, current: { ...job.current, terminated: cause } });
}

interface Started {
  /** The evaluated name. */
  readonly name: string | null;
  /** The label of a step without a name. */
  readonly otherwise: string;
  readonly isForgiven: boolean;
}

function stepStarted(
  view: RunView,
  event: RunEventOf<'ExecutionCommand' | 'ProviderCommand'>,
  { name, otherwise, isForgiven }: Started,
): RunView {
  const { metadata } = event;
  const job = jobOf(view, metadata.job_id);
  if (job === null) return view;
  const isFirst = event.kind === 'ExecutionCommand' && job.startedAt === null;
  const startedAt = isFirst ? timeOf(event) : job.startedAt;
  const current: StepView = {
    id: metadata.step_id,
    label: nameLabel(name) ?? labelOf(view, job, metadata.step_id, otherwise),
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

function answered(view: RunView, fact: FactOf<'StepAnswered'>): RunView {
  const { event } = fact;
  const asked = jobOf(view, event.metadata.job_id);
  if (asked?.current == null || event.metadata.step_sequence_id < 0) return view;
  const job = {
    ...commandEnded(asked, asked.current, event.status, timeOf(event)),
    current: asked.current,
  };
  if (event.status === 0) return withJob(view, { ...job, current: null });
  const printed = withOutput(job.current, freshLines(fact));
  const { isNotRun } = fact;
  const failure = { ...printed, exitCode: event.status, endedAt: timeOf(event), isNotRun };
  // A step that did not run because of an earlier failure is no second failure.
  const isConsequence = isNotRun && job.failed.length > 0;
  const isLeftOut = job.current.isForgiven || isConsequence;
  const failed = isLeftOut ? job.failed : [...job.failed, failure];
  return withJob(view, { ...job, current: null, failed: failed.slice(-FAILED_STEPS_MAX) });
}

function judged(view: RunView, { metadata, verdict }: RunEventOf<'TestsResult'>): RunView {
  const job = jobOf(view, metadata.job_id);
  return job === null || verdict === 'failure' ? view : withJob(view, withoutAttempt(job));
}

/** The run takes the first of several offers. */
function offered(view: RunView, { event, hooks }: FactOf<'EnvironmentOffered'>): RunView {
  const job = jobOf(view, event.metadata.job_id);
  if (job?.phase !== 'WAITING') return view;
  const started: JobView = { ...job, phase: 'RUNNING', waiting: null };
  const labels = labelsOfHooks(hooks, view.commandLength);
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
  const view = { ...given, tests: workerShown(given.tests, event) };
  if (spec.testResults !== undefined) {
    return tested(view, event);
  }
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

/** Label of a step that did not run. */
export function skippedLabel(
  view: RunView,
  job: JobView,
  event: RunEventOf<'Notification'>,
): string {
  const fact = factOf(event);
  const jobKey = labelOfStep({ name: fact.type === 'StepEnded' ? fact.name : null });
  return jobKey?.text ?? labelOf(view, job, event.metadata.step_id ?? ('' as StepId), '');
}

function tested(view: RunView, event: RunEventOf<'Notification'>): RunView {
  const job = jobOf(view, event.metadata.job_id);
  const tests = resultsShown(view.tests, job?.key ?? '', event);
  if (job === null) return { ...view, tests };
  // A later result may replace one of the same job.
  const more = countsSince(view.tests.tally.counts, tests.tally.counts);
  return { ...withJob(view, { ...job, tests: addCounts(job.tests, more) }), tests };
}

function attached(view: RunView, event: RunEventOf<'ExecutionResult' | 'WorkflowResult'>): RunView {
  const tests = filesAttached(view.tests, event);
  if (tests === view.tests) return view;
  const added = Object.values(event.metadata.attachments ?? {});
  const count = added.length;
  const { attachments, folders, reports } = view.files;
  const isReport = event.kind === 'WorkflowResult' && event.metadata.job_id === undefined;
  const files = isReport
    ? { ...view.files, reports: reports + (event.metadata.request_id === undefined ? count : 0) }
    : {
        attachments: attachments + count,
        folders: folders + added.filter(({ type }) => type === REPORT_FOLDER_TYPE).length,
        reports,
      };
  return { ...view, tests, files };
}

function called(view: RunView, event: RunEventOf<'ProviderCommand'>): RunView {
  const { step, metadata } = event;
  const name = typeof step.name === 'string' ? step.name : null;
  const isForgiven = step['continue-on-error'] === true;
  const started = stepStarted(view, event, { name, otherwise: name ?? metadata.name, isForgiven });
  const key = view.jobKeys.get(metadata.job_id) ?? '';
  return { ...started, tests: functionCalled(view.tests, key, event) };
}

/** A job that ended without an environment, or a bundle. */
function endedUnplaced(view: RunView, fact: FactOf<'JobEnded'>): RunView {
  const { job: key, event, result, isForgiven } = fact;
  const job = view.jobs.get(key) ?? newJob(key);
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

function overdue(view: RunView, event: RunEventOf<'Notification'>): RunView {
  const job = jobOf(view, event.metadata.job_id);
  return job === null ? view : withJob(view, { ...job, why: reasonIn(event) });
}

/** A request to stop its command follows. */
function stepOverdue(view: RunView, event: RunEventOf<'Notification'>): RunView {
  const job = jobOf(view, event.metadata.job_id);
  if (job?.current == null) return view;
  return withJob(view, { ...job, current: { ...job.current, terminated: 'timeout' } });
}

function waiting(view: RunView, { event, job: key }: FactOf<'Held'>): RunView {
  const sentence = event.spec.logs?.[0] ?? null;
  const job = key === null ? jobOf(view, event.metadata.job_id) : (view.jobs.get(key) ?? null);
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

/** Reads facts out of events. Total: whatever an event has, reading it throws nothing. */

import {
  type AttachmentId,
  type ExecutionCommandEvent,
  type ExecutionResultEvent,
  type GeneratorResultEvent,
  type JobId,
  type MissingReports,
  type NotificationEvent,
  OWN_ENTRIES as OWN,
  type ProviderCommandEvent,
  type ReportFault,
  type RunEvent,
  STEP_SEQUENCE,
  type StepId,
  type TestResult,
  type Variables,
  type WaitingReason,
  type WorkflowEvent,
  type WorkflowId,
} from '@tutti/manifests';
import { cutText } from '../environment/cut-text.ts';
import { entry, extension } from './extensions.ts';
import type {
  BundleSettings,
  CalledFile,
  CalledWorkflow,
  Fact,
  FactIn,
  FactOf,
  FetchedReference,
  SupersededBy,
  TakenJob,
  TakenJobs,
} from './fact.ts';
import { rangesIn } from './line-ranges.ts';

const { flag, hooks, isTrue, list, number, record, result, resultOrFailure, text, texts } =
  extension;

export function factOf<Event extends RunEvent>(event: Event): FactIn<Event> {
  if (latest?.event !== event) latest = readFact(event);
  // `Fact` says which facts an event of a kind may be.
  return latest as FactIn<Event>;
}

/** Readers of one event mostly follow each other. A map of all events that are known costs more than reading them again. */
let latest: Fact | null = null;

function readFact(event: RunEvent): Fact {
  const { metadata } = event;
  switch (event.kind) {
    case 'Workflow':
      return runReceived(event);
    case 'ExecutionCommand':
      return commandFact(event);
    case 'ExecutionResult':
      return resultFact(event);
    case 'ProviderCommand':
      return functionCalled(event);
    case 'ProviderResult':
      return { type: 'FunctionAnswered', event, problems: list(metadata, OWN.problems) };
    case 'GeneratorCommand': {
      const called = calledFileIn(metadata);
      return { type: 'JobsAsked', event, job: jobIn(metadata), ...settingsIn(metadata), called };
    }
    case 'GeneratorResult':
      return jobsGiven(event);
    case 'TestsCommand':
      return { type: 'TestsAsked', event };
    case 'TestsResult':
      return { type: 'TestsJudged', event };
    case 'ExecutionError':
      return { type: 'RunFailed', event };
    case 'Notification':
      return noticeOf(event);
    case 'WorkflowResult': {
      const incomplete = text(metadata, OWN.incomplete);
      return { type: 'FilesPublished', event, skipped: text(metadata, OWN.skipped), incomplete };
    }
    case 'WorkflowCancellation': {
      const cause = text(metadata, OWN.cause);
      const isOurs = cause === 'timeout' || cause === 'superseded';
      return { type: 'CancellationAsked', event, cause: isOurs ? cause : 'user' };
    }
    case 'WorkflowCompleted':
      return { type: 'RunSucceeded', event };
    case 'WorkflowCanceled':
      return { type: 'RunEnded', event };
  }
}

function functionCalled(event: ProviderCommandEvent): FactOf<'FunctionCalled'> {
  const { metadata } = event;
  return {
    type: 'FunctionCalled',
    event,
    deadlineMs: number(metadata, OWN.deadlineMs),
    isHooked: isTrue(metadata, OWN.hooks),
    attempt: number(metadata, OWN.attempt) ?? 1,
    selection: list(metadata, OWN.selection),
  };
}

/** The job that asks for an environment or for its jobs. */
export const jobIn = (metadata: object): string | null => text(metadata, OWN.job);

const settingsIn = (metadata: object): BundleSettings => ({
  timeoutMs: number(metadata, OWN.timeoutMs),
  maxParallel: number(metadata, OWN.maxParallel),
  failFast: isTrue(metadata, OWN.failFast),
});

function runReceived(event: WorkflowEvent): FactOf<'RunReceived'> {
  const { metadata } = event;
  const { annotations } = metadata;
  return {
    type: 'RunReceived',
    event,
    deadlineMs: number(metadata, OWN.deadlineMs),
    maxParallel: number(metadata, OWN.maxParallel),
    failFast: isTrue(metadata, OWN.failFast),
    inputs: inputsIn(annotations),
    files: texts(annotations, OWN.files),
    isLocal: isTrue(annotations, OWN.local),
    chosen: chosenIn(annotations),
    taken: takenIn(record(metadata, OWN.taken)),
    traceparent: traceparentIn(metadata),
  };
}

/** Conclusion of a job that had an environment, from the command that releases it. */
export const conclusionIn = (metadata: object) => result(metadata, OWN.conclusion);

/** Also reads the annotations of a run's manifest. */
export const chosenIn = (annotations: object | undefined) => list(annotations, OWN.jobs);
export const inputsIn = (annotations: object | undefined) => record(annotations, OWN.inputs);
export const traceparentIn = (metadata: object) => text(metadata, OWN.traceparent);

function takenIn(taken: object): TakenJobs | null {
  const from = text(taken, 'from');
  if (from === null) return null;
  const jobs = Object.entries(record(taken, 'jobs'));
  return {
    from: from as WorkflowId,
    jobs: new Map(jobs.map(([key, job]) => [key, takenJobIn(Object(job))])),
  };
}

const takenJobIn = (job: object): TakenJob => ({
  result: resultOrFailure(job, 'result'),
  outputs: texts(job, 'outputs'),
  mark: text(job, 'mark') ?? '',
  jobId: text(job, 'jobId') as JobId | null,
  // The run itself wrote them, as they are in the type.
  artifacts: list(job, 'artifacts') as readonly AttachmentId[],
});

function commandFact(event: ExecutionCommandEvent): Fact {
  const { metadata } = event;
  const { step_sequence_id: sequence } = metadata;
  if (sequence === STEP_SEQUENCE.request) {
    const timeoutMs = number(metadata, OWN.timeoutMs) ?? 0;
    return { type: 'EnvironmentRequested', event, job: jobIn(metadata), timeoutMs };
  }
  if (sequence === STEP_SEQUENCE.release) {
    return {
      type: 'JobReleased',
      event,
      result: conclusionIn(metadata),
      outputs: texts(metadata, OWN.outputs),
      isForgiven: isTrue(metadata, OWN.continueOnError),
    };
  }
  if (sequence < 0) {
    const cause = text(metadata, OWN.cause) === 'timeout' ? 'timeout' : 'canceled';
    return { type: 'StepStopped', event, cause };
  }
  return {
    type: 'StepStarted',
    event,
    name: text(metadata, OWN.stepName),
    continueOnError: isTrue(metadata, OWN.continueOnError),
    deadlineMs: number(metadata, OWN.deadlineMs),
    hook: text(metadata, OWN.hook),
    secrets: list(metadata, OWN.secrets),
  };
}

function resultFact(event: ExecutionResultEvent): Fact {
  const { metadata } = event;
  const streamed = Math.max(0, Math.trunc(number(metadata, OWN.streamed) ?? 0));
  const missing = entry(metadata, OWN.missingReports);
  const isNotRun = isTrue(metadata, OWN.notRun);
  const missingReports = Array.isArray(missing) ? missing.filter(isMissing) : NO_REPORTS;
  const stderr = rangesIn(entry(metadata, OWN.stderr));
  const shared = { event, streamed, stderr, isNotRun, missingReports };
  switch (metadata.step_sequence_id) {
    case STEP_SEQUENCE.request:
      return { type: 'EnvironmentOffered', ...shared, hooks: hooks(metadata, OWN.channelHooks) };
    case STEP_SEQUENCE.release:
      return { type: 'EnvironmentFreed', ...shared };
    default:
      return { type: 'StepAnswered', ...shared };
  }
}

const NO_REPORTS: readonly MissingReports[] = [];

function isMissing(value: unknown): value is MissingReports {
  const { file, count, problem } = Object(value);
  return (
    typeof file === 'string' &&
    Number.isSafeInteger(count) &&
    count > 0 &&
    typeof problem === 'string'
  );
}

function calledFileIn(metadata: object): CalledFile | null {
  const uses = record(metadata, OWN.uses);
  const file = text(uses, 'file');
  const blob = text(uses, 'blob');
  return file === null || blob === null ? null : { file, blob, fetched: fetchedIn(uses) };
}

/** Null where the entries are of a file that came with the run. */
function fetchedIn(uses: object): FetchedReference | null {
  const repository = text(uses, 'repository');
  const path = text(uses, 'path');
  const commit = text(uses, 'commit');
  if (repository === null || path === null || commit === null) return null;
  return { repository, path, commit, ref: text(uses, 'ref') };
}

function jobsGiven(event: GeneratorResultEvent): FactOf<'JobsGiven'> {
  const { metadata } = event;
  return {
    type: 'JobsGiven',
    event,
    job: jobIn(metadata),
    ...settingsIn(metadata),
    isOfFile: Object.keys(record(metadata, OWN.uses)).length > 0,
    called: calledIn(metadata),
    // The run itself wrote them, as they are in the type.
    cells: (entry(metadata, OWN.matrix) ?? null) as FactOf<'JobsGiven'>['cells'],
    problems: list(metadata, OWN.problems),
  };
}

/** Content of the called workflow: as its author wrote it, evaluated by the run. */
export const calledEntries = ({ metadata }: GeneratorResultEvent) => record(metadata, OWN.called);

/** The called workflow; only the server can write this entry. */
function calledIn(metadata: object): CalledWorkflow | null {
  const called = record(metadata, OWN.called);
  const uses = record(metadata, OWN.uses);
  const name = text(called, 'name');
  const file = text(uses, 'file');
  if (name === null || file === null) return null;
  return {
    file,
    fetched: fetchedIn(uses),
    name,
    inputs: record(called, 'inputs'),
    variables: record(called, 'variables') as Variables,
    defaults: record(called, 'defaults') as CalledWorkflow['defaults'],
    files: list(called, 'files'),
    hooks: hooks(called, 'hooks'),
    timeoutMs: number(called, 'timeout-ms'),
    maxParallel: number(called, 'max-parallel'),
    failFast: isTrue(called, 'fail-fast'),
  };
}

type NoticeFact = FactIn<NotificationEvent>;

/** Reads the first of these entries in `spec`; null for an entry without content. */
const NOTICES: ReadonlyMap<string, (event: NotificationEvent) => NoticeFact | null> = new Map([
  [OWN.output, stepPrinted],
  [OWN.job, jobEnded],
  [OWN.halted, halted],
  [OWN.granted, granted],
  [OWN.download, downloadBegun],
  [OWN.waiting, held],
  [OWN.timeout, overdue],
  [OWN.superseded, superseded],
  [OWN.stepEnded, stepEnded],
  ['testResults', reportRead],
  [OWN.generalErrors, reportRead],
  [OWN.brokenReport, reportRead],
]);

function noticeOf(event: NotificationEvent): NoticeFact {
  if (event.spec.worker !== undefined) {
    return { type: 'WorkerChanged', event, ...reportIn(event.spec) };
  }
  for (const name of Object.keys(event.spec)) {
    const notice = NOTICES.get(name)?.(event) ?? null;
    if (notice !== null) return notice;
  }
  return { type: 'Noted', event };
}

function stepPrinted(event: NotificationEvent): NoticeFact {
  const stderr = rangesIn(entry(event.spec, OWN.stderr));
  return { type: 'StepPrinted', event, lines: list(event.spec, OWN.output), stderr };
}

function jobEnded(event: NotificationEvent): NoticeFact | null {
  const { spec } = event;
  const job = text(spec, OWN.job);
  if (job === null) return null;
  const taken = record(spec, OWN.takenOver);
  const from = text(taken, 'workflow_id') as WorkflowId | null;
  return {
    type: 'JobEnded',
    event,
    job,
    result: resultOrFailure(spec, 'conclusion'),
    outputs: texts(spec, OWN.outputs),
    isForgiven: isTrue(spec, OWN.continueOnError),
    supersededBy: supersededIn(spec),
    taken: from === null ? null : { from, jobId: text(taken, 'job_id') as JobId | null },
  };
}

function halted(event: NotificationEvent): NoticeFact | null {
  const bundle = text(event.spec, OWN.halted);
  const failed = text(event.spec, OWN.failed);
  const spared = text(event.spec, OWN.spared);
  return bundle === null ? null : { type: 'Halted', event, bundle, failed, spared };
}

function granted(event: NotificationEvent): NoticeFact | null {
  const job = text(event.spec, OWN.granted);
  return job === null ? null : { type: 'Granted', event, job };
}

function held(event: NotificationEvent): NoticeFact {
  // Only the server writes this entry, so its type is certain.
  const reason = entry(event.spec, OWN.waiting) as WaitingReason;
  return { type: 'Held', event, job: jobIn(event.metadata), reason };
}

function overdue(event: NotificationEvent): NoticeFact | null {
  const timeout = text(event.spec, OWN.timeout);
  if (timeout === 'job') return { type: 'JobOverdue', event };
  return timeout === 'step' ? { type: 'StepOverdue', event } : null;
}

function superseded(event: NotificationEvent): NoticeFact | null {
  const by = supersededIn(event.spec);
  return by === null ? null : { type: 'Superseded', event, by };
}

function supersededIn(spec: object): SupersededBy | null {
  const { group, by } = record(spec, OWN.superseded);
  const isWhole = typeof group === 'string' && typeof by === 'string';
  return isWhole ? { group, by: by as WorkflowId } : null;
}

function downloadBegun(event: NotificationEvent): NoticeFact | null {
  const { bundle, repository, path, ref = null, step } = texts(event.spec, OWN.download);
  if (bundle === undefined || repository === undefined) return null;
  if (path === undefined || step === undefined) return null;
  const reference = { repository, path, ref, stepId: step as StepId };
  return { type: 'DownloadBegun', event, bundle, ...reference, ...settingsIn(event.metadata) };
}

function stepEnded(event: NotificationEvent): NoticeFact | null {
  const { spec } = event;
  if (!isTrue(spec, OWN.stepEnded)) return null;
  return {
    type: 'StepEnded',
    event,
    name: text(spec, OWN.stepName),
    outcome: resultOrFailure(spec, 'outcome'),
    conclusion: resultOrFailure(spec, 'conclusion'),
    outputs: texts(spec, OWN.outputs),
    directory: text(spec, OWN.useWorkspace),
    isKept: flag(spec, OWN.keepWorkspace),
  };
}

function reportRead(event: NotificationEvent): NoticeFact {
  return { type: 'ReportRead', event, ...reportIn(event.spec) };
}

/** Only the server writes these entries, so their types are certain. */
function reportIn(spec: object): Pick<FactOf<'ReportRead'>, 'generalErrors' | 'fault'> {
  const errors = entry(spec, OWN.generalErrors);
  const fault = (entry(spec, OWN.brokenReport) ?? null) as ReportFault | null;
  return { generalErrors: Array.isArray(errors) ? errors : [], fault };
}

/** The lines that a notification brings to the log. Earlier events have the lines of steps in `logs`. */
export const notifiedLines = ({ spec }: NotificationEvent): readonly string[] =>
  Object.hasOwn(spec, OWN.output) ? list(spec, OWN.output) : (spec.logs ?? []);

/** Names of the variables of a command that are secrets. */
export const secretNamesIn = ({ metadata }: Pick<RunEvent, 'metadata'>): ReadonlySet<string> =>
  new Set(list(metadata, OWN.secrets));

/** Texts that the run masks from this event on; never shown. */
export const masksIn = ({ metadata }: Pick<RunEvent, 'metadata'>) => list(metadata, OWN.masks);

/** True where an event masks a text: from here on readers get earlier events with that text hidden. */
export const isMasking = ({ metadata }: Pick<RunEvent, 'metadata'>): boolean =>
  isTrue(metadata, OWN.masked);

/** Warnings about a workflow, or about the jobs of a generator. The run writes them into its log. */
export const warningsIn = ({ metadata }: Pick<RunEvent, 'metadata'>) =>
  list(metadata, OWN.warnings).map((warning) => cutText(warning, WARNING_LENGTH_MAX));

/** Characters of one warning in the log: a key may be as long as a document. */
export const WARNING_LENGTH_MAX = 4096;

/** Whether the JSON text of a notification has flags as earlier versions wrote them: published schemas allow no boolean there. */
export const hasBooleanFlags = (json: string): boolean =>
  BOOLEAN_FLAGS.some((flag) => json.includes(flag));

const BOOLEAN_FLAGS = [OWN.stepEnded, OWN.continueOnError].map((name) => `"${name}":true`);

/** Id of the run that a run runs again, by the annotations of its workflow; null for others. */
export const rerunIn = (annotations: object): string | null => text(annotations, OWN.rerunOf);

/** The version and the branch that a run tests, as its request named them; null where it did not. */
export const versionIn = (annotations: object): string | null => text(annotations, OWN.version);
export const branchIn = (annotations: object): string | null => text(annotations, OWN.branch);

/** Whether the JSON text of a `Workflow` is that of a run that runs an earlier one again. */
export const namesRerun = (json: string): boolean => json.includes(`"${OWN.rerunOf}"`);

/** The runner tried again: a later result of the same test case in the same report counts. */
export const isAttempt = (result: Pick<TestResult, 'status'>): boolean =>
  isTrue(result, OWN.attempt);

/** The file of a test, where its report has it apart. */
export const fileOf = (result: Pick<TestResult, 'status'>): string | null => text(result, OWN.file);

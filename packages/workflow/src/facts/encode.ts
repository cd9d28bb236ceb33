/** Writes facts into events. Stored and sent events have exactly these names, in this order. */
import { OWN_ENTRIES as OWN } from '@tutti/manifests';
import type { BundleSettings, CalledFile, Content, Fact, Notice, TakenJobs } from './fact.ts';

/** Published schemas allow no boolean in the `spec` of a notification. Earlier versions wrote booleans. */
const flagText = (isSet: boolean): 'true' | 'false' => (isSet ? 'true' : 'false');

/** No entry for null, false, and empty lists or maps. */
function unlessEmpty(name: string, value: unknown): object {
  if (value === undefined || value === null || value === false) return {};
  return typeof value === 'object' && Object.keys(value).length === 0 ? {} : { [name]: value };
}

/** Content of a fact; absent fields write no entry. */
type Some<Type extends Fact['type']> = Partial<Content<Type>> & { readonly type: Type };

type WithMetadata =
  | Content<'EnvironmentRequested' | 'StepStarted' | 'StepStopped' | 'JobReleased' | 'Held'>
  | Content<'FunctionCalled' | 'FunctionAnswered' | 'JobsAsked' | 'DownloadBegun'>
  | Content<'CancellationAsked'>
  | Some<'EnvironmentOffered'>
  | Some<'StepAnswered'>
  | Some<'FilesPublished'>
  | (Some<'JobsGiven'> & BundleSettings);

/** Entries for the `metadata` of the event. */
export function metadataEntries(fact: WithMetadata): object {
  switch (fact.type) {
    case 'EnvironmentRequested':
      return { [OWN.timeoutMs]: fact.timeoutMs, ...unlessEmpty(OWN.job, fact.job) };
    case 'StepStarted':
      return {
        ...unlessEmpty(OWN.continueOnError, fact.continueOnError),
        ...unlessEmpty(OWN.deadlineMs, fact.deadlineMs),
        ...unlessEmpty(OWN.hook, fact.hook),
        ...unlessEmpty(OWN.stepName, fact.name),
        ...unlessEmpty(OWN.secrets, fact.secrets),
      };
    case 'JobReleased':
      return {
        [OWN.conclusion]: fact.result,
        ...unlessEmpty(OWN.continueOnError, fact.isForgiven),
        ...unlessEmpty(OWN.outputs, fact.outputs),
      };
    case 'EnvironmentOffered':
      return { ...unlessEmpty(OWN.channelHooks, fact.hooks) };
    case 'StepAnswered':
      return {
        ...unlessEmpty(OWN.missingReports, fact.missingReports),
        ...unlessEmpty(OWN.streamed, fact.streamed || null),
        ...unlessEmpty(OWN.stderr, fact.stderr),
        ...unlessEmpty(OWN.notRun, fact.isNotRun),
      };
    case 'FunctionCalled':
      return {
        ...unlessEmpty(OWN.deadlineMs, fact.deadlineMs),
        ...unlessEmpty(OWN.hooks, fact.isHooked),
        ...unlessEmpty(OWN.attempt, fact.attempt === 1 ? null : fact.attempt),
        ...unlessEmpty(OWN.selection, fact.selection),
      };
    case 'FunctionAnswered':
      return problemEntries(fact.problems);
    case 'JobsAsked':
      return {
        ...{ [OWN.job]: fact.job, ...settingEntries(fact) },
        ...unlessEmpty(OWN.uses, usesEntry(fact.called)),
      };
    case 'JobsGiven':
      return {
        ...{ [OWN.job]: fact.job, ...settingEntries(fact) },
        ...(fact.cells ? { [OWN.matrix]: fact.cells } : {}),
      };
    case 'DownloadBegun':
      return { [OWN.job]: fact.bundle, ...settingEntries(fact) };
    case 'Held':
      return unlessEmpty(OWN.job, fact.job);
    case 'FilesPublished':
      return {
        ...unlessEmpty(OWN.skipped, fact.skipped),
        ...unlessEmpty(OWN.incomplete, fact.incomplete),
      };
    case 'StepStopped':
      return { [OWN.cause]: fact.cause };
    case 'CancellationAsked':
      return unlessEmpty(OWN.cause, fact.cause === 'user' ? null : fact.cause);
  }
}

const settingEntries = ({ timeoutMs, maxParallel, failFast }: BundleSettings) => ({
  ...unlessEmpty(OWN.timeoutMs, timeoutMs),
  ...unlessEmpty(OWN.maxParallel, maxParallel),
  ...unlessEmpty(OWN.failFast, failFast),
});

function usesEntry(called: CalledFile | null): object | null {
  if (called === null) return null;
  const { file, blob, fetched } = called;
  if (fetched === null) return { file, blob };
  const { repository, path, commit, ref } = fetched;
  return { file, blob, repository, path, commit, ...unlessEmpty('ref', ref) };
}

/** Entries for the `spec` of a notification. */
export function specEntries(notice: Notice | Some<'ReportRead'>): object {
  switch (notice.type) {
    case 'JobEnded':
      return jobEndEntries(notice);
    case 'Halted':
      return {
        [OWN.halted]: notice.bundle,
        ...unlessEmpty(OWN.failed, notice.failed),
        ...unlessEmpty(OWN.spared, notice.spared),
      };
    case 'Granted':
      return { [OWN.granted]: notice.job };
    case 'DownloadBegun': {
      const { bundle, repository, path, ref, stepId: step } = notice;
      return { [OWN.download]: { bundle, repository, path, ...unlessEmpty('ref', ref), step } };
    }
    case 'Held':
      return { [OWN.waiting]: notice.reason };
    case 'JobOverdue':
      return { [OWN.timeout]: 'job' };
    case 'StepOverdue':
      return { [OWN.timeout]: 'step' };
    case 'Superseded':
      return { [OWN.superseded]: notice.by };
    case 'StepEnded':
      return stepEndEntries(notice);
    case 'StepPrinted':
      return { [OWN.output]: notice.lines, ...unlessEmpty(OWN.stderr, notice.stderr) };
    case 'WorkerChanged':
    case 'ReportRead':
      return {
        ...unlessEmpty(OWN.generalErrors, notice.generalErrors),
        ...unlessEmpty(OWN.brokenReport, notice.fault),
      };
    case 'Noted':
      return {};
  }
}

const jobEndEntries = (end: Content<'JobEnded'>) => ({
  ...{ conclusion: end.result, [OWN.job]: end.job },
  ...unlessEmpty(OWN.continueOnError, end.isForgiven && flagText(true)),
  ...unlessEmpty(OWN.outputs, end.outputs),
  ...unlessEmpty(OWN.superseded, end.supersededBy),
  ...unlessEmpty(OWN.takenOver, end.taken && takenOver(end.taken)),
});

const takenOver = ({ from, jobId }: NonNullable<Content<'JobEnded'>['taken']>) => ({
  workflow_id: from,
  ...unlessEmpty('job_id', jobId),
});

const stepEndEntries = ({
  name,
  directory,
  isKept,
  outcome,
  conclusion,
  outputs,
}: Content<'StepEnded'>) => ({
  [OWN.stepEnded]: flagText(true),
  ...unlessEmpty(OWN.useWorkspace, directory),
  ...unlessEmpty(OWN.keepWorkspace, isKept === null ? null : flagText(isKept)),
  ...unlessEmpty(OWN.stepName, name),
  ...{ outcome, conclusion },
  ...unlessEmpty(OWN.outputs, outputs),
});

/** Entries for the annotations of the `Workflow` of a run. `chosen` is null for all jobs, `rerunOf` for a run that is no rerun. */
export const annotationEntries = ({
  inputs = {},
  files = {},
  isLocal = false,
  chosen = null,
  rerunOf = null,
  version = null,
  branch = null,
}: Partial<Pick<Content<'RunReceived'>, 'inputs' | 'files' | 'isLocal'>> & {
  readonly chosen?: readonly string[] | null;
  readonly rerunOf?: string | null;
  readonly version?: string | null;
  readonly branch?: string | null;
}): Readonly<Record<string, unknown>> => ({
  ...unlessEmpty(OWN.inputs, inputs),
  ...unlessEmpty(OWN.files, files),
  ...unlessEmpty(OWN.local, isLocal),
  ...(chosen === null ? {} : { [OWN.jobs]: chosen }),
  ...unlessEmpty(OWN.rerunOf, rerunOf),
  ...unlessEmpty(OWN.version, version),
  ...unlessEmpty(OWN.branch, branch),
});

/** Entries for limits that are evaluated once for the whole run; an absent limit writes no entry. */
export const limitEntries = (limits: {
  readonly deadlineMs?: number;
  readonly maxParallel?: number;
  readonly failFast?: boolean;
}): object =>
  Object.fromEntries(
    (['deadlineMs', 'maxParallel', 'failFast'] as const).flatMap((name) =>
      limits[name] === undefined ? [] : [[OWN[name], limits[name]]],
    ),
  );

export const takenEntries = (
  from: TakenJobs['from'],
  jobs: Readonly<Record<string, unknown>>,
): object => ({ [OWN.taken]: { from, jobs } });

export const maskEntries = (masks: readonly string[]) => unlessEmpty(OWN.masks, masks);
export const warningEntries = (texts: readonly string[]) => unlessEmpty(OWN.warnings, texts);
export const traceparentEntry = (parent: string | null) => unlessEmpty(OWN.traceparent, parent);
export const problemEntries = (problems: readonly string[]) => ({ [OWN.problems]: problems });
export const calledEntry = (called: object) => ({ [OWN.called]: called });
/** In the metadata of a job as the command line shows it: unique among the jobs of a run. */
export const JOB_ENTRY = OWN.job;

/** Entry for the file of a test result. */
export const fileEntry = (file: string | undefined) => unlessEmpty(OWN.file, file);
export const attemptEntry = (isAttempt: boolean) => unlessEmpty(OWN.attempt, isAttempt);

/** The event as the log has it: its warnings are lines there. */
export function withoutWarnings<Event extends { readonly metadata: object }>(event: Event): Event {
  if (!Object.hasOwn(event.metadata, OWN.warnings)) return event;
  const kept = Object.entries(event.metadata).filter(([name]) => name !== OWN.warnings);
  return { ...event, metadata: Object.fromEntries(kept) };
}

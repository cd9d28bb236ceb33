/** Turns each event of a run into lines, without their style. */

import {
  countOf,
  type EventMetadata,
  isRunEvent,
  type JobId,
  type LoggedEvent,
  type RunEvent,
  type RunEventOf,
} from '@tutti/manifests';
import {
  createMarkReader,
  type Fact,
  type FactOf,
  factOf,
  jobIn,
  type LineRange,
  notifiedLines,
} from '@tutti/workflow/facts';
import { askedText } from './asked-text.ts';
import { formatDuration } from './durations.ts';
import { wholeJobTimeMs } from './job-time.ts';
import type { JobResult, JobView } from './job-view.ts';
import { leveledText } from './leveled-text.ts';
import type { Line, Tone } from './line.ts';
import { countsShown } from './run-tests.ts';
import {
  freshLines,
  jobOf,
  labelOf,
  type ResultType,
  type RunView,
  skippedLabel,
  timeOf,
} from './run-view.ts';
import { subjectIn } from './subject-in.ts';
import { testText } from './test-tally.ts';

/** The lines that an event adds; `before` and `after` are the view without and with it. */
export function linesOf(before: RunView, event: LoggedEvent, after: RunView): readonly Line[] {
  return isRunEvent(event) ? linesOfFact(before, factOf(event), after) : [];
}

function linesOfFact(before: RunView, fact: Fact, after: RunView): readonly Line[] {
  switch (fact.type) {
    case 'RunReceived': {
      const text = `Workflow "${after.name}" in namespace ${after.namespace}`;
      return [lineOf(fact.event, 'plain', text)];
    }
    case 'EnvironmentRequested':
      return linesAbout(after, fact.event, 'quiet', requestText(fact.event));
    case 'EnvironmentOffered':
      return offerLines(before, fact.event, after);
    case 'StepStarted':
    case 'FunctionCalled':
      return stepLines(after, fact.event);
    case 'StepStopped':
      return stopLines(before, fact.event, after);
    case 'StepAnswered':
      return resultLines(before, fact);
    case 'EnvironmentFreed':
      return releaseLines(before, fact, after);
    case 'JobsAsked':
      return linesAbout(after, fact.event, 'quiet', askedText(fact));
    case 'JobsGiven':
      return linesAbout(after, fact.event, 'start', expansionText(fact.event));
    case 'RunFailed':
      return errorLines(after, fact.event);
    case 'JobEnded':
      return endedLines(fact, after.jobs.get(fact.job));
    case 'Held':
    case 'Halted':
    case 'StepOverdue':
      return noteLines(fact, after, true);
    case 'DownloadBegun':
    case 'Granted':
    case 'Superseded':
    case 'JobOverdue':
    case 'StepEnded':
    case 'Noted':
      return noteLines(fact, after, false);
    case 'StepPrinted':
      return noteLines(fact, after, false, fact.stderr);
    case 'WorkerChanged':
    case 'ReportRead':
      return reportLines(before, fact, after);
    case 'CancellationAsked': {
      const { event } = fact;
      const text = `cancellation asked${byOf(event)}${because(event.details?.reason)}`;
      return [lineOf(event, 'warning', text)];
    }
    case 'RunSucceeded':
      return [lineOf(fact.event, 'good', `Workflow completed in ${elapsed(after)}`)];
    case 'RunEnded':
      return [lineOf(fact.event, 'bad', endSentence(after))];
    case 'TestsJudged':
      return judgedLines(after, fact);
    // The end is shown when the environment is free.
    case 'TestsAsked':
    case 'JobReleased':
    case 'FunctionAnswered':
    case 'FilesPublished':
      return [];
  }
}

/** `job`: the one that it is about, if it is about one. */
export function lineOf(
  event: RunEvent,
  tone: Tone,
  text: string,
  { job, depth = 0 }: { readonly job?: JobView | null | undefined; readonly depth?: number } = {},
): Line {
  const { job_id: id }: EventMetadata = event.metadata;
  return {
    at: timeOf(event),
    job: job?.name ?? '',
    jobId: typeof id === 'string' ? id : '',
    jobDepth: (job?.key ?? '').split('/').length - 1,
    tone,
    depth,
    text,
  };
}

const VERDICT_TONES = { success: 'good', failure: 'bad', retry: 'warning' } as const;

function judgedLines(view: RunView, { event }: FactOf<'TestsJudged'>): readonly Line[] {
  const job = jobOf(view, event.metadata.job_id);
  return event.logs.map((text) => lineOf(event, VERDICT_TONES[event.verdict], text, { job }));
}

function byOf({ metadata }: RunEvent): string {
  const subject = subjectIn(metadata);
  return subject === null ? '' : ` by ${subject}`;
}

const because = (reason: string | null | undefined): string =>
  reason === null || reason === undefined || reason === '' ? '' : `: ${reason}`;

function elapsed(view: RunView): string {
  return formatDuration((view.endedAt ?? 0) - (view.startedAt ?? 0));
}

function endSentence(view: RunView): string {
  const how = view.phase === 'CANCELED' ? 'canceled' : 'failed';
  return `Workflow ${how} after ${elapsed(view)}${because(view.reason)}`;
}

/** Nothing if the job is unknown. */
function linesAbout(
  view: RunView,
  event: RunEventOf<'ExecutionCommand' | 'GeneratorCommand' | 'GeneratorResult'>,
  tone: Tone,
  text: string,
): readonly Line[] {
  const job = jobOf(view, event.metadata.job_id);
  return job === null ? [] : [lineOf(event, tone, text, { job })];
}

function requestText({ 'runs-on': tags }: RunEventOf<'ExecutionCommand'>): string {
  const wanted = tags.join(', ');
  return wanted === '' ? 'asks for any environment' : `asks for an environment: ${wanted}`;
}

const expansionText = ({ jobs }: RunEventOf<'GeneratorResult'>): string =>
  `stands for ${countOf(Object.keys(jobs).length, 'job')}`;

function stopLines(
  before: RunView,
  event: RunEventOf<'ExecutionCommand'>,
  view: RunView,
): readonly Line[] {
  const job = jobOf(view, event.metadata.job_id);
  // Servers with limits of their own name the limit first.
  const isTimeout = jobOf(before, event.metadata.job_id)?.current?.terminated === 'timeout';
  if (job === null || isTimeout) return [];
  const what = job.current?.terminated === 'timeout' ? 'takes too long and is' : 'is';
  return [lineOf(event, 'warning', `${job.current?.label ?? 'the step'} ${what} stopped`, { job })];
}

const RESULTS: Readonly<Record<JobResult, readonly [tone: Tone, verb: string]>> = {
  success: ['good', 'succeeded'],
  failure: ['bad', 'failed'],
  cancelled: ['warning', 'canceled'],
  skipped: ['quiet', 'skipped'],
};

/** `succeeded`, `failed`, ... for people. */
export function verbOf({ result, isForgiven }: Pick<JobView, 'result' | 'isForgiven'>): string {
  return isForgiven ? 'failed (allowed)' : RESULTS[result ?? 'failure'][1];
}

function jobEndLine(event: RunEvent, job: JobView): Line {
  const tone = job.isForgiven ? 'warning' : RESULTS[job.result ?? 'failure'][0];
  const timeMs = wholeJobTimeMs(job);
  const time = timeMs === null ? '' : ` in ${formatDuration(timeMs)}`;
  const tests = testText(job.tests);
  return lineOf(event, tone, `${verbOf(job)}${time}${tests === '' ? '' : `, ${tests}`}`, { job });
}

function stepLines(
  view: RunView,
  event: RunEventOf<'ExecutionCommand' | 'ProviderCommand'>,
): readonly Line[] {
  const job = jobOf(view, event.metadata.job_id);
  if (job?.current == null) return [];
  const around = event.metadata.step_origin?.at(-1);
  // The only script of a function has its name, which the line before shows.
  const isTimeout = around !== undefined && labelOf(view, job, around, '') === job.current.label;
  if (isTimeout) return [];
  return [lineOf(event, 'step', job.current.label, { job, depth: job.current.depth })];
}

function offerLines(
  before: RunView,
  event: RunEventOf<'ExecutionResult'>,
  after: RunView,
): readonly Line[] {
  const job = jobOf(before, event.metadata.job_id);
  const isPlaced = job !== null && jobOf(after, event.metadata.job_id)?.phase !== job.phase;
  return isPlaced ? [lineOf(event, 'start', 'started', { job })] : [];
}

function outputLines(fact: FactOf<ResultType>, job: JobView): readonly Line[] {
  const depth = depthOf(fact.event);
  const { event, stderr } = fact;
  const isMarked = createMarkReader(stderr);
  return freshLines(fact).map((line, index) => {
    // The ranges count from the first line that no notification had.
    const tone = isMarked(index) ? 'stderr' : 'output';
    return printedLine(event, line, { tone, job, depth });
  });
}

/** A line of a step, or with a level a message about it. */
function printedLine(event: RunEvent, line: string, { tone, job, depth }: PrintedPlace): Line {
  const leveled = leveledText(line);
  return lineOf(event, leveled.tone ?? tone, leveled.text, { job, depth });
}

interface PrintedPlace {
  readonly tone: 'output' | 'stderr';
  readonly job: JobView | undefined;
  readonly depth: number;
}

function releaseLines(
  before: RunView,
  fact: FactOf<'EnvironmentFreed'>,
  after: RunView,
): readonly Line[] {
  const { event } = fact;
  const job = jobOf(before, event.metadata.job_id);
  if (job === null) return [];
  const ended = jobOf(after, event.metadata.job_id) ?? job;
  const end = job.phase === 'ENDED' ? [] : [jobEndLine(event, ended)];
  return [...outputLines(fact, job), ...end];
}

function resultLines(view: RunView, fact: FactOf<'StepAnswered'>): readonly Line[] {
  const { metadata, status } = fact.event;
  const job = jobOf(view, metadata.job_id);
  if (job === null) return [];
  const output = outputLines(fact, job);
  return status === 0 || metadata.step_sequence_id < 0
    ? output
    : [...output, failedLine(fact, job)];
}

function failedLine(fact: FactOf<'StepAnswered'>, job: JobView): Line {
  const { event } = fact;
  const depth = depthOf(event);
  const step = job.current;
  const label = step?.label ?? 'the step';
  if (step?.terminated === 'canceled') {
    return lineOf(event, 'warning', `${label} was stopped`, { job, depth });
  }
  if (fact.isNotRun) return lineOf(event, 'warning', `${label} could not run`, { job, depth });
  const how = `exit code ${event.status}`;
  return step?.isForgiven === true
    ? lineOf(event, 'warning', `${label} failed (${how}), the job goes on`, { job, depth })
    : lineOf(event, 'bad', `${label} failed (${how})`, { job, depth });
}

const depthOf = ({ metadata }: RunEventOf<'ExecutionResult' | 'Notification'>): number =>
  metadata.step_origin?.length ?? 0;

function errorLines(view: RunView, event: RunEventOf<'ExecutionError'>): readonly Line[] {
  const { job_id: jobId, name } = event.metadata;
  const ofId = typeof jobId === 'string' ? jobOf(view, jobId as JobId) : null;
  const job = ofId ?? view.jobs.get(name);
  const texts = (event.details?.error ?? 'unknown error').split(/\r?\n/);
  return texts.map((text) => lineOf(event, 'bad', text, { job }));
}

/** Test results, or messages about a report. */
function reportLines(
  before: RunView,
  fact: FactOf<'ReportRead' | 'WorkerChanged'>,
  after: RunView,
): readonly Line[] {
  const { spec } = fact.event;
  if (spec.testResults !== undefined) return testLines(before, fact.event, after);
  const read = spec.worker === undefined ? [] : testLines(before, fact.event, after);
  return read.length > 0 ? read : noteLines(fact, after, false);
}

/** Services forward lines of their own log, too; lines about no job are for operators. `isOfRun`: the run itself gives a reason to wait. */
function noteLines(
  { event }: { readonly event: RunEventOf<'Notification'> },
  after: RunView,
  isOfRun: boolean,
  stderr: readonly LineRange[] = [],
): readonly Line[] {
  const { spec, metadata } = event;
  const job = jobOf(after, metadata.job_id) ?? after.jobs.get(jobIn(metadata) ?? '');
  const isShown = isOfRun || job !== undefined || metadata.name === 'group notification';
  if (!isShown) return [];
  const depth = depthOf(event);
  const tone = isOfRun ? 'warning' : metadata.step_id === undefined ? 'quiet' : 'output';
  const isMarked = createMarkReader(stderr);
  const lines = notifiedLines(event).map((line, index) =>
    tone === 'output'
      ? printedLine(event, line, { tone: isMarked(index) ? 'stderr' : tone, job, depth })
      : lineOf(event, tone, line, { job, depth }),
  );
  const isSkipped = spec.conclusion === 'skipped';
  if (!isSkipped || job === undefined || metadata.step_id === undefined) return lines;
  const label = skippedLabel(after, job, event);
  return [lineOf(event, 'quiet', `${label} skipped`, { job, depth }), ...lines];
}

function endedLines({ event }: FactOf<'JobEnded'>, job: JobView | undefined): readonly Line[] {
  if (job === undefined) return [];
  const why = (event.spec.logs ?? []).map((text) => lineOf(event, 'quiet', text, { job }));
  return [...why, jobEndLine(event, job)];
}

function testLines(
  before: RunView,
  event: RunEventOf<'Notification'>,
  after: RunView,
): readonly Line[] {
  const { passed, failed, skipped } = countsShown(before.tests, event, after.tests);
  const parts = [
    ...(passed > 0 ? [`${passed} passed`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const job = jobOf(after, event.metadata.job_id);
  const text = `${countOf(passed + failed + skipped, 'test case')}: ${parts.join(', ')}`;
  return parts.length === 0 ? [] : [lineOf(event, failed > 0 ? 'bad' : 'good', text, { job })];
}

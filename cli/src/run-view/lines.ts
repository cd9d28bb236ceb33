/** What each event of a run is worth saying, as lines without any look yet. */
import {
  countOf,
  type EventMetadata,
  isRunEvent,
  type JobId,
  type LoggedEvent,
  type RunEvent,
  type RunEventOf,
  STEP_SEQUENCE,
} from '@tutti/manifests';
import { notifiedLines } from '@tutti/workflow/step-output';
import { askedText, textEntry } from './event-entries.ts';
import { wholeJobTimeMs } from './job-time.ts';
import type { JobResult, JobView } from './job-view.ts';
import type { Line, Tone } from './line.ts';
import { countsTold } from './run-tests.ts';
import { freshLines, jobOf, labelOf, type RunView, skippedLabel, timeOf } from './run-view.ts';
import { formatDuration } from './style.ts';
import { subjectIn } from './subject-in.ts';
import { testText } from './test-tally.ts';

/** The lines that an event adds; `before` and `after` are the view without and with it. */
export function linesOf(before: RunView, event: LoggedEvent, after: RunView): readonly Line[] {
  if (!isRunEvent(event)) return [];
  switch (event.kind) {
    case 'Workflow':
      return [lineOf(event, 'plain', `Workflow "${after.name}" in namespace ${after.namespace}`)];
    case 'ExecutionCommand':
      return commandLines(before, event, after);
    case 'ExecutionResult':
      return resultLines(before, event, after);
    case 'ProviderCommand':
      return stepLines(after, event);
    case 'GeneratorCommand':
      return askingLines(after, event);
    case 'GeneratorResult':
      return expansionLines(after, event);
    case 'ExecutionError':
      return errorLines(after, event);
    case 'Notification':
      return notificationLines(before, event, after);
    case 'WorkflowCancellation':
      return [
        lineOf(
          event,
          'warning',
          `cancellation asked${byOf(event)}${because(event.details?.reason)}`,
        ),
      ];
    case 'WorkflowCompleted':
      return [lineOf(event, 'good', `Workflow completed in ${elapsed(after)}`)];
    case 'WorkflowCanceled':
      return [lineOf(event, 'bad', endSentence(after))];
    case 'ProviderResult':
    case 'WorkflowResult':
      return [];
  }
}

/** `job`: the one that it is about, if it is about one. */
export function lineOf(
  event: RunEvent,
  tone: Tone,
  text: string,
  job: JobView | null | undefined = null,
  depth = 0,
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

function commandLines(
  before: RunView,
  event: RunEventOf<'ExecutionCommand'>,
  view: RunView,
): readonly Line[] {
  const { metadata } = event;
  const sequence = metadata.step_sequence_id;
  const job = jobOf(view, metadata.job_id);
  if (job === null) return [];
  if (sequence === STEP_SEQUENCE.request) {
    const tags = event['runs-on'].join(', ');
    const text = tags === '' ? 'asks for any environment' : `asks for an environment: ${tags}`;
    return [lineOf(event, 'quiet', text, job)];
  }
  // That it is over is told when its environment is free.
  if (sequence === STEP_SEQUENCE.release) return [];
  if (sequence >= 0) return stepLines(view, event);
  // Servers that say which limit it was say so first.
  if (jobOf(before, metadata.job_id)?.current?.terminated === 'timeout') return [];
  const what = job.current?.terminated === 'timeout' ? 'takes too long and is' : 'is';
  return [lineOf(event, 'warning', `${job.current?.label ?? 'the step'} ${what} stopped`, job)];
}

function askingLines(view: RunView, event: RunEventOf<'GeneratorCommand'>): readonly Line[] {
  const job = jobOf(view, event.metadata.job_id);
  return job === null ? [] : [lineOf(event, 'quiet', askedText(event), job)];
}

function expansionLines(view: RunView, event: RunEventOf<'GeneratorResult'>): readonly Line[] {
  const job = jobOf(view, event.metadata.job_id);
  if (job === null) return [];
  return [
    lineOf(event, 'start', `stands for ${countOf(Object.keys(event.jobs).length, 'job')}`, job),
  ];
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
  return lineOf(event, tone, `${verbOf(job)}${time}${tests === '' ? '' : `, ${tests}`}`, job);
}

function stepLines(
  view: RunView,
  event: RunEventOf<'ExecutionCommand' | 'ProviderCommand'>,
): readonly Line[] {
  const job = jobOf(view, event.metadata.job_id);
  if (job?.current == null) return [];
  const around = event.metadata.step_origin?.at(-1);
  // The only script of a function has its name, and the line before said that.
  const isTold = around !== undefined && labelOf(view, job, around, '') === job.current.label;
  if (isTold) return [];
  return [lineOf(event, 'step', job.current.label, job, job.current.depth)];
}

function resultLines(
  before: RunView,
  event: RunEventOf<'ExecutionResult'>,
  after: RunView,
): readonly Line[] {
  const { metadata } = event;
  const job = jobOf(before, metadata.job_id);
  if (job === null) return [];
  if (metadata.step_sequence_id === STEP_SEQUENCE.request) {
    const isPlaced = jobOf(after, metadata.job_id)?.phase !== job.phase;
    return isPlaced ? [lineOf(event, 'start', 'started', job)] : [];
  }
  const depth = metadata.step_origin?.length ?? 0;
  const output = freshLines(event).map((text) => lineOf(event, 'output', text, job, depth));
  if (metadata.step_sequence_id === STEP_SEQUENCE.release && job.phase !== 'ENDED') {
    return [...output, jobEndLine(event, jobOf(after, metadata.job_id) ?? job)];
  }
  return event.status === 0 || metadata.step_sequence_id < 0
    ? output
    : [...output, failedLine(event, job, depth)];
}

function failedLine(event: RunEventOf<'ExecutionResult'>, job: JobView, depth: number): Line {
  const step = job.current;
  const label = step?.label ?? 'the step';
  if (step?.terminated === 'canceled') {
    return lineOf(event, 'warning', `${label} was stopped`, job, depth);
  }
  if (event.metadata['tutti.not-run'] === true) {
    return lineOf(event, 'warning', `${label} could not run`, job, depth);
  }
  const how = `exit code ${event.status}`;
  return step?.isForgiven === true
    ? lineOf(event, 'warning', `${label} failed (${how}), the job goes on`, job, depth)
    : lineOf(event, 'bad', `${label} failed (${how})`, job, depth);
}

function errorLines(view: RunView, event: RunEventOf<'ExecutionError'>): readonly Line[] {
  const { job_id: jobId, name } = event.metadata;
  const ofId = typeof jobId === 'string' ? jobOf(view, jobId as JobId) : null;
  const job = ofId ?? view.jobs.get(name);
  const texts = (event.details?.error ?? 'unknown error').split(/\r?\n/);
  return texts.map((text) => lineOf(event, 'bad', text, job));
}

/** Services forward lines of their own log too; those about no job are for operators. */
function notificationLines(
  before: RunView,
  event: RunEventOf<'Notification'>,
  after: RunView,
): readonly Line[] {
  const { spec, metadata } = event;
  if (spec.testResults !== undefined) return testLines(before, event, after);
  const read = spec.worker === undefined ? [] : testLines(before, event, after);
  if (read.length > 0) return read;
  const ended = textEntry(spec, 'tutti.job');
  if (ended !== null) return endedLines(event, after.jobs.get(ended));
  const isOfRun =
    spec['tutti.waiting'] !== undefined ||
    spec['tutti.halted'] !== undefined ||
    spec['tutti.timeout'] === 'step';
  const job =
    jobOf(after, metadata.job_id) ?? after.jobs.get(textEntry(metadata, 'tutti.job') ?? '');
  const isShown = isOfRun || job !== undefined || metadata.name === 'group notification';
  if (!isShown) return [];
  const depth = metadata.step_origin?.length ?? 0;
  const tone = isOfRun ? 'warning' : metadata.step_id === undefined ? 'quiet' : 'output';
  const lines = notifiedLines(event).map((text) => lineOf(event, tone, text, job, depth));
  const isSkipped = spec.conclusion === 'skipped';
  if (!isSkipped || job === undefined || metadata.step_id === undefined) return lines;
  const label = skippedLabel(after, job, event);
  return [lineOf(event, 'quiet', `${label} skipped`, job, depth), ...lines];
}

function endedLines(event: RunEventOf<'Notification'>, job: JobView | undefined): readonly Line[] {
  if (job === undefined) return [];
  const why = (event.spec.logs ?? []).map((text) => lineOf(event, 'quiet', text, job));
  return [...why, jobEndLine(event, job)];
}

function testLines(
  before: RunView,
  event: RunEventOf<'Notification'>,
  after: RunView,
): readonly Line[] {
  const { passed, failed, skipped } = countsTold(before.tests, event, after.tests);
  const parts = [
    ...(passed > 0 ? [`${passed} passed`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const job = jobOf(after, event.metadata.job_id);
  const text = `${countOf(passed + failed + skipped, 'test case')}: ${parts.join(', ')}`;
  return parts.length === 0 ? [] : [lineOf(event, failed > 0 ? 'bad' : 'good', text, job)];
}

/** Events of a run as rows: time, kind, job and step, and content. */
import type { JsonRecord } from '@tutti/client';
import { countOf, type LoggedEvent, parseTimestamp, STEP_SEQUENCE } from '@tutti/manifests';
import {
  emptyRunView,
  jobOf,
  labelOf,
  type RunView,
  reduceRunView,
  subjectIn,
} from '@tutti/run-view';
import { conclusionIn } from '@tutti/workflow/facts';
import type { Listing } from '../resources/print-items.ts';
import { textAt } from '../resources/value-path.ts';
import { cutToWidth } from '../terminal/style.ts';

export interface EventListing {
  readonly listing: Listing;
  /** Takes an event without printing it: later events may refer to its jobs and steps. */
  learn(event: LoggedEvent): void;
}

/** Longer texts are for `-o json`. */
const WHAT_CELLS = 100;
/** Steps without a name are called like their commands. */
const STEP_CELLS = 40;

export function createEventListing(): EventListing {
  let view = emptyRunView;
  return {
    learn(event) {
      view = reduceRunView(view, event);
    },
    listing: {
      columns: [
        { title: 'TIME', cell: timeOf },
        { title: 'KIND', cell: 'kind' },
        { title: 'JOB', cell: (event) => jobNameOf(event, view) },
        { title: 'STEP', cell: (event) => cutToWidth(stepOf(event, view), STEP_CELLS) },
        { title: 'WHAT', cell: (event) => cutToWidth(firstLine(whatOf(event)), WHAT_CELLS) },
        { title: 'JOB_ID', cell: (event) => textOf(metadataOf(event).job_id), isWide: true },
        { title: 'BY', cell: (event) => subjectIn(metadataOf(event)) ?? '', isWide: true },
        { title: 'STEP_ID', cell: (event) => textOf(metadataOf(event).step_id), isWide: true },
      ],
      idPath: 'kind',
      emptyText: 'No event fits.',
    },
  };
}

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const metadataOf = ({ metadata }: JsonRecord): JsonRecord => recordOf(metadata);
const firstLine = (text: string): string => text.trimStart().split(/\r?\n/)[0] ?? '';

/** To the millisecond, in UTC as all times of the interface. */
function timeOf(event: JsonRecord): string {
  const at = parseTimestamp(textAt(event, ['metadata', 'creationTimestamp']));
  return at === null ? '' : new Date(at).toISOString().slice(0, -1);
}

function jobNameOf(event: JsonRecord, view: RunView): string {
  const { job_id: jobId, name } = metadataOf(event);
  if (typeof jobId !== 'string') return '';
  // Notifications have names of their own.
  if (event.kind !== 'Notification' && typeof name === 'string') return name;
  return jobOf(view, jobId as Parameters<typeof jobOf>[1])?.name ?? jobId; // An id of no job finds none.
}

function stepOf(event: JsonRecord, view: RunView): string {
  const { job_id: jobId, step_id: stepId, step_sequence_id: sequence } = metadataOf(event);
  if (sequence === STEP_SEQUENCE.request) return '(request)';
  if (sequence === STEP_SEQUENCE.release) return '(release)';
  if (typeof sequence === 'number' && sequence < 0) return '(stop)';
  if (typeof stepId !== 'string') return '';
  const job = jobOf(view, jobId as Parameters<typeof jobOf>[1]); // An id of no job finds none.
  const command = Array.isArray(event.scripts) ? event.scripts.join('\n') : '';
  return job === null ? '' : labelOf(view, job, stepId as Parameters<typeof labelOf>[2], command);
}

/** Short text for the content of the event. */
function whatOf(event: JsonRecord): string {
  const { name, step_sequence_id: sequence, ...metadata } = metadataOf(event);
  switch (event.kind) {
    case 'ExecutionCommand':
      if (sequence === STEP_SEQUENCE.request) return `runs-on: ${textAt(event, ['runs-on'])}`;
      if (sequence === STEP_SEQUENCE.release) return conclusionIn(metadata) ?? '';
      return Array.isArray(event.scripts) ? event.scripts.join('\n') : '';
    case 'ExecutionResult':
      return resultText(event);
    case 'GeneratorResult':
      return countOf(Object.keys(recordOf(event.jobs)).length, 'job');
    case 'ProviderResult':
      return countOf(Array.isArray(event.steps) ? event.steps.length : 0, 'step');
    case 'Notification':
      return notificationText(recordOf(event.spec));
    case 'ExecutionError':
      return textOf(recordOf(event.details).error);
    case 'WorkflowCanceled':
    case 'WorkflowCancellation':
      return cancellationText(event);
    case 'WorkflowResult':
      return filesText(event);
    default:
      return textOf(name);
  }
}

function cancellationText(event: JsonRecord): string {
  const subject = subjectIn(metadataOf(event));
  const reason = textOf(recordOf(event.details).reason);
  return subject === null ? reason : `by ${subject}${reason === '' ? '' : `: ${reason}`}`;
}

function resultText(event: JsonRecord): string {
  const { status, logs } = event;
  const isCommand = Number(metadataOf(event).step_sequence_id) >= 0;
  const parts = [
    ...(isCommand || status !== 0 ? [`exit code ${status}`] : []),
    ...(Array.isArray(logs) && logs.length > 0 ? [countOf(logs.length, 'line')] : []),
    filesText(event),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function filesText({ attachments }: JsonRecord): string {
  const count = Array.isArray(attachments) ? attachments.length : 0;
  return count === 0 ? '' : countOf(count, 'attachment');
}

function notificationText({ logs, testResults, worker }: JsonRecord): string {
  if (Array.isArray(logs) && logs.length > 0) return logs.join('\n');
  if (Array.isArray(testResults)) return countOf(testResults.length, 'test case');
  const { worker_id: id, status } = recordOf(worker);
  return typeof id === 'string' ? `worker ${id} ${textOf(status)}` : '';
}

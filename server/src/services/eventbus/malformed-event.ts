/**
 * Replaces events that break the schema of their kind while a run may wait for them. The run gets an error with the reason, so
 * that it continues or ends instead of waiting for a timeout.
 */
import {
  apiVersionOf,
  DEFAULT_API_GROUP,
  type ExternalEventKind,
  isUuid,
  type RunEvent,
  STEP_SEQUENCE,
} from '@tutti/manifests';
import { DOCUMENT_LIMITS } from '@tutti/manifests/documents';
import { outputMessages } from '@tutti/workflow';
import { problemEntries } from '@tutti/workflow/facts';
import type { Publication } from '../../bus/bus.ts';
import { formatProblem, type Problem } from '../../http/validate.ts';
import { sentence } from '../../runtime/sentence.ts';
import { entriesOf, type KnownOfRun, runEventFrom } from './external-event.ts';

type Entries = Readonly<Record<string, unknown>>;

/** The problems as sentences for the run. */
export const sentencesOf = (problems: readonly Problem[]): readonly string[] =>
  problems.slice(0, DOCUMENT_LIMITS.problemsMax).map((problem) => sentence(formatProblem(problem)));

/** `problems` are sentences. Null for events that no run waits for, and for events without a reference to a question. */
export function eventInstead(
  publication: Publication,
  kind: ExternalEventKind,
  problems: readonly string[],
  known: KnownOfRun,
): RunEvent | null {
  const metadata = soundMetadata(entriesOf(publication.metadata), kind);
  const event = (content: Entries, as: ExternalEventKind = kind) =>
    runEventFrom({ apiVersion: versionOf(publication, as), metadata, ...content }, as, known);
  switch (kind) {
    case 'GeneratorResult':
    case 'ProviderResult':
      return 'job_id' in metadata ? withProblems(event(emptyAnswer(kind)), problems) : null;
    case 'ExecutionResult':
      return resultInstead(publication, metadata, problems, event);
    case 'ExecutionError':
      return event({ details: { error: errorIn(publication.details, problems) } });
    case 'WorkflowCancellation':
      return event({});
    case 'Notification':
    case 'WorkflowResult':
      return null;
  }
}

/** The valid part of the metadata, which identifies the subject of the event. */
function soundMetadata(metadata: Entries, kind: ExternalEventKind): Entries {
  const { name, job_id, step_id, channel_id, step_sequence_id: sequence } = metadata;
  return {
    name: typeof name === 'string' ? name : kind,
    ...(isUuid(job_id) ? { job_id } : {}),
    ...(isUuid(channel_id) ? { channel_id } : {}),
    ...(typeof step_id === 'string' ? { step_id } : {}),
    ...(Number.isInteger(sequence) ? { step_sequence_id: sequence } : {}),
  };
}

function versionOf({ apiVersion }: Publication, kind: ExternalEventKind): string {
  const group = typeof apiVersion === 'string' ? apiVersion.split('/', 1)[0] : '';
  return apiVersionOf(group || DEFAULT_API_GROUP, kind);
}

const emptyAnswer = (kind: 'GeneratorResult' | 'ProviderResult'): Entries =>
  kind === 'GeneratorResult' ? { jobs: {} } : { steps: [] };

/** Only the run gets such events. It takes them for an error if it waits for the answer. */
export function withProblems<Event extends RunEvent>(
  event: Event,
  problems: readonly string[],
): Event {
  return { ...event, metadata: { ...event.metadata, ...problemEntries(problems) } };
}

/** A step fails. An offer does not count, and the run gets the reason. A released channel counts. */
function resultInstead(
  { status, logs }: Publication,
  metadata: Entries,
  problems: readonly string[],
  event: (content: Entries, as?: ExternalEventKind) => RunEvent,
): RunEvent | null {
  const { job_id, step_sequence_id: sequence } = metadata;
  if (job_id === undefined || sequence === undefined) return null;
  const why = problems.join(' ');
  if (sequence === STEP_SEQUENCE.request) {
    const head = { name: 'group notification', job_id };
    const spec = { logs: [outputMessages.offerInvalid(why)] };
    return event({ metadata: head, spec }, 'Notification');
  }
  if (sequence === STEP_SEQUENCE.release) return event({ status: 0 });
  const lines = Array.isArray(logs) ? logs.filter((line) => typeof line === 'string') : [];
  return event({
    status: Number.isInteger(status) && status !== 0 ? status : 1,
    logs: [...lines, outputMessages.resultInvalid(why)],
  });
}

/** Text of the error, in any form. */
function errorIn(details: unknown, problems: readonly string[]): string {
  const { error = details } = entriesOf(details);
  const text = typeof error === 'string' ? error : JSON.stringify(error ?? null);
  return text === 'null' || text === '' ? outputMessages.errorInvalid(problems.join(' ')) : text;
}

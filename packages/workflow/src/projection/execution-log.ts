/**
 * The execution log (specification 4.5, wire facts 7.3): a title, then lines of the form
 * `[<timestamp>] [job <job_id>] <text>`, each a pure function of one event.
 */
import {
  type Actor,
  actorIn,
  type EventMetadata,
  type ExecutionCommandEvent,
  type ExecutionErrorEvent,
  type ExecutionResultEvent,
  type GeneratorCommandEvent,
  type GeneratorResultEvent,
  isRunEvent,
  type LoggedEvent,
  type NotificationEvent,
  printable,
  type RunEvent,
  STEP_SEQUENCE,
  type WorkflowCanceledEvent,
  type WorkflowCancellationEvent,
  type WorkflowEvent,
  type WorkflowResultEvent,
} from '@tutti/manifests';
import { nameOfPath } from '../environment/attachments.ts';
import { extension } from '../run/extensions.ts';
import { notifiedLines } from '../run/step-output.ts';
import type { LogOptions } from './log-options.ts';
import { describeWaiting } from './waiting-sentence.ts';

/** Stands where the id of a job is expected, in lines about the whole workflow. */
export const NO_JOB_ID = '00000000-0000-0000-0000-000000000000';

const LINE_BREAK = /\r\n|\r|\n/;
const INDENTATION = '  ';
/** Notifications of this name are shown always, whoever sent them. */
const GROUP = 'group notification';
const SERVICE_LOG = 'log notification';
/** Lines of services that only their developers want to see. */
const DEBUGGING = /^(?:\[[^\]]*\]\s*)?(?:DEBUG|TRACE)\b/;
const CONTROL_CHARACTERS = /[\p{Cc}\u2028\u2029]+/gu;

/** The two lines that the log begins with. */
export function renderHeader({ metadata }: WorkflowEvent): string {
  // The name is any text; one with line breaks could look like entries of the log.
  const name = metadata.name.replace(CONTROL_CHARACTERS, ' ').trim();
  return `Workflow ${name}\n(running in namespace "${metadata.namespace}")\n`;
}

/** The lines about one event, each ended by a line feed; empty for an event that the log does not show. */
export function renderEvent(event: LoggedEvent, options: LogOptions): string {
  if (!isRunEvent(event)) return '';
  if (event.kind === 'Workflow') return renderHeader(event);
  const texts = textsOf(event, options);
  if (texts.length === 0) return '';
  const prefix = prefixOf(event.metadata, options);
  // Output comes line by line, and there may be much of it.
  const lines = texts.some(hasLineBreak) ? texts.flatMap((text) => text.split(LINE_BREAK)) : texts;
  return `${prefix}${lines.join(`\n${prefix}`)}\n`;
}

const hasLineBreak = (text: string): boolean => text.includes('\n') || text.includes('\r');

function prefixOf(metadata: EventMetadata, { outputPrefix }: LogOptions): string {
  const timestamp = metadata.creationTimestamp;
  const jobId = typeof metadata.job_id === 'string' ? metadata.job_id : NO_JOB_ID;
  const indentation = INDENTATION.repeat(depthOf(metadata, 'step_origin'));
  if (outputPrefix === null) return `[${timestamp}] [job ${jobId}] ${indentation}`;
  const filled = outputPrefix.replace(/\{(?:timestamp|job_id)\}/g, (placeholder) =>
    placeholder === '{job_id}' ? jobId : timestamp,
  );
  return `${filled}${indentation}`;
}

/** Events of other publishers may lack the list. */
function depthOf(metadata: EventMetadata, name: 'step_origin' | 'job_origin'): number {
  const origin = metadata[name];
  return Array.isArray(origin) ? origin.length : 0;
}

function isSilent(metadata: EventMetadata, { jobDepth, stepDepth }: LogOptions): boolean {
  return (
    (jobDepth > 0 && depthOf(metadata, 'job_origin') >= jobDepth) ||
    (stepDepth > 0 && depthOf(metadata, 'step_origin') >= stepDepth)
  );
}

function textsOf(event: RunEvent, options: LogOptions): readonly string[] {
  switch (event.kind) {
    case 'ExecutionCommand':
      return isSilent(event.metadata, options) ? [] : commandTexts(event, options);
    case 'ProviderCommand':
      return isSilent(event.metadata, options)
        ? []
        : [`Running function: "${event.metadata.name}"`];
    case 'GeneratorCommand':
    case 'GeneratorResult':
      return isSilent(event.metadata, options) ? [] : bundleTexts(event);
    case 'ExecutionResult':
      return resultTexts(event, options);
    case 'WorkflowResult':
      return options.showsAttachments ? attachmentTexts(event) : [];
    case 'ExecutionError':
      return [errorText(event)];
    case 'Notification':
      return notificationTexts(event, options);
    case 'WorkflowCancellation':
      return [cancellationText(event)];
    case 'WorkflowCanceled':
      return endTexts(event);
    case 'WorkflowCompleted':
      return ['Workflow completed successfully.'];
    case 'Workflow':
    case 'ProviderResult':
      return [];
  }
}

function commandTexts(event: ExecutionCommandEvent, options: LogOptions): readonly string[] {
  const { name, step_sequence_id: sequence } = event.metadata;
  switch (sequence) {
    case STEP_SEQUENCE.request:
      return [requestText(event)];
    case STEP_SEQUENCE.release:
      return [...jobResultTexts(event), `Releasing execution environment for job "${name}"`];
    case STEP_SEQUENCE.terminate:
    case STEP_SEQUENCE.kill:
      return [`Stopping the command that runs in job "${name}"`];
    default:
      return sequence < 0
        ? []
        : [`Running command${hookText(event)}: ${shownCommand(event, options)}`];
  }
}

function hookText({ metadata }: ExecutionCommandEvent): string {
  const hook = metadata['tutti.hook'];
  return typeof hook === 'string' ? ` of hook "${hook}"` : '';
}

/** Once for each bundle: for one whose jobs are asked for with the question, for any other with its jobs. */
function bundleTexts({
  kind,
  metadata,
}: GeneratorCommandEvent | GeneratorResultEvent): readonly string[] {
  const isAnswer = kind === 'GeneratorResult' && !isOwnAnswer(metadata);
  return isAnswer ? calledTexts(metadata) : [`Running job bundle: "${metadata.name}"`];
}

function calledTexts(metadata: EventMetadata): readonly string[] {
  const name = extension.text(extension.record(metadata, 'tutti.called'), 'name');
  return name === null ? [] : [`Calling workflow "${name}"`];
}

/** The run itself gives the jobs of matrices, and those that are written in a job (wire facts 2.12). */
function isOwnAnswer({ labels = {} }: EventMetadata): boolean {
  return Object.values(labels).some((label) => label === '.matrix' || label === '.jobs');
}

function requestText({ metadata, 'runs-on': tags }: ExecutionCommandEvent): string {
  const wanted = tags.map((tag) => `"${tag}"`).join(', ');
  const environment =
    wanted === '' ? 'any execution environment' : `execution environment providing ${wanted}`;
  return `Requesting ${environment} in namespace "${metadata.namespace}" for job "${metadata.name}"`;
}

const JOB_RESULTS: ReadonlyMap<unknown, string> = new Map([
  ['success', 'succeeded'],
  ['failure', 'failed'],
  ['cancelled', 'was canceled'],
  ['skipped', 'was skipped'],
]);

function jobResultTexts({ metadata }: ExecutionCommandEvent): readonly string[] {
  if (metadata['tutti.continue-on-error'] === true) {
    return [`Job "${metadata.name}" failed, and counts as succeeded: it continues on error.`];
  }
  const result = JOB_RESULTS.get(metadata['tutti.conclusion']);
  return result === undefined ? [] : [`Job "${metadata.name}" ${result}.`];
}

/** The whole command, in as many entries as it has lines, or the beginning of its first line; without blanks at the end. */
function shownCommand({ scripts }: ExecutionCommandEvent, options: LogOptions): string {
  const command = scripts.join('\n').trimEnd();
  const { maxCommandLength } = options;
  if (maxCommandLength === 0) return command;
  const [firstLine = ''] = command.split(LINE_BREAK, 1);
  const shown = firstLine.slice(0, maxCommandLength);
  return shown.length === command.length ? shown : `${shown}...`;
}

function resultTexts(event: ExecutionResultEvent, options: LogOptions): readonly string[] {
  const { logs = [], metadata, status } = event;
  // A step that did not run had no exit code.
  const isHidden = isSilent(metadata, options) || metadata['tutti.not-run'] === true;
  return [
    ...logs.slice(streamedCount(metadata)),
    ...(status === 0 || isHidden ? [] : [`Status code was: ${status}`]),
    ...(options.showsAttachments ? attachmentTexts(event) : []),
  ];
}

/** How many of the log lines notifications gave while the step ran. */
function streamedCount(metadata: EventMetadata): number {
  const count = metadata['tutti.streamed'];
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : 0;
}

function attachmentTexts(event: ExecutionResultEvent | WorkflowResultEvent): readonly string[] {
  return (event.attachments ?? []).map((path) => {
    const uuid = event.metadata.attachments?.[path]?.uuid ?? '';
    return `Produced attachment ${uuid} (${nameOfPath(path) ?? path}).`;
  });
}

function errorText({ details }: ExecutionErrorEvent): string {
  const { error } = details;
  return `ERROR: ${typeof error === 'string' ? error : JSON.stringify(details)}`;
}

function notificationTexts(event: NotificationEvent, options: LogOptions): readonly string[] {
  const { metadata, spec } = event;
  const { 'tutti.waiting': waiting } = spec;
  const logs = notifiedLines(event);
  if (isAboutJob(event) && isSilent(metadata, options)) return [];
  if (waiting !== undefined && logs.length === 0) {
    const job = metadata['tutti.job'];
    return [describeWaiting(waiting, typeof job === 'string' ? job : null)];
  }
  if (isOfRun(event)) return logs;
  if (!options.showsNotifications) return [];
  const shown = options.showsDebugging ? logs : logs.filter((line) => !DEBUGGING.test(line));
  return metadata.name === SERVICE_LOG ? shown : shown.map((line) => `[${metadata.name}] ${line}`);
}

/** Waits and ends of jobs, and what stops those in a bundle, are shown as their begins are. */
function isAboutJob({ spec }: NotificationEvent): boolean {
  const isAboutName = [spec['tutti.job'], spec['tutti.halted']].some(
    (job) => typeof job === 'string',
  );
  const isData = spec['tutti.waiting'] !== undefined || spec['tutti.download'] !== undefined;
  return isAboutName || isData;
}

/** Output of steps, and what the run itself tells: waits, ends and time limits of jobs. Not: log lines of services. */
function isOfRun({ metadata, spec }: NotificationEvent): boolean {
  return (
    metadata.name === GROUP ||
    metadata.step_id !== undefined ||
    spec.conclusion !== undefined ||
    Object.keys(spec).some((name) => name.startsWith('tutti.'))
  );
}

function cancellationText({ details, metadata }: WorkflowCancellationEvent): string {
  const by = cancelledBy(actorIn(metadata), details?.source ?? '');
  const why = details?.reason ? `: ${details.reason}` : '';
  return `Cancellation of the workflow requested${by}${why || '.'}`;
}

/** The client chose the source, so that it never stands for the actor. */
function cancelledBy(actor: Actor | null, source: string): string {
  if (actor === null) return source === '' ? '' : ` by "${source}"`;
  const quoted = (text: string) => printable(JSON.stringify(text));
  const through = source === '' ? '' : ` (source ${quoted(source)})`;
  return ` by ${quoted(actor.subject)}${through}`;
}

function endTexts({ details }: WorkflowCanceledEvent): readonly string[] {
  const { reason, status } = details;
  return [
    ...(reason ? [reason] : []),
    status === 'cancelled' ? 'Workflow canceled.' : 'Workflow failed.',
  ];
}

/**
 * The execution log (specification 4.5, wire facts 7.3). A title, then lines of the form `[<timestamp>] [job <job_id>] <text>`. Each line
 * is a pure function of one event.
 */
import {
  type Actor,
  actorIn,
  type EventMetadata,
  type ExecutionCommandEvent,
  type ExecutionErrorEvent,
  type ExecutionResultEvent,
  isOwnEntry,
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
import { factOf, notifiedLines } from '../facts/decode.ts';
import type { Fact, FactOf, JobResult } from '../facts/fact.ts';
import { isFailureSentence } from '../run/failed-jobs.ts';
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

/** Texts that the log shows of an event. Each of their lines stands behind the prefix. */
export interface ShownTexts {
  readonly prefix: string;
  /** Lines that a command printed: the list of the event itself, or a part of it. */
  readonly output: readonly string[];
  /** They follow the output. */
  readonly texts: readonly string[];
}

/** The lines about one event, each ended by a line feed. Empty for an event that the log does not show. */
export function renderEvent(event: LoggedEvent, options: LogOptions): string {
  if (!isRunEvent(event)) return '';
  if (event.kind === 'Workflow') return renderHeader(event);
  const { prefix, output, texts } = shownTexts(event, options);
  return `${renderTexts(prefix, output)}${renderTexts(prefix, texts)}`;
}

/** The first event, `Workflow`, has another form. */
export function shownTexts(event: RunEvent, options: LogOptions): ShownTexts {
  const fact = factOf(event);
  const prefix = prefixOf(event.metadata, options);
  return { prefix, output: outputOf(fact), texts: textsOf(fact, options) };
}

export function renderTexts(prefix: string, texts: readonly string[]): string {
  if (texts.length === 0) return '';
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

function textsOf(fact: Fact, options: LogOptions): readonly string[] {
  const isHidden = isSilent(fact.event.metadata, options);
  const { name } = fact.event.metadata;
  switch (fact.type) {
    case 'EnvironmentRequested':
      return isHidden ? [] : [requestText(fact.event)];
    case 'JobReleased': {
      const releasing = `Releasing execution environment for job "${name}"`;
      return isHidden ? [] : [...jobResultTexts(fact), releasing];
    }
    case 'StepStopped':
      return isHidden || isNotice(fact.event)
        ? []
        : [`Stopping the command that runs in job "${name}"`];
    case 'StepStarted': {
      const hook = fact.hook === null ? '' : ` of hook "${fact.hook}"`;
      return isHidden ? [] : [`Running command${hook}: ${shownCommand(fact.event, options)}`];
    }
    case 'FunctionCalled':
      return isHidden ? [] : [`Running function: "${name}"`];
    case 'JobsAsked':
      return isHidden ? [] : [bundleText(name)];
    case 'JobsGiven':
      return isHidden ? [] : givenTexts(fact);
    case 'EnvironmentOffered':
    case 'StepAnswered':
    case 'EnvironmentFreed':
      return resultTexts(fact, options);
    case 'FilesPublished':
      return options.showsAttachments ? attachmentTexts(fact.event) : [];
    case 'RunFailed':
      return [errorText(fact.event)];
    case 'Held':
      return isHidden ? [] : heldTexts(fact);
    case 'JobEnded':
    case 'Halted':
    case 'DownloadBegun':
    case 'TestsJudged':
      return isHidden ? [] : noticeLines(fact);
    case 'Granted':
    case 'Superseded':
    case 'JobOverdue':
    case 'StepOverdue':
    case 'StepEnded':
      return notifiedLines(fact.event);
    case 'WorkerChanged':
    case 'ReportRead':
    case 'Noted':
      return noteTexts(fact.event, options);
    case 'CancellationAsked':
      return [cancellationText(fact.event)];
    case 'RunEnded':
      return endTexts(fact.event);
    case 'RunSucceeded':
      return ['Workflow completed successfully.'];
    case 'TestsAsked':
    case 'RunReceived':
    case 'FunctionAnswered':
    case 'StepPrinted':
      return [];
  }
}

const noticeLines = ({
  event,
}: FactOf<'JobEnded' | 'Halted' | 'DownloadBegun' | 'TestsJudged'>): readonly string[] =>
  event.kind === 'TestsResult' ? event.logs : notifiedLines(event);

function outputOf(fact: Fact): readonly string[] {
  switch (fact.type) {
    case 'StepPrinted':
      return fact.lines;
    case 'EnvironmentOffered':
    case 'StepAnswered':
    case 'EnvironmentFreed': {
      const { logs = [] } = fact.event;
      return fact.streamed === 0 ? logs : logs.slice(fact.streamed);
    }
    default:
      return [];
  }
}

const isNotice = ({ metadata }: ExecutionCommandEvent): boolean =>
  metadata.step_sequence_id === STEP_SEQUENCE.notify;

const bundleText = (name: string): string => `Running job bundle: "${name}"`;

/** Each bundle is shown once. The run itself gives the jobs of matrices, and jobs that are written in a job (wire facts 2.12). */
function givenTexts({ event, called }: FactOf<'JobsGiven'>): readonly string[] {
  const { name, labels = {} } = event.metadata;
  const isOwn = Object.values(labels).some((label) => label === '.matrix' || label === '.jobs');
  if (isOwn) return [bundleText(name)];
  return called === null ? [] : [`Calling workflow "${called.name}"`];
}

function requestText({ metadata, 'runs-on': tags }: ExecutionCommandEvent): string {
  const wanted = tags.map((tag) => `"${tag}"`).join(', ');
  const environment =
    wanted === '' ? 'any execution environment' : `execution environment providing ${wanted}`;
  return `Requesting ${environment} in namespace "${metadata.namespace}" for job "${metadata.name}"`;
}

const JOB_RESULTS: Readonly<Record<JobResult, string>> = {
  success: 'succeeded',
  failure: 'failed',
  cancelled: 'was canceled',
  skipped: 'was skipped',
};

function jobResultTexts({ event, result, isForgiven }: FactOf<'JobReleased'>): readonly string[] {
  const { name } = event.metadata;
  if (isForgiven) return [`Job "${name}" failed, and counts as succeeded: it continues on error.`];
  return result === null ? [] : [`Job "${name}" ${JOB_RESULTS[result]}.`];
}

/** The whole command, in as many entries as it has lines, or the beginning of its first line. Without blanks at the end. */
function shownCommand({ scripts }: ExecutionCommandEvent, options: LogOptions): string {
  const command = scripts.join('\n').trimEnd();
  const { maxCommandLength } = options;
  if (maxCommandLength === 0) return command;
  const [firstLine = ''] = command.split(LINE_BREAK, 1);
  const shown = firstLine.slice(0, maxCommandLength);
  return shown.length === command.length ? shown : `${shown}...`;
}

function resultTexts(
  fact: FactOf<'EnvironmentFreed' | 'EnvironmentOffered' | 'StepAnswered'>,
  options: LogOptions,
): readonly string[] {
  const { metadata, status } = fact.event;
  // A step that did not run had no exit code.
  const isHidden = isSilent(metadata, options) || fact.isNotRun;
  return [
    ...(status === 0 || isHidden ? [] : [`Status code was: ${status}`]),
    ...(options.showsAttachments ? attachmentTexts(fact.event) : []),
  ];
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

function heldTexts({ event, job, reason }: FactOf<'Held'>): readonly string[] {
  const lines = notifiedLines(event);
  return lines.length === 0 ? [describeWaiting(reason, job)] : lines;
}

/** Lines of services are shown on request; lines of the run itself always. */
function noteTexts(event: NotificationEvent, options: LogOptions): readonly string[] {
  const { metadata, spec } = event;
  const lines = notifiedLines(event);
  const isOfRun =
    metadata.name === GROUP ||
    metadata.step_id !== undefined ||
    spec.conclusion !== undefined ||
    Object.keys(spec).some(isOwnEntry);
  if (isOfRun) return lines;
  if (!options.showsNotifications) return [];
  const shown = options.showsDebugging ? lines : lines.filter((line) => !DEBUGGING.test(line));
  return metadata.name === SERVICE_LOG ? shown : shown.map((line) => `[${metadata.name}] ${line}`);
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
    // Each failed job already has a line.
    ...(reason && !isFailureSentence(reason) ? [reason] : []),
    status === 'cancelled' ? 'Workflow canceled.' : 'Workflow failed.',
  ];
}

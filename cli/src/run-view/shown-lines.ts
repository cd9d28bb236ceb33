/** The shown lines of an event. The display settings select them; each has time, job and event. */
import { isRunEvent, type LoggedEvent, type RunEventOf, STEP_SEQUENCE } from '@tutti/manifests';
import {
  cutCommand,
  isTooDeep,
  jobOf,
  type Line,
  lineOf,
  linesOf,
  type RunView,
  type Tone,
} from '@tutti/run-view';
import { cleanLine, cleanOutput, lastState } from '@tutti/run-view/text';
import { firstLine } from '@tutti/workflow/step-label';
import { fileNameOf } from '../attachments/file-name.ts';
import type { Paint, Style } from '../terminal/style.ts';
import type { Display } from './display.ts';
import type { JobStyles } from './job-styles.ts';
import type { LineColors } from './line-colors.ts';
import { prefixText } from './line-prefix.ts';

interface LineLook {
  readonly paint: Paint;
  readonly hasColors: boolean;
  /** Cells for the names of jobs. */
  readonly jobWidth: number;
  readonly clock: Clock;
  /** See `Display`. */
  readonly prefix: string | null;
  readonly lineColors: LineColors;
  readonly jobStyle: JobStyles;
}

/** The time of day of epoch milliseconds, as `12:34:56`. */
export type Clock = (ms: number) => string;

/** The local time of the user. */
export const localClock: Clock = (ms) => {
  const time = new Date(ms);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':');
};

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** A column of names; longer ones push their line to the right. */
const JOB_WIDTH_MAX = 24;

export function jobWidthOf(names: Iterable<string>): number {
  return Math.min(JOB_WIDTH_MAX, Math.max(0, ...[...names].map((name) => name.length)));
}

const TONES: Readonly<Record<Tone, { readonly mark: string; readonly style: Style | null }>> = {
  plain: { mark: '', style: 'bold' },
  start: { mark: '● ', style: 'cyan' },
  step: { mark: '▸ ', style: 'cyan' },
  output: { mark: '│ ', style: null },
  stderr: { mark: '┃ ', style: null },
  file: { mark: '+ ', style: null },
  good: { mark: '✓ ', style: 'green' },
  bad: { mark: '✗ ', style: 'red' },
  quiet: { mark: '· ', style: 'dim' },
  warning: { mark: '! ', style: 'yellow' },
};

/** `12:34:56  job  mark text`. */
export function renderLine(line: Line, look: LineLook): string {
  const { paint, hasColors } = look;
  const { mark, style } = TONES[line.tone];
  // Names and commands have no colours of their own.
  const isStderr = line.tone === 'stderr';
  const isOutput = line.tone === 'output' || isStderr;
  const text = cleanOutput(isOutput ? lastState(line.text) : line.text, hasColors && isOutput);
  const own = hasColors ? look.lineColors[isStderr ? 'output' : line.tone] : undefined;
  const usual =
    style === null
      ? `${paint(isStderr ? 'yellow' : 'dim', mark)}${text}`
      : paint(style, `${mark}${text}`);
  const said = own === undefined ? usual : `\u001b[${own}m${mark}${text}\u001b[0m`;
  return `${beginOf(line, look)}${'  '.repeat(line.depth)}${said}`.trimEnd();
}

function beginOf(line: Line, { paint, jobWidth, clock, prefix, jobStyle }: LineLook): string {
  if (prefix !== null) return paint('dim', prefixText(prefix, line, { jobWidth, clock }));
  const name = line.job === '' ? '' : paint(jobStyle(line.job), line.job);
  const job =
    jobWidth === 0 ? '' : `${name}${' '.repeat(Math.max(0, jobWidth - line.job.length))}  `;
  return `${paint('dim', clock(line.at))}  ${job}`;
}

/** `before` and `after` are the view without and with the event. */
export function shownLines(
  before: RunView,
  event: LoggedEvent,
  after: RunView,
  display: Display,
): readonly Line[] {
  const lines = linesOf(before, event, after);
  const more = isRunEvent(event) ? moreLines(event, after, lines.length, display) : [];
  return [...lines, ...more].filter((line) => isShown(line, display));
}

/** Output and failures are shown at every depth. */
const ALWAYS: readonly Tone[] = ['plain', 'output', 'stderr', 'file', 'bad', 'warning'];

function isShown({ tone, jobDepth, depth }: Line, display: Display): boolean {
  if (ALWAYS.includes(tone)) return true;
  return !isTooDeep(jobDepth, display.jobDepth) && !isTooDeep(depth, display.stepDepth);
}

/** `told`: number of other lines of the event. */
function moreLines(
  event: RunEventOf<RunEventKind>,
  view: RunView,
  shownCount: number,
  display: Display,
): readonly Line[] {
  switch (event.kind) {
    case 'ExecutionCommand':
      return display.isVerbose && shownCount === 0 ? commandLines(event, view, display) : [];
    case 'ExecutionResult':
      return [
        ...(display.isVerbose && shownCount > 0 ? channelLines(event, view) : []),
        ...(display.showsFiles ? fileLines(event, view) : []),
      ];
    case 'WorkflowResult':
      return display.showsFiles ? fileLines(event, view) : [];
    case 'Notification':
      return display.showsServices && shownCount === 0 ? serviceLines(event, display) : [];
    default:
      return [];
  }
}

type RunEventKind = Parameters<typeof lineOf>[0]['kind'];

/** The only script of a function: its title is the function's, which was already shown. */
function commandLines(
  event: RunEventOf<'ExecutionCommand'>,
  view: RunView,
  { commandLength }: Display,
): readonly Line[] {
  const job = jobOf(view, event.metadata.job_id);
  if (job?.current == null || event.metadata.step_sequence_id < 0) return [];
  const command = cutCommand(firstLine(event.scripts.join('\n')), commandLength);
  return command === '' ? [] : [lineOf(event, 'step', command, { job, depth: job.current.depth })];
}

/** Shows the environment of a job that has just started. */
function channelLines(event: RunEventOf<'ExecutionResult'>, view: RunView): readonly Line[] {
  const { step_sequence_id: sequence, job_id: jobId, ...metadata } = event.metadata;
  const channel = metadata.channel_name ?? metadata.channel_id;
  if (sequence !== STEP_SEQUENCE.request || typeof channel !== 'string') return [];
  return [lineOf(event, 'quiet', `runs on ${cleanLine(channel)}`, { job: jobOf(view, jobId) })];
}

function fileLines(
  event: RunEventOf<'ExecutionResult' | 'WorkflowResult'>,
  view: RunView,
): readonly Line[] {
  const { attachments = {}, job_id: jobId, step_origin: origin } = event.metadata;
  const depth = Array.isArray(origin) ? origin.length : 0;
  return Object.entries(attachments).map(([path, { uuid, type }]) => {
    const about = type === undefined ? uuid : `${uuid}, ${type}`;
    return lineOf(event, 'file', `${fileNameOf(path)} (${about})`, {
      job: jobOf(view, jobId),
      depth,
    });
  });
}

/** Name of services in their log lines. */
const SERVICE_LOG = 'log notification';
const SERVICE_TIME = /^\[\d{4}-\d\d-\d\d[^\]]*\]\s*/;
/** Log lines for developers only. */
const DEBUGGING = /^(?:DEBUG|TRACE)\b/;

function serviceLines(event: RunEventOf<'Notification'>, { isVerbose }: Display): readonly Line[] {
  const texts = (event.spec.logs ?? []).map((text) => text.replace(SERVICE_TIME, ''));
  const { name } = event.metadata;
  const from = name === SERVICE_LOG ? '' : `[${name}] `;
  return texts
    .filter((text) => isVerbose || !DEBUGGING.test(text))
    .map((text) => lineOf(event, 'quiet', `${from}${text}`));
}

/** Turns lines about a run into text: time, job and event. */

import { cleanOutput, lastState, type Paint, type Style } from '../terminal/style.ts';
import type { JobStyles } from './job-styles.ts';
import type { Line, Tone } from './line.ts';
import type { LineColors } from './line-colors.ts';
import { prefixText } from './line-prefix.ts';

export interface LineLook {
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

/** The reader's local time. */
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
  const isOutput = line.tone === 'output';
  const text = cleanOutput(isOutput ? lastState(line.text) : line.text, hasColors && isOutput);
  const own = hasColors ? look.lineColors[line.tone] : undefined;
  const usual = style === null ? `${paint('dim', mark)}${text}` : paint(style, `${mark}${text}`);
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

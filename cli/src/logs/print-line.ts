/** Formats a line of a log. It has the name of its job, if there may be several, and its time on request. */
import { parseTimestamp } from '@tutti/manifests';
import { leveledText } from '@tutti/run-view';
import { cleanLine, cleanOutput } from '@tutti/run-view/text';
import { createJobStyles } from '../run-view/job-styles.ts';
import { prefixText } from '../run-view/line-prefix.ts';
import { localClock } from '../run-view/shown-lines.ts';
import type { Io } from '../terminal/io.ts';
import type { Paint } from '../terminal/style.ts';
import type { JobNames } from './job-names.ts';
import type { LogLine } from './log-line.ts';

interface Look {
  /** Pattern of jobs; without wildcards it selects one job. */
  readonly job?: string | undefined;
  readonly timestamps?: boolean;
  /** In place of time and name, see `prefixText`. */
  readonly outputPrefix?: string | undefined;
  readonly output: 'text' | 'json';
}

/** Null is a gap between lines. */
export function createLinePrinter(
  { job, timestamps = false, outputPrefix, output }: Look,
  names: JobNames,
  { screen }: Pick<Io, 'screen'>,
): (line: LogLine | null) => string {
  const { paint, isTerminal, hasColors } = screen;
  const isColorless = screen.isColorless?.() === true;
  if (output === 'json') return (line) => (line === null ? '' : jsonLine(line, names));
  const jobStyle = createJobStyles();
  const hasNames = job === undefined || /[*?[]/.test(job);
  return (line) => {
    if (line === null) return `${paint('dim', '--')}\n`;
    // Programs get the output of steps unchanged.
    const plain = isColorless ? cleanOutput(line.text, false) : line.text;
    const text = isTerminal ? leveled(cleanOutput(line.text, hasColors), paint) : plain;
    if (outputPrefix !== undefined) {
      return `${paint('dim', beginOf(line, outputPrefix, names))}${text}\n`;
    }
    const time = timestamps && line.timestamp !== null ? `${paint('dim', line.timestamp)} ` : '';
    const name = hasNames ? names.nameOf(line) : null;
    const whose =
      name === null ? '' : `${paint(jobStyle(name), cleanLine(name))} ${paint('dim', '|')} `;
    return `${time}${whose}${text}\n`;
  };
}

const STYLES = { bad: 'red', warning: 'yellow', quiet: 'dim' } as const;

function leveled(line: string, paint: Paint): string {
  const { tone, text } = leveledText(line);
  return tone === null ? line : paint(STYLES[tone], text);
}

function beginOf(line: LogLine, prefix: string, names: JobNames): string {
  const at = parseTimestamp(line.timestamp ?? '');
  const [job, jobId] = [names.nameOf(line) ?? '', line.jobId ?? ''];
  return prefixText(prefix, { at, job, jobId }, { jobWidth: 0, clock: localClock });
}

function jsonLine(line: LogLine, names: JobNames): string {
  const { timestamp, jobId, text } = line;
  return `${JSON.stringify({ timestamp, job: names.nameOf(line), job_id: jobId, text })}\n`;
}

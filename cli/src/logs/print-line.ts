/** A line of a log as text: with the name of its job, where there may be several, and with its time where that is asked for. */
import type { Io } from '../io.ts';
import { cleanLine, cleanOutput } from '../run-view/style.ts';
import type { JobNames } from './job-names.ts';
import type { LogLine } from './log-line.ts';

interface Look {
  /** Pattern of jobs; one without wildcards chooses one of which all lines are. */
  readonly job?: string | undefined;
  readonly timestamps?: boolean;
  readonly output: 'text' | 'json';
}

/** Null is a gap between lines. */
export function createLinePrinter(
  { job, timestamps = false, output }: Look,
  names: JobNames,
  { screen }: Pick<Io, 'screen'>,
): (line: LogLine | null) => string {
  const { paint, isTerminal, hasColors } = screen;
  if (output === 'json') return (line) => (line === null ? '' : jsonLine(line, names));
  const hasNames = job === undefined || /[*?[]/.test(job);
  return (line) => {
    if (line === null) return `${paint('dim', '--')}\n`;
    const time = timestamps && line.timestamp !== null ? `${paint('dim', line.timestamp)} ` : '';
    const name = hasNames ? names.nameOf(line) : null;
    const whose = name === null ? '' : `${paint('cyan', cleanLine(name))} ${paint('dim', '|')} `;
    // Programs get what steps printed, as it is.
    const text = isTerminal ? cleanOutput(line.text, hasColors) : line.text;
    return `${time}${whose}${text}\n`;
  };
}

function jsonLine(line: LogLine, names: JobNames): string {
  const { timestamp, jobId, text } = line;
  return `${JSON.stringify({ timestamp, job: names.nameOf(line), job_id: jobId, text })}\n`;
}

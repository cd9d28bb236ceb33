/** Lines of an execution log: `[<timestamp>] [job <job_id>] <text>`, but for the two that it begins with (specification 4.5). */

export interface LogLine {
  /** As the log has it; null in the lines that it begins with. */
  readonly timestamp: string | null;
  /** Null in lines about the whole run. */
  readonly jobId: string | null;
  readonly text: string;
}

const LINE = /^\[([^\]]*)\] \[job ([\da-f-]{36})\] (.*)$/s;
/** Stands for a job in lines about the whole run. */
const NO_JOB = '00000000-0000-0000-0000-000000000000';

export function readLogLine(line: string): LogLine {
  const [, timestamp, jobId = NO_JOB, text] = LINE.exec(line) ?? [];
  if (timestamp === undefined || text === undefined) {
    return { timestamp: null, jobId: null, text: line };
  }
  return { timestamp, jobId: jobId === NO_JOB ? null : jobId, text };
}

/** Takes text cut anywhere, and gives the lines that are complete; `rest` is what is left without an end. */
export function createLineSplitter() {
  let rest = '';
  return {
    push(piece: string): readonly string[] {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      return lines;
    },
    rest: (): readonly string[] => (rest === '' ? [] : [rest]),
  };
}

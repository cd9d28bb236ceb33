/** Lines of an execution log: `[<timestamp>] [job <job_id>] <text>`, but for the two that it begins with (specification 4.5). */

export interface LogLine {
  /** The time as in the log; null in its first lines. */
  readonly timestamp: string | null;
  /** Null in lines about the whole run. */
  readonly jobId: string | null;
  readonly text: string;
}

const LINE = /^\[([^\]]*)\] \[job ([\da-f-]{36})\] (.*)$/s;
/** The job id in lines about the whole run. */
const NO_JOB = '00000000-0000-0000-0000-000000000000';

export function readLogLine(line: string): LogLine {
  const [, timestamp, jobId = NO_JOB, text] = LINE.exec(line) ?? [];
  if (timestamp === undefined || text === undefined) {
    return { timestamp: null, jobId: null, text: line };
  }
  return { timestamp, jobId: jobId === NO_JOB ? null : jobId, text };
}

/** Takes pieces of text and returns complete lines; `rest` is the incomplete end. */
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

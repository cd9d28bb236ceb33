/** A line about a run, without any look yet. */
export type Tone =
  | 'plain'
  | 'start'
  | 'step'
  | 'output'
  | 'stderr'
  | 'file'
  | 'good'
  | 'bad'
  | 'quiet'
  | 'warning';

export interface Line {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Name of the job it is about; empty for the run as a whole. */
  readonly job: string;
  /** Empty if the event has no id. */
  readonly jobId: string;
  /** Number of bundles around the job. */
  readonly jobDepth: number;
  readonly tone: Tone;
  /** Nesting of the step in steps of providers. */
  readonly depth: number;
  readonly text: string;
}

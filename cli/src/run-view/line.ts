/** A line about a run, without any look yet. */
export type Tone =
  | 'plain'
  | 'start'
  | 'step'
  | 'output'
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
  /** Empty where the event tells none. */
  readonly jobId: string;
  /** How many bundles are around the job. */
  readonly jobDepth: number;
  readonly tone: Tone;
  /** How far the step is nested in steps of providers. */
  readonly depth: number;
  readonly text: string;
}

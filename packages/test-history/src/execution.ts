/** One result of a test, as far as its history keeps it. */

/** `error` counts as a failure, and `skipped` for nothing. */
export type Outcome = 'success' | 'failure' | 'error' | 'skipped';

/** Numbers are those of rows: a version without a name is a version of its own in each run. */
export interface Execution {
  readonly run: number;
  readonly version: number;
  /** 1 for the first execution in its run. */
  readonly attempt: number;
  readonly outcome: Outcome;
  /** Epoch milliseconds. */
  readonly atMs: number;
  readonly durationMs: number;
}

export const isFailure = ({ outcome }: Pick<Execution, 'outcome'>): boolean =>
  outcome === 'failure' || outcome === 'error';

export const isPass = ({ outcome }: Pick<Execution, 'outcome'>): boolean => outcome === 'success';

export const isFirstAttempt = ({ attempt }: Pick<Execution, 'attempt'>): boolean => attempt === 1;

/** A fact of a run, whatever the state: the variant failed, then passed on the same version. In the order of attempts. */
export function hasFlaked(executions: readonly Pick<Execution, 'outcome' | 'version'>[]): boolean {
  const failed = new Set<number>();
  for (const execution of executions) {
    if (isFailure(execution)) failed.add(execution.version);
    else if (isPass(execution) && failed.has(execution.version)) return true;
  }
  return false;
}

/** Which failed tests of a judged step run again. */

export interface RetryRule {
  /** Attempts after the first. */
  readonly times: number;
  /** More failures than this are no flakes. */
  readonly atMost: number;
}

export interface AttemptResult {
  /** 1 for the first. */
  readonly attempt: number;
  readonly isMassFailure: boolean;
  /** All tests of the attempt that failed. */
  readonly failed: readonly {
    /** The part that the tool can run on its own: the test, else its file or class. */
    readonly unit: string;
    readonly isSpared: boolean;
  }[];
}

export type NoRetry = 'nothing failed' | 'no attempt left' | 'too many failures' | 'mass failure';

/** Units to run again, each once, or the reason for none. Spared failures need no retry: they do not count. */
export function retriedUnits(
  { attempt, isMassFailure, failed }: AttemptResult,
  { times, atMost }: RetryRule,
): readonly string[] | NoRetry {
  const counting = failed.filter(({ isSpared }) => !isSpared);
  if (counting.length === 0) return 'nothing failed';
  if (attempt > times) return 'no attempt left';
  if (isMassFailure) return 'mass failure';
  if (failed.length > atMost) return 'too many failures';
  return [...new Set(counting.map(({ unit }) => unit))];
}

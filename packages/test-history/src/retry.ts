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
  /** The parts that failed, and count. The tool can run each on its own: a test, else its file or class. */
  readonly failed: readonly string[];
}

export type NoRetry = 'nothing failed' | 'no attempt left' | 'too many failures' | 'mass failure';

/** Units to run again, each once, or the reason for none. */
export function retriedUnits(
  { attempt, isMassFailure, failed }: AttemptResult,
  { times, atMost }: RetryRule,
): readonly string[] | NoRetry {
  if (failed.length === 0) return 'nothing failed';
  if (attempt > times) return 'no attempt left';
  if (isMassFailure) return 'mass failure';
  if (failed.length > atMost) return 'too many failures';
  return [...new Set(failed)];
}

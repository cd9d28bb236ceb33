/** Limits of traces, with the reason for each number. */
export const TRACING_LIMITS = {
  /** Spans of one request: some 400 KiB, and collectors take 4 MiB or more. */
  spansPerRequest: 1_000,
  /** Events of a run that are read at a time; one with test results has some 64 KiB. */
  eventsPerPage: 64,
  /** Milliseconds without a try after a collector did not take a trace: it would not take the next one either. */
  pauseAfterFailureMs: 10_000,
  /** A run that ended longer ago is not traced any more: the collector takes less than there is, in milliseconds. */
  waitMaxMs: 5 * 60_000,
} as const;

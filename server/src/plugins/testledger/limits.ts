/** Bounds of the history of tests. */
export const HISTORY_LIMITS = {
  /** Test cases that are read at a time: some milliseconds of work. */
  pageCases: 250,
  /** Runs that are looked at together; their ids are short. */
  waitingRuns: 100,
  /** Milliseconds from the end of a run until it is folded. Its last reports are mostly read then, so that it is folded once. */
  delayMs: 1_000,
  /** Milliseconds that the process of a local run folds at most before it ends. */
  endMs: 5_000,
  /** The same after a failure of the store, which may last. */
  retryMs: 60_000,
  /** Tries to fold a run. One that fails so often is left out. */
  tries: 3,
  /** Milliseconds between two looks for runs that are too old: their age is counted in days. */
  removalMs: 3_600_000,
  /** Share of the kept executions from which on the log says that it is nearly full. */
  warnedShare: 0.8,
  /** Test cases that one request asks for: two screens of a list. */
  askedCases: 100,
  /** Runs that are removed after one look. */
  removedRuns: 100,
} as const;

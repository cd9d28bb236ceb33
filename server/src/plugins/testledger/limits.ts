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

/** Bounds of the causes of failures that are kept over runs. */
export const CAUSE_LIMITS = {
  /** Causes of one namespace; those that failed longest ago leave. Five runs that fail as differently as a run may. */
  perNamespace: 5_000,
  /** Causes of all namespaces. With their samples they take at most some hundred megabytes. */
  all: 20_000,
  /** Variants that are kept of a cause: two screens of a list. */
  variants: 200,
  /** Places of runs that are kept of a cause: the newest. */
  runs: 200,
  /** Keys of a cause: 32 that similar failures find it by, and one for each of its fingerprints. */
  keys: 132,
  /** Bytes of the text of a failure that is kept as a sample. */
  sampleBytes: 16_384,
  /** Causes that a failure is compared with. Few have its type, its first frame and most of its words. */
  candidates: 100,
} as const;

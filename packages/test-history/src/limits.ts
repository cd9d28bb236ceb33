/** Bounds of what is kept of one variant. Together they make a ledger of half a kibibyte. */
export const LEDGER_LIMITS = {
  /** Rates over fewer executions would change with each of them. */
  executionsMax: 100,
  /** Change points compare twenty durations with fifty before. Percentiles need a hundred. */
  durationsMax: 100,
  /** A version that comes back later than this counts as a new one. */
  versionsMax: 8,
  /** Evidence that people read; older ones are in the executions. */
  contradictionsMax: 20,
} as const;

/** Bounds of what is read of one failure to find its cause. */
export const FAILURE_LIMITS = {
  /** Two failures with the same words up to here are alike. */
  messageCharactersMax: 512,
  /** Longer texts are mostly dumps of data, and have their reason before. */
  readCharactersMax: 4_096,
  /** The innermost frames of one fault are the same; further out, they depend on who called. */
  framesMax: 3,
  /** Deeper stacks are recursions. */
  stackLinesMax: 200,
  /** Longer lines of a stack are data. */
  lineCharactersMax: 500,
  /** A list that people read. Each has a text of half a kibibyte. */
  causesMax: 1_000,
} as const;

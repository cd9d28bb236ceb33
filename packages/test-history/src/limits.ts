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

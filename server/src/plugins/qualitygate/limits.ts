/** Bounds of the quality gate. */
export const GATE_LIMITS = {
  /** A document of definitions, in bytes; a gate takes about one kilobyte. */
  definitionBytes: 512 * 1024,
  /** Files of definitions; each request looks at all of them, whether they changed. */
  files: 64,
  /** How long a request may wait for test results and for its judgement, in seconds, unless it says (specification part 8). */
  timeoutDefaultSeconds: 8,
  /** Broken reports of an earlier run that are looked through for those of jobs that were taken over. */
  earlierReports: 1_000,
  /** Jobs that a sentence names; more would not be read. */
  namedJobs: 20,
  /** Test cases read at a time. */
  page: 500,
  /** How long test cases are judged before others get their turn, in milliseconds. */
  turnMs: 10,
} as const;

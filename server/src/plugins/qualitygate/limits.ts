/** Bounds of the quality gate. */
export const GATE_LIMITS = {
  /** A document of definitions, in bytes; a gate takes about one kilobyte. */
  definitionBytes: 512 * 1024,
  /** Files of definitions; each request looks at all of them, whether they changed. */
  files: 64,
  /** Seconds that a request may wait for test results and for its judgement, unless it says (specification part 8). */
  timeoutDefaultSeconds: 8,
  /** Broken reports of an earlier run that are searched for reports of taken-over jobs. */
  earlierReports: 1_000,
  /** Jobs that a sentence names; more would not be read. */
  namedJobs: 20,
  /** Test cases read at a time. */
  page: 500,
  /** Milliseconds that test cases are judged before other work gets its turn. */
  turnMs: 10,
} as const;

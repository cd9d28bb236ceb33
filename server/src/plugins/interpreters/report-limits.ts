/** Limits for reading one test report: reports come from tests, which may misbehave. */
export const REPORT_LIMITS = {
  /** The limit of an attachment: reports stream, so this bounds the time of a reading, not its memory. */
  bytesMax: 5 * 1024 * 1024 * 1024,
  resultsMax: 2_000_000,
  generalErrorsMax: 100,
  /** Depth of suites in JUnit reports; no known producer goes beyond ten. */
  depthMax: 64,
  /** Depth of formats that nest the actions of a test: keywords call keywords, in loops and branches. */
  nestingMax: 1024,
  /** Executions of one test case that a runner repeats; more are left out. */
  attemptsMax: 100,
  /** Files that the output of one failed test names. With paths of 512 characters they are half of a text. */
  namedFilesMax: 15,
  /** In characters; names are shown in lists and are part of keys. */
  nameLengthMax: 1024,
  messageLengthMax: 4096,
  /** In characters. Three times this in bytes still lets several results share one event of 256 KiB. */
  textLengthMax: 16 * 1024,
} as const;

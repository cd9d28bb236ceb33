/** Bounds of what is read from one test report: reports come from tests, and tests misbehave. */
export const REPORT_LIMITS = {
  /** A single CDATA section is held in memory while it is read, so this also bounds the memory of one reading. */
  bytesMax: 64 * 1024 * 1024,
  resultsMax: 100_000,
  generalErrorsMax: 100,
  /** Suites may contain suites; no known producer goes beyond ten. */
  depthMax: 64,
  /** In characters; names are shown in lists and are part of keys. */
  nameLengthMax: 1024,
  messageLengthMax: 4096,
  /** In characters. Three times this in bytes still lets several results share one event of 256 KiB. */
  textLengthMax: 16 * 1024,
} as const;

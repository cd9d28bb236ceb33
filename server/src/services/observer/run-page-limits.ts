/** Limits for pages about one run, each with the reason for its number. */

export const LOG_WINDOW_LIMITS = {
  /** Lines of one answer: some screens, or a page of plain text. */
  count: 5_000,
  /** Bytes of a line that are shown. The rest is read as a range of the log. */
  lineBytes: 8 * 1024,
  /** Bytes of lines in one answer. Where there are more, the next question goes on. */
  bytes: 1024 * 1024,
  /** Bytes that are searched for lines of a job: about a tenth of a second. */
  searchedBytes: 8 * 1024 * 1024,
} as const;

export const LOG_SEARCH_LIMITS = {
  /** Characters of the text or pattern: that of patterns in workflows. */
  length: 256,
  /** Hits that are listed; the others are counted. */
  hits: 1_000,
  /** Parts of the log whose hits are counted, for marks beside a scroll bar. */
  buckets: 200,
  /** Characters of the text of a hit. */
  textLength: 200,
} as const;

export const RUN_STORIES_LIMITS = {
  /** Characters of the kept stories, about. The least recently used run is dropped first. */
  length: 32 * 1024 * 1024,
  /** Kept moments of one run. Where there are more, every other one is dropped. */
  moments: 32,
  /** Events between two kept moments, at first. */
  step: 2_000,
  /** Marks of one answer: more than a bar has points. Twice as many are kept, about a megabyte. */
  marks: 5_000,
} as const;

export const WHOLE_RUN_LIMITS = {
  /** Test cases of a run: their names and results take some dozens of megabytes. */
  cases: 200_000,
} as const;

export const CAUSE_LIMITS = {
  /** Test cases that an answer names for each cause; the others are counted. */
  tests: 100,
} as const;

export const COMPARE_LIMITS = {
  /** Rows of a list; the others are counted. */
  rows: 1_000,
  /** Less is chance: more time in milliseconds, and as a part of the time before. */
  slowerMs: 1_000,
  slower: 0.2,
} as const;
